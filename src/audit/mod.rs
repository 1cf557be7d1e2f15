//! One record per call, and a warning for every violation. Content is never logged.

mod announce;
pub mod log;
pub mod metrics;

use std::time::Duration;

use crate::call::Trail;
use crate::error::Error;
pub use announce::{Work, called, ended};

/// What is written about a call.
pub struct Record<'a> {
    /// The tool's name for clients.
    pub tool: &'a str,
    /// Where it went.
    pub trail: &'a Trail,
    /// How it failed, if it did.
    pub error: Option<&'a Error>,
    /// How long it took.
    pub duration: Duration,
    /// Bytes of the answer's text.
    pub response_bytes: usize,
    /// Which program called.
    pub client: &'a str,
    /// On whose behalf; empty when the server asks for no name.
    pub principal: &'a str,
}

/// Write the record.
pub fn record(record: &Record<'_>) {
    if let Some(error) = record.error.filter(|error| error.is_violation()) {
        violation(record, error);
    }
    metrics::METRICS.count_call(record);
    let outcome = if record.error.is_none() { "success" } else { "error" };
    tracing::info!(
        target: "mcp_filesystem::call",
        tool = record.tool,
        root = record.trail.root.as_deref().unwrap_or_default(),
        path = record.trail.about(),
        also = record.trail.others.join(" "),
        outcome,
        code = record.error.map_or("", Error::code),
        error = record.error.map(Error::for_log).unwrap_or_default(),
        duration_ms = record.duration.as_secs_f64() * 1_000.0,
        response_bytes = record.response_bytes,
        client = record.client,
        principal = record.principal,
        "tool call"
    );
}

fn violation(record: &Record<'_>, error: &Error) {
    let resolved = match error {
        Error::Outside(escape) => escape.resolved.as_deref().unwrap_or_default(),
        _ => "",
    };
    tracing::warn!(
        target: "mcp_filesystem::security",
        tool = record.tool,
        root = record.trail.root.as_deref().unwrap_or_default(),
        attempted_path = attempted(record),
        resolved_path = resolved,
        violation_type = error.violation().unwrap_or_default(),
        client = record.client,
        principal = record.principal,
        "security violation"
    );
}

fn attempted(record: &Record<'_>) -> String {
    match record.error {
        Some(Error::Outside(escape)) => escape.path.clone(),
        _ => record.trail.about().to_owned(),
    }
}
