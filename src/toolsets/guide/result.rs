//! `Result`: the one shape of every guide answer, success or failure.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::call::Answer;
use crate::control::Halt;
use crate::error::{Complaint, Error};
use crate::ops::near::question;

/// What a guide tool tells, in the order of the keys on the wire. What is empty is left out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Told<T> {
    /// Whether the call did what it was asked
    success: bool,
    /// The answer; absent when there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<T>,
    /// What went wrong
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Kind of failure: security, validation, system, not_found, timeout or unsupported
    #[serde(skip_serializing_if = "Option::is_none")]
    error_type: Option<&'static str>,
    /// Details, such as validation_errors
    #[serde(skip_serializing_if = "Map::is_empty")]
    error_data: Map<String, Value>,
    /// Class of the failure
    #[serde(skip_serializing_if = "Option::is_none")]
    exception_type: Option<&'static str>,
    /// The failure in full
    #[serde(skip_serializing_if = "Option::is_none")]
    exception_message: Option<String>,
    /// For the user
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// For the agent: what to do, or not to do, next
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<String>,
    /// What did not go quite as asked
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl<T> Told<T> {
    /// Success with this answer.
    pub fn ok(value: T) -> Self {
        Self { value: Some(value), ..Self::nothing() }
    }

    /// Success without an answer.
    pub fn nothing() -> Self {
        Self {
            success: true,
            value: None,
            error: None,
            error_type: None,
            error_data: Map::new(),
            exception_type: None,
            exception_message: None,
            message: None,
            instruction: None,
            warnings: Vec::new(),
        }
    }

    /// With words for the user.
    pub fn message(self, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..self }
    }

    /// With guidance for the agent.
    pub fn instruction(self, instruction: impl Into<String>) -> Self {
        Self { instruction: Some(instruction.into()), ..self }
    }

    /// With names that may be meant, and guidance: first to look at them, then `otherwise`.
    pub fn offering(self, near: &[String], otherwise: &str) -> Self {
        match question(near) {
            Some(question) => self.message(question).instruction(first_look_at_names(otherwise)),
            None => self.instruction(otherwise),
        }
    }

    /// With what did not go quite as asked.
    pub fn warnings(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }
}

impl Told<Value> {
    /// Failure.
    pub fn failure(error: &Error) -> Self {
        let class = Class::of(error);
        Self {
            success: false,
            error: Some(sentence(error)),
            error_type: Some(class.error_type),
            error_data: data(error),
            exception_type: Some(class.exception_type),
            exception_message: Some(error.to_string()),
            message: error.near().and_then(question),
            instruction: Some(instruction(error, &class)),
            ..Self::nothing()
        }
    }
}

/// The failure as an answer.
pub fn failure(error: &Error) -> Answer {
    // The type has string keys and plain values only.
    let told = serde_json::to_value(Told::failure(error)).unwrap_or_default();
    Answer { text: told.to_string(), structured: Some(told), is_error: true }
}

/// Kind and class of a failure, and what the agent is told to do about it.
struct Class {
    error_type: &'static str,
    exception_type: &'static str,
    instruction: &'static str,
}

/// For arguments: what the user asked for must not be changed behind their back.
const VALIDATION: &str = "Return error to user without attempting remediation";
/// For what the agent itself got wrong.
const OWN_MISTAKE: &str = "Correct the call and repeat it if the mistake is your own.";
/// The argument that only the user can give.
const CONSENT: &str = "explicit_action";
/// For what is not there.
const NOT_FOUND: &str = "Present this error to the user and take no further action.";
/// For a file that can not be used.
const FILE: &str = "Present this error to the user. The file may have been deleted, moved, or has permission issues.";
/// For what lies outside the fence.
const SECURITY: &str = "Present this error to the user and take no further action. Do NOT try to reach the path in another way.";
/// For what took too long.
const TIMEOUT: &str = "Call the tool once more; if that fails too, present this error to the user.";
/// For what the client can not do.
const UNSUPPORTED: &str = "Do what the error suggests instead: push the file or listing, attach it as a resource, or ask the user to provide it.";
/// For what went wrong on the server's side.
const SYSTEM: &str = "Present this error to the user. Do NOT attempt corrective action.";

impl Class {
    const fn new(
        error_type: &'static str,
        exception_type: &'static str,
        instruction: &'static str,
    ) -> Self {
        Self { error_type, exception_type, instruction }
    }

    fn of(error: &Error) -> Self {
        match error {
            Error::Outside(_)
            | Error::ToolNotAllowed { .. }
            | Error::Denied { .. }
            | Error::Fenced(_)
            | Error::ForeignState => Self::new("security", "SecurityError", SECURITY),
            Error::NullByte { .. } | Error::PathFormat { .. } => {
                Self::new("validation", "PathFormatError", VALIDATION)
            }
            Error::NotFound { .. } => Self::new("not_found", "FileNotFoundError", NOT_FOUND),
            Error::Missing { .. } | Error::UnknownRoot { .. } => {
                Self::new("not_found", "NotFoundError", NOT_FOUND)
            }
            Error::PermissionDenied { .. } => Self::new("system", "PermissionError", FILE),
            Error::Unsupported { .. } => Self::new("unsupported", "UnsupportedError", UNSUPPORTED),
            Error::BadAnswer { .. } => Self::new("system", "IoError", SYSTEM),
            Error::Halted(Halt::DeadlinePassed)
            | Error::TimedOut { .. }
            | Error::NoAnswer { .. } => Self::new("timeout", "TimeoutError", TIMEOUT),
            Error::RateLimited { .. } => Self::new("system", "RateLimitError", TIMEOUT),
            Error::Halted(Halt::Cancelled) => Self::new("system", "CancelledError", NOT_FOUND),
            Error::Io { .. } | Error::OutcomeUnknown { .. } => Self::new("system", "IoError", FILE),
            Error::Partly { cause, .. } => Self::of(cause),
            Error::Internal(_) => Self::new("system", "InternalError", SYSTEM),
            _ => Self::new("validation", "ValidationError", VALIDATION),
        }
    }
}

fn first_look_at_names(otherwise: &str) -> String {
    format!(
        "If a name in the message is the one that was meant, call again with it. Otherwise: {otherwise}"
    )
}

/// What the user has to say can not be corrected by the agent.
fn is_consent(complaint: &Complaint) -> bool {
    complaint.field == CONSENT
}

/// What to do next; where the client falls short, the way around by name.
fn instruction(error: &Error, class: &Class) -> String {
    match error {
        Error::Unsupported { instead, .. } => format!("Instead, {instead}. {}", class.instruction),
        Error::Arguments(complaints) if complaints.iter().any(is_consent) => VALIDATION.to_owned(),
        Error::Arguments(_) | Error::Expression(_) | Error::PathFormat { .. } => {
            format!("{OWN_MISTAKE} Otherwise: {VALIDATION}")
        }
        _ if error.near().is_some() => first_look_at_names(class.instruction),
        _ => class.instruction.to_owned(),
    }
}

/// Argument errors are counted here and listed in the data; everything else is its own sentence.
fn sentence(error: &Error) -> String {
    match error {
        Error::Arguments(complaints) => {
            format!("Invalid tool arguments: {} validation error(s)", complaints.len())
        }
        other => other.to_string(),
    }
}

fn data(error: &Error) -> Map<String, Value> {
    let mut data = Map::new();
    if let Error::Arguments(complaints) = error {
        let listed = complaints.iter().map(|c| json!({"field": c.field, "message": c.message}));
        data.insert("validation_errors".into(), listed.collect());
    }
    if let Error::PermissionDenied { .. } = error {
        data.insert("code".into(), error.code().into());
    }
    if let Some(hint) = error.hint().filter(|_| error.near().is_none()) {
        data.insert("hint".into(), hint.into());
    }
    data
}
