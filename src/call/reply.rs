//! Envelopes: what an outcome looks like on the wire, in the words of the tool's toolset.

use serde_json::Value;

use super::trail::Trail;
use crate::error::Error;
use crate::toolsets::Registered;

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

impl Answer {
    /// A failure whose text says it all.
    pub fn failure(text: String) -> Self {
        Self { text, structured: None, is_error: true }
    }
}

/// Wrap an outcome.
pub fn wrap(
    tool: &Registered,
    outcome: &Result<Value, Error>,
    trail: &Trail,
    structured: bool,
) -> Answer {
    match outcome {
        Ok(value) => success(tool, value, structured),
        Err(error) => {
            let answer = tool.toolset.failure(error, &tool.definition, trail);
            Answer { structured: answer.structured.filter(|_| structured), ..answer }
        }
    }
}

fn success(tool: &Registered, value: &Value, structured: bool) -> Answer {
    let shown = tool.definition.text.and_then(|field| value.get(field)).unwrap_or(value);
    Answer {
        text: shown.to_string(),
        structured: structured.then(|| value.clone()),
        is_error: false,
    }
}
