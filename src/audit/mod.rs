//! One record per call, and a warning for every violation. Content is never logged.

mod announce;
mod human;
pub mod log;
pub mod metrics;
mod sanitise;
mod watch;

use std::time::Duration;

use chrono::{SecondsFormat, Utc};

use crate::call::Trail;
use crate::error::Error;
use crate::toolsets::{Registered, Toolset};
pub use announce::{Work, called, ended};
pub use sanitise::{backtrace, sanitised};
pub use watch::{ClientRate, ClientStats, Watch};

/// What is written about a call.
pub struct Record<'a> {
    /// The tool.
    pub tool: &'a Registered,
    /// Where it went.
    pub trail: &'a Trail,
    /// How it ended, in a word.
    pub ending: &'static str,
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
    /// Its arguments without any content, if anyone wants to read them.
    pub arguments: Option<String>,
    /// Who keeps count of violations.
    pub watch: &'a Watch,
}

/// Write the record.
pub fn record(record: &Record<'_>) {
    if let Some(error) = record.error.filter(|error| error.is_violation()) {
        violation(record, error);
    }
    metrics::METRICS.count_call(record);
    if record.tool.toolset == Toolset::Guide {
        operation(record);
    }
    tracing::info!(
        target: "mcp_filesystem::call",
        tool = record.tool.name,
        root = record.trail.root.as_deref().unwrap_or_default(),
        path = record.trail.about(),
        also = record.trail.others.join(" "),
        outcome = record.ending,
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
        tool = record.tool.name,
        root = record.trail.root.as_deref().unwrap_or_default(),
        attempted_path = attempted(record),
        resolved_path = resolved,
        violation_type = error.violation().unwrap_or_default(),
        violation_count = record.watch.violated(record.client),
        backtrace = record.trail.backtrace.as_deref().unwrap_or_default(),
        client = record.client,
        principal = record.principal,
        "security violation"
    );
}

/// What was done to the agent's files: seen at level trace, a refusal on the agent's side always.
fn operation(record: &Record<'_>) {
    if matches!(record.error, Some(Error::PermissionDenied { .. })) {
        tracing::warn!(
            target: "mcp_filesystem::security",
            operation = record.tool.definition.name,
            path = record.trail.path.as_deref().unwrap_or_default(),
            result = "permission_denied",
            client = record.client,
            "permission denied to the agent"
        );
    }
    tracing::trace!(
        target: "mcp_filesystem::audit",
        operation = record.tool.definition.name,
        path = record.trail.path.as_deref().unwrap_or_default(),
        timestamp = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true),
        result = record.ending,
        arguments = record.arguments.as_deref().unwrap_or_default(),
        client = record.client,
        "filesystem operation"
    );
}

fn attempted(record: &Record<'_>) -> String {
    match record.error {
        Some(Error::Outside(escape)) => escape.path.clone(),
        Some(Error::Fenced(fenced)) => fenced.path.clone(),
        _ => record.trail.about().to_owned(),
    }
}
