//! The configuration file, as written: every key, once.

use std::num::NonZero;
use std::path::PathBuf;

use serde::Deserialize;

use super::http::HttpEntry;
use crate::cli::{Landlock, LogFormat, LogLevel, Transport};

/// The configuration file, as written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Config {
    pub(super) host: Option<String>,
    pub(super) port: Option<u16>,
    pub(super) transport: Option<Transport>,
    pub(super) toolsets: Vec<ToolsetEntry>,
    pub(super) max_full_read_size: Option<u64>,
    pub(super) search_timeout_seconds: Option<u64>,
    pub(super) max_answer_bytes: Option<usize>,
    pub(super) structured_content: Option<bool>,
    pub(super) annotations: Option<Annotations>,
    pub(super) allowed_hosts: Vec<String>,
    pub(super) allowed_origins: Vec<String>,
    pub(super) http: HttpEntry,
    pub(super) landlock: Option<Landlock>,
    pub(super) log_level: Option<LogLevel>,
    pub(super) log_format: Option<LogFormat>,
    pub(super) log_file: Option<PathBuf>,
    pub(super) request_timeout_seconds: Option<NonZero<u32>>,
    pub(super) max_file_size: Option<NonZero<u64>>,
    pub(super) rate_limit: Option<RateEntry>,
    pub(super) root_dir: Option<PathBuf>,
    pub(super) allowed_tools: Option<Vec<String>>,
    pub(super) deny: Vec<String>,
    pub(super) read_only: bool,
    pub(super) guide: GuideSection,
    pub(super) filesystem: FilesystemSection,
    pub(super) cache: CacheSection,
    pub(super) sampling: SamplingSection,
    pub(super) roots: Option<Vec<RootEntry>>,
}

/// The agent's files: which may be spoken of, and how often is unusual.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FilesystemSection {
    pub(super) allowed_paths: Option<Vec<String>>,
    pub(super) burst_per_minute: Option<u64>,
}

/// How much of the agent's files is held, and for how long.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CacheSection {
    pub(super) max_bytes: Option<usize>,
    pub(super) max_entries: Option<usize>,
    pub(super) ttl_seconds: Option<u64>,
    pub(super) upload_seconds: Option<u64>,
}

/// How the agent is asked.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SamplingSection {
    pub(super) timeout_seconds: Option<u64>,
}

/// What concerns toolset `guide` alone.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct GuideSection {
    pub(super) prefix: Option<String>,
    pub(super) docroot: Option<PathBuf>,
    pub(super) config_dir: Option<PathBuf>,
}

/// How often a client may call.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RateEntry {
    pub(super) calls_per_second: NonZero<u32>,
    pub(super) burst: Option<NonZero<u32>>,
}

/// Which hints tools carry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Annotations {
    /// As the `roots` specification has it: nothing is called destructive, so that hosts ask for no approval.
    #[default]
    Quiet,
    /// True hints everywhere.
    Honest,
}

/// A toolset by name, or with a prefix.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected names of toolsets, or entries such as {name: files, prefix: fs}"
)]
pub(super) enum ToolsetEntry {
    Name(String),
    Prefixed(PrefixedEntry),
}

/// A toolset whose names get a prefix.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PrefixedEntry {
    pub(super) name: String,
    pub(super) prefix: String,
}

/// One root.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RootEntry {
    pub(super) name: String,
    pub(super) path: PathBuf,
    #[serde(default)]
    pub(super) allowed_tools: Vec<String>,
    #[serde(default)]
    pub(super) deny: Vec<String>,
    #[serde(default)]
    pub(super) read_only: bool,
}
