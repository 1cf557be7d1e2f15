//! What may be written down: arguments without content, and the way the code came.

use std::backtrace::Backtrace;

use serde_json::{Map, Value, json};
use tracing::Level;

use crate::ops::hash;

/// A longer text is told by its length and hash, whatever its name is.
const LONGEST_SHOWN: usize = 256;
/// Frames that are enough to see where a path was refused.
const FRAMES: usize = 16;

/// The arguments as text without any content, if the log is read at that level.
pub fn sanitised(arguments: &Map<String, Value>) -> Option<String> {
    if !tracing::enabled!(target: "mcp_filesystem::audit", Level::TRACE) {
        return None;
    }
    let clean: Map<_, _> =
        arguments.iter().map(|(name, value)| (name.clone(), clean(name, value))).collect();
    Some(Value::Object(clean).to_string())
}

fn clean(name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if name == "content" || text.len() > LONGEST_SHOWN => {
            json!({"bytes": text.len(), "sha256": hash::sha256(text.as_bytes())})
        }
        Value::Array(items) => items.iter().map(|item| clean("", item)).collect(),
        Value::Object(inner) => {
            Value::Object(inner.iter().map(|(name, v)| (name.clone(), clean(name, v))).collect())
        }
        other => other.clone(),
    }
}

/// How the code came here: our own functions, or all where none has a name.
pub fn backtrace() -> String {
    let whole = Backtrace::force_capture().to_string();
    let names = || whole.lines().map(str::trim).filter(|line| !line.starts_with("at "));
    let ours: Vec<&str> = names().filter(|line| is_ours(line)).take(FRAMES).collect();
    let shown = if ours.is_empty() { names().take(FRAMES).collect() } else { ours };
    shown.join("\n")
}

/// `3: mcp_filesystem::call::...` or `3: <mcp_filesystem::... as ...>::...`
fn is_ours(frame: &str) -> bool {
    let name = frame.split_once(": ").map_or(frame, |(_, name)| name);
    name.trim_start_matches('<').starts_with("mcp_filesystem::")
}
