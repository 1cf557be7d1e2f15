//! Bounds, rates and log level: flag over environment over YAML over default.

use std::num::NonZero;
use std::time::Duration;

use clap::ValueEnum;

use super::config::Config;
use crate::call::Bounds;
use crate::cli::{LogLevel, Serve, Transport};
use crate::policy::Quota;
use crate::toolsets::Toolset;

/// The bounds of calls.
pub(super) fn bounds(flags: &Serve, config: &Config) -> Bounds {
    let usual = Bounds::default();
    let request_timeout = flags.request_timeout.or(config.request_timeout_seconds);
    Bounds {
        max_full_read: config.max_full_read_size.unwrap_or(usual.max_full_read),
        max_answer: config.max_answer_bytes.unwrap_or(usual.max_answer).max(1 << 10),
        search_timeout: config
            .search_timeout_seconds
            .map_or(usual.search_timeout, Duration::from_secs),
        request_timeout: request_timeout
            .map_or(usual.request_timeout, |seconds| Duration::from_secs(seconds.get().into())),
        max_file_size: flags
            .max_file_size
            .or(config.max_file_size)
            .map_or(usual.max_file_size, NonZero::get),
    }
}

/// How often a client may call.
pub(super) fn quota(config: &Config) -> Quota {
    match config.rate_limit {
        None => Quota::default(),
        Some(entry) => Quota {
            calls_per_second: entry.calls_per_second,
            burst: entry.burst.unwrap_or(entry.calls_per_second),
        },
    }
}

/// The toolsets that refuse calls beyond the quota: all of them when the operator sets one, else `files` over HTTP.
pub(super) fn limited(config: &Config, transport: Transport) -> Vec<Toolset> {
    match (config.rate_limit, transport) {
        (Some(_), _) => Toolset::ALL.into(),
        (None, Transport::Http) => vec![Toolset::Files],
        (None, Transport::Stdio) => Vec::new(),
    }
}

/// How much to log.
pub(super) fn log_level(flags: &Serve, config: &Config) -> Result<LogLevel, String> {
    let alias = match flags.log_level {
        Some(_) => None,
        None => std::env::var("MG_LOG_LEVEL").ok().filter(|text| !text.is_empty()),
    };
    let alias = alias.map(|text| named_level(&text)).transpose()?;
    Ok(flags.log_level.or(alias).or(config.log_level).unwrap_or(LogLevel::Info))
}

fn named_level(text: &str) -> Result<LogLevel, String> {
    LogLevel::from_str(text, true).map_err(|_| {
        format!("invalid value '{text}' for MG_LOG_LEVEL: use error, warn, info, debug or trace")
    })
}
