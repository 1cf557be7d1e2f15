//! How `files` tells a failure: a code, the message that belongs to it, and the details.

use serde_json::{Map, Value, json};

use crate::call::{Answer, Trail};
use crate::error::{Complaint, Error, Manner};
use crate::sandbox::Kind;
use crate::toolsets::Definition;

/// The failure as an answer.
pub fn failure(error: &Error, tool: &Definition, trail: &Trail) -> Answer {
    let code = code(error);
    let path = error.path().unwrap_or_else(|| trail.about());
    let told = json!({"code": code, "message": message(code, error), "details": details(error, tool, path)});
    // Asking whether something is there is answered, too.
    let body = match (tool.name, code) {
        ("info", "not_found") => json!({"exists": false, "path": path, "error": told}),
        _ => json!({"error": told}),
    };
    Answer::failure(body.to_string())
}

fn code(error: &Error) -> &'static str {
    match error.code() {
        "not_allowed" => "permission_denied",
        "internal" | "cancelled" => "io_error",
        "changed" | "unknown_root" => "invalid_parameters",
        same => same,
    }
}

/// The first four are always told in the same words.
fn message(code: &str, error: &Error) -> String {
    match code {
        "path_validation_error" => "Path is outside of the allowed root directory".into(),
        "permission_denied" => "Permission denied to access the specified path".into(),
        "not_found" => "The specified path does not exist".into(),
        "already_exists" => "The file already exists and overwrite is not enabled".into(),
        _ => match error {
            Error::Arguments(complaints) => naming(complaints),
            other => other.to_string(),
        },
    }
}

/// Every complaint names its parameter.
fn naming(complaints: &[Complaint]) -> String {
    let named = complaints.iter().map(|Complaint { field, message }| match message {
        message if message.contains(field.as_str()) => message.clone(),
        message => format!("{field}: {message}"),
    });
    named.collect::<Vec<_>>().join("; ")
}

fn details(error: &Error, tool: &Definition, path: &str) -> Map<String, Value> {
    let mut details = Map::new();
    details.insert("path".into(), path.into());
    details.insert("operation".into(), tool.name.into());
    if let Error::RateLimited { retry_after } = error {
        details.insert("retry_after_seconds".into(), retry_after.as_secs_f64().into());
    }
    if let Some(hint) = hint(error, tool) {
        details.insert("hint".into(), hint.into());
    }
    details
}

/// What to do next, or what the message does not say.
fn hint(error: &Error, tool: &Definition) -> Option<String> {
    match error {
        Error::NullByte { .. } | Error::ToolNotAllowed { .. } => Some(error.to_string()),
        Error::Denied { .. } => Some("the operator hides this path".into()),
        Error::Partly { state, .. } => Some(state.clone()),
        Error::Outside(escape) => Some(why_outside(escape.manner).into()),
        Error::Exists { instead: Some(instead), .. } => Some(instead.clone()),
        Error::Exists { .. } => Some(instead_of_existing(tool.name).into()),
        Error::Halted(_) | Error::TimedOut { .. } => {
            Some("ask for less at once, or have the operator raise --request-timeout".into())
        }
        Error::WrongKind { found, .. } => other_tool(*found, tool.name).map(str::to_owned),
        Error::NotFound { .. } => error.hint().or_else(|| missing_parent(tool.name)),
        other => other.hint(),
    }
}

/// The tool for what is there.
fn other_tool(found: Kind, tool: &str) -> Option<&'static str> {
    match (found, tool) {
        (Kind::Directory, "read") => Some("use list for a directory"),
        (Kind::Directory, "write") => Some("name a file in the directory"),
        (Kind::File, "list") => Some("use read or info for a file"),
        (Kind::File, "search") => Some("name its directory, and the file as file_pattern"),
        _ => None,
    }
}

fn why_outside(manner: Manner) -> &'static str {
    match manner {
        Manner::Traversal => "use a path relative to the server root",
        Manner::Link => "the path leads through a symbolic link out of the server root",
        Manner::Loop => "the path leads through symbolic links that never end",
    }
}

fn missing_parent(tool: &str) -> Option<String> {
    match tool {
        "write" => Some("a parent directory is missing; use make_dirs=true to create it".into()),
        "mkdir" => Some("a parent directory is missing; use recursive=true to create it".into()),
        _ => None,
    }
}

fn instead_of_existing(tool: &str) -> &'static str {
    match tool {
        "write" => "use mode=overwrite to replace it or mode=append to extend it",
        "mkdir" => "something that is not a directory has this name; delete or move it first",
        _ => "use overwrite=true to replace it",
    }
}
