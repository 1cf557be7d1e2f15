//! Envelopes: what an outcome looks like on the wire, in the words of the tool's toolset.

use serde_json::Value;

use super::trail::Trail;
use crate::error::Error;
use crate::toolsets::{Registered, Toolset};

/// A call's answer, before it becomes a protocol message.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The text for the model.
    pub text: String,
    /// The object for programs.
    pub structured: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
}

/// Wrap an outcome.
pub fn wrap(tool: &Registered, outcome: &Result<Value, Error>, trail: &Trail, structured: bool) -> Answer {
    match outcome {
        Ok(value) => success(tool, value, structured),
        Err(error) => match tool.toolset {
            Toolset::Roots => failure(sentence(error, trail)),
        },
    }
}

fn success(tool: &Registered, value: &Value, structured: bool) -> Answer {
    let shown = tool.definition.text.and_then(|field| value.get(field)).unwrap_or(value);
    Answer { text: shown.to_string(), structured: structured.then(|| value.clone()), is_error: false }
}

fn failure(text: String) -> Answer {
    Answer { text, structured: None, is_error: true }
}

/// The sentence, the root it happened on, and what to do next.
fn sentence(error: &Error, trail: &Trail) -> String {
    let mut text = error.to_string();
    if let Some(root) = trail.root.as_ref().filter(|_| error.is_about_a_path()) {
        text.push_str(&format!(" (root: {root})"));
    }
    if let Some(hint) = error.hint() {
        text.push_str("; ");
        text.push_str(&hint);
    }
    text
}
