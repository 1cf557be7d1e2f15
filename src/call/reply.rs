//! Envelopes: what an outcome looks like on the wire, in the words of the tool's toolset.

use serde_json::Value;

use super::trail::Trail;
use crate::bridge::Question;
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

/// What a call comes to for now.
#[derive(Debug, Clone)]
pub enum Turn {
    /// It is answered.
    Done(Answer),
    /// The client is to ask the agent, and to call again.
    Asks(Asking),
}

impl Turn {
    /// The word for the log.
    pub(super) fn ending(&self) -> &'static str {
        match self {
            Self::Done(answer) if answer.is_error => "error",
            Self::Done(_) => "success",
            Self::Asks(_) => "input_required",
        }
    }

    /// Bytes of the text.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Done(answer) => answer.text.len(),
            Self::Asks(asking) => asking.question.text.len(),
        }
    }
}

/// A question for the agent that the client takes with it.
#[derive(Debug, Clone)]
pub struct Asking {
    /// The question.
    pub question: Question,
    /// Our ticket under seal, to be brought back.
    pub state: String,
}

/// A failure as the tool's toolset tells it.
pub fn failure(tool: &Registered, error: &Error, trail: &Trail, structured: bool) -> Answer {
    let answer = tool.toolset.failure(error, &tool.definition, trail);
    Answer { structured: answer.structured.filter(|_| structured), ..answer }
}

/// A success: the value as text and, if wanted, as an object.
pub fn success(tool: &Registered, value: Value, structured: bool) -> Answer {
    let shown = tool.definition.text.and_then(|field| value.get(field)).unwrap_or(&value);
    let text = serde_json::to_string(shown).unwrap_or_default();
    Answer { text, structured: structured.then_some(value), is_error: false }
}
