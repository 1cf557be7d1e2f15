//! What is said before and after every call, beside its record.

use crate::error::Error;
use crate::toolsets::Toolset;

/// How a tool works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// On a thread that may block.
    Blocking,
    /// Between messages: it waits for the client without a thread.
    Waiting,
}

/// A call is about to run.
pub fn called(tool: &str) {
    tracing::trace!(target: "mcp_filesystem::call", "Tool called: {tool}");
}

/// A call has ended. A violation has its own warning; what failed otherwise is an error to the guide, whose agents
/// show it to the user, and everyday life to the others.
pub fn ended(tool: &str, toolset: Toolset, work: Work, error: Option<&Error>) {
    const TARGET: &str = "mcp_filesystem::call";
    match (error, work) {
        (None, Work::Waiting) => {
            tracing::trace!(target: TARGET, "Tool {tool} completed successfully");
        }
        (None, Work::Blocking) => {
            tracing::debug!(target: TARGET, "Tool {tool} completed successfully");
        }
        (Some(error), _) if error.is_violation() => {}
        (Some(error), _) if toolset == Toolset::Guide => {
            tracing::error!(target: TARGET, "Tool {tool} failed: {}", error.for_log());
        }
        (Some(error), _) => {
            tracing::debug!(target: TARGET, "Tool {tool} failed: {}", error.for_log());
        }
    }
}
