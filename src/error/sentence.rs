//! The sentence of every failure, as an agent reads it.

use std::fmt;

use super::{Complaint, Error, Escape, Fenced, Manner, PATH_RULES};
use crate::control::Halt;

const FOREIGN_STATE: &str =
    "the request state was changed, has expired or belongs to another call or client";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside(escape) => escape.fmt(f),
            Self::NullByte { .. } => f.write_str("path contains null bytes"),
            Self::UnknownRoot { name, .. } => write!(f, "unknown root: {name}"),
            Self::ToolNotAllowed { tool, root, because } => {
                write!(f, "tool {tool} not allowed")?;
                // The one directory has no name.
                if !root.is_empty() {
                    write!(f, " on root {root}")?;
                }
                because.map_or(Ok(()), |because| write!(f, ": {because}"))
            }
            Self::Denied { path } => write!(f, "path is denied by the operator: {path}"),
            Self::NotFound { noun, path, .. } => write!(f, "{noun} not found: {path}"),
            Self::PermissionDenied { path } => write!(f, "permission denied: {path}"),
            Self::Exists { path, .. } => {
                write!(f, "file already exists: {path}; use overwrite mode to replace")
            }
            Self::WrongKind { sentence: Some(sentence), .. }
            | Self::Refused(sentence)
            | Self::Expression(sentence)
            | Self::Missing { sentence, .. } => f.write_str(sentence),
            Self::WrongKind { path, found, .. } => write!(f, "path is {}: {path}", found.article()),
            Self::NotEmpty { path } => write!(f, "directory not empty: {path}"),
            Self::Arguments(complaints) => write_complaints(complaints, f),
            Self::TooLarge { path, size, limit } => write_too_large(path, *size, *limit, f),
            Self::Changed { path, actual } => write_changed(path, actual.as_deref(), f),
            Self::Patch { path, error, .. } => write!(f, "{error}: {path}"),
            Self::Halted(Halt::Cancelled) => f.write_str("cancelled by the client"),
            Self::Halted(Halt::DeadlinePassed) => {
                f.write_str("the time limit was reached; nothing was changed")
            }
            Self::TimedOut { state } => write!(f, "the time limit was reached: {state}"),
            Self::RateLimited { retry_after } => {
                let seconds = retry_after.as_secs_f64().ceil().max(1.0);
                write!(f, "rate limit exceeded; retry in {seconds} s")
            }
            Self::Io { path, reason } if path.is_empty() => f.write_str(reason),
            Self::Io { path, reason } => write!(f, "{reason}: {path}"),
            Self::Partly { cause, state } => write!(f, "{cause}; {state}"),
            Self::OutcomeUnknown { path, reason } => write!(
                f,
                "outcome unknown: the change to {path} was made but could not be made durable: {reason}"
            ),
            Self::Fenced(fenced) => fenced.fmt(f),
            Self::PathFormat { reason } => write!(f, "invalid path: {reason}; {PATH_RULES}"),
            Self::Unsupported { what, .. } => f.write_str(what),
            Self::NoAnswer { path, seconds } => {
                write!(f, "the agent did not answer within {seconds} s: {path}")
            }
            Self::BadAnswer { path, reason } => {
                write!(f, "the agent's answer can not be used: {path}: {reason}")
            }
            Self::ForeignState => f.write_str(FOREIGN_STATE),
            Self::Asks(_) => f.write_str("the agent has to be asked first"),
            Self::Internal(what) => write!(f, "internal error: {what}"),
        }
    }
}

impl fmt::Display for Escape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("path resolves outside root boundary")?;
        if self.manner == Manner::Loop {
            f.write_str(" (circular link)")?;
        }
        write!(f, ": {}", self.path)
    }
}

impl fmt::Display for Fenced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("path is outside the allowed paths")?;
        if self.manner == Manner::Link {
            f.write_str(" (through a link)")?;
        }
        write!(f, ": {}; allowed: {}", self.path, self.allowed.join(", "))
    }
}

fn write_changed(path: &str, actual: Option<&str>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "file has changed since it was read: {path} (")?;
    match actual {
        Some(hash) => write!(f, "sha256 is now {hash})"),
        None => f.write_str("it no longer exists)"),
    }
}

fn write_complaints(complaints: &[Complaint], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let messages: Vec<&str> = complaints.iter().map(|c| c.message.as_str()).collect();
    f.write_str(&messages.join("; "))
}

fn write_too_large(path: &str, size: u64, limit: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "file too large for full read (size: {}, limit: {}); use offset/limit parameters (the file has {size} bytes, the limit is {limit} bytes): {path}",
        rough_size(size),
        rough_size(limit)
    )
}

/// `5.2MB`, `1MB`, `500B`: at most one decimal, none when it is zero.
fn rough_size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_024 => return format!("{bytes}B"),
        1_024..1_048_576 => (1_024.0, "KB"),
        1_048_576..1_073_741_824 => (1_048_576.0, "MB"),
        _ => (1_073_741_824.0, "GB"),
    };
    let value = format!("{:.1}", bytes as f64 / unit);
    format!("{}{name}", value.strip_suffix(".0").unwrap_or(&value))
}
