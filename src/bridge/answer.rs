//! What the agent's words mean: content, a listing, or a reason why not.

use serde_json::{Map, Value};

use super::{Reply, Said};
use crate::error::Error;

/// The reply of an agent that pushed what was wanted.
const PUSHED: &str = "CACHED";
/// The keys of an answer that carries content.
const CONTENT_KEYS: [&str; 7] =
    ["path", "content", "encoding", "mtime", "size", "binary", "content_hash"];
/// The keys of an answer that tells of a failure.
const ERROR_KEYS: [&str; 6] = ["error", "error_type", "message", "path", "success", "code"];

/// A file as the agent answered it.
#[derive(Debug)]
pub enum FileAnswer {
    /// Arguments as for a push, without a path when it is the one that was asked for.
    Given(Map<String, Value>),
    /// Bare text.
    Text(String),
    /// The agent could not read the file in the encoding it was asked for.
    Undecodable(String),
}

/// Understand a reply to a request for a file.
pub fn file_answer(reply: &Reply, path: &str, push_tool: &str) -> Result<FileAnswer, Error> {
    let text = match &reply.said {
        Said::Text(text) => text,
        Said::ToolUse { name, arguments } if name == push_tool => {
            return Ok(FileAnswer::Given(arguments.clone()));
        }
        other => return Err(useless(other, path)),
    };
    match envelope(text) {
        Some(Value::Object(object)) if tells(&object, "error", &ERROR_KEYS) => {
            let why = reason(&object);
            if kind(&object).contains("encod") {
                return Ok(FileAnswer::Undecodable(why));
            }
            Err(failure(&kind(&object), &why, path, "file"))
        }
        Some(Value::Object(object)) if tells(&object, "content", &CONTENT_KEYS) => {
            Ok(FileAnswer::Given(object))
        }
        _ if is_pushed(text) => Err(nothing_pushed(path)),
        _ => Ok(FileAnswer::Text(text.clone())),
    }
}

/// Understand a reply to a request for a directory: its entries, as JSON.
pub fn listing_answer(reply: &Reply, path: &str, push_tool: &str) -> Result<Vec<Value>, Error> {
    let said = match &reply.said {
        Said::Text(text) if is_pushed(text) => return Err(nothing_pushed(path)),
        Said::Text(text) => envelope(text),
        Said::ToolUse { name, arguments } if name == push_tool => {
            Some(Value::Object(arguments.clone()))
        }
        other => return Err(useless(other, path)),
    };
    match said {
        Some(Value::Array(entries)) => Ok(entries),
        Some(Value::Object(object)) if object.contains_key("error") => {
            Err(failure(&kind(&object), &reason(&object), path, "directory"))
        }
        Some(Value::Object(mut object)) => {
            let entries = ["entries", "files"].iter().find_map(|key| object.remove(*key));
            match entries {
                Some(Value::Array(entries)) => Ok(entries),
                _ => Err(bad(path, "expected a list of entries")),
            }
        }
        _ => Err(bad(path, "expected a list of entries in JSON")),
    }
}

fn bad(path: &str, reason: &str) -> Error {
    Error::BadAnswer { path: path.to_owned(), reason: reason.to_owned() }
}

fn nothing_pushed(path: &str) -> Error {
    bad(path, "it says that it pushed the content, but nothing has arrived")
}

fn useless(said: &Said, path: &str) -> Error {
    match said {
        Said::ToolUse { name, .. } => bad(path, &format!("it called the tool {name}")),
        Said::Failed(why) => failure("", why, path, "file"),
        Said::TooLate { seconds } => Error::NoAnswer { path: path.to_owned(), seconds: *seconds },
        Said::Pushed | Said::Text(_) => nothing_pushed(path),
    }
}

fn is_pushed(text: &str) -> bool {
    text.trim().trim_end_matches('.').eq_ignore_ascii_case(PUSHED)
}

/// The JSON in a text that is nothing else, be it in a code fence.
fn envelope(text: &str) -> Option<Value> {
    let text = text.trim();
    let fenced = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    let bare = fenced.map_or(text, |inner| inner.trim_start_matches("json"));
    serde_json::from_str(bare.trim()).ok()
}

/// Whether the object is meant as an answer of this kind: a JSON file may look similar, but has other keys too.
fn tells(object: &Map<String, Value>, key: &str, known: &[&str]) -> bool {
    let is_said = object.get(key).is_some_and(|value| value.is_string() || value.is_object());
    is_said && object.keys().all(|key| known.contains(&key.as_str()))
}

/// The kind of failure, wherever the agent put it.
fn kind(object: &Map<String, Value>) -> String {
    let inner = object.get("error").and_then(Value::as_object);
    let places = [object.get("error_type"), object.get("code"), inner.and_then(|e| e.get("code"))];
    let named = places.into_iter().flatten().find_map(Value::as_str);
    named.or(object.get("error").and_then(Value::as_str)).unwrap_or_default().to_lowercase()
}

fn reason(object: &Map<String, Value>) -> String {
    let inner = object.get("error").and_then(Value::as_object);
    let places = [object.get("message"), inner.and_then(|e| e.get("message")), object.get("error")];
    places.into_iter().flatten().find_map(Value::as_str).unwrap_or_default().to_owned()
}

/// The failure that the agent's words mean.
fn failure(kind: &str, why: &str, path: &str, noun: &'static str) -> Error {
    let words = format!("{kind} {why}").to_lowercase().replace('_', " ");
    let says = |some: &[&str]| some.iter().any(|word| words.contains(word));
    let path = path.to_owned();
    if says(&["permission", "denied", "eacces", "not permitted"]) {
        return Error::PermissionDenied { path };
    }
    if says(&["not found", "no such", "does not exist", "enoent", "not exist"]) {
        return Error::NotFound { noun, path, near: Vec::new(), blocked_by: None };
    }
    Error::BadAnswer { path, reason: format!("it could not answer: {}", short(why)) }
}

/// The agent's own words, but not many of them.
fn short(words: &str) -> String {
    words.chars().filter(|c| !c.is_control()).take(200).collect()
}
