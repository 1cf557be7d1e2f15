//! Arguments and expected values, written shortly.

use base64::Engine;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Arguments for a path in root `workspace`.
pub fn ws(path: &str) -> Value {
    at("workspace", path)
}

/// Arguments for a path in a root.
pub fn at(root: &str, path: &str) -> Value {
    json!({"root": root, "path": path})
}

/// Arguments of `copy` and `move` within root `workspace`.
pub fn pair(source: &str, destination: &str) -> Value {
    across("workspace", source, "workspace", destination)
}

/// Arguments of `copy` and `move` between roots.
pub fn across(source_root: &str, source: &str, dest_root: &str, destination: &str) -> Value {
    json!({"source_root": source_root, "source_path": source, "dest_root": dest_root, "dest_path": destination})
}

/// Further arguments.
pub trait And {
    fn and(self, key: &str, value: impl Into<Value>) -> Value;
}

impl And for Value {
    fn and(mut self, key: &str, value: impl Into<Value>) -> Value {
        self[key] = value.into();
        self
    }
}

/// The items of an array.
#[track_caller]
pub fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("an array expected: {value}"))
}

/// One field of each item of an array, as text.
#[track_caller]
pub fn column<'v>(list: &'v Value, field: &str) -> Vec<&'v str> {
    items(list).iter().map(|item| text(&item[field])).collect()
}

/// The text in a value.
#[track_caller]
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a string expected: {value}"))
}

/// The number in a value.
#[track_caller]
pub fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("a number expected: {value}"))
}

/// The bytes that a `read_file` answer stands for.
#[track_caller]
pub fn content(answer: &Value) -> Vec<u8> {
    let content = text(&answer["content"]);
    match answer.get("encoding").and_then(Value::as_str) {
        Some("base64") => {
            base64::engine::general_purpose::STANDARD.decode(content).expect("base64")
        }
        _ => content.as_bytes().to_vec(),
    }
}

/// Whether this is UTC to the second, `2026-01-02T03:04:05Z`.
pub fn is_timestamp(value: &Value) -> bool {
    let Some(stamp) = value.as_str() else { return false };
    let shape: String = stamp.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00T00:00:00Z"
}

/// A diff that replaces one line.
pub fn replace_line(number: usize, old: &str, new: &str) -> String {
    format!("--- a/f\n+++ b/f\n@@ -{number},1 +{number},1 @@\n-{old}\n+{new}\n")
}

/// Lines `line 1` to `line n`, each ended.
pub fn numbered_lines(n: usize) -> String {
    (1..=n).map(|i| format!("line {i}\n")).collect()
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Say which entries differ, not the whole trees.
#[track_caller]
pub fn assert_same_tree(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) {
    if before == after {
        return;
    }
    let gone: Vec<_> = before.iter().filter(|(k, v)| after.get(*k) != Some(v)).map(short).collect();
    let new: Vec<_> = after.iter().filter(|(k, v)| before.get(*k) != Some(v)).map(short).collect();
    panic!("the disk changed\n  before: {gone:?}\n  after: {new:?}");
}

fn short((name, what): (&String, &String)) -> String {
    format!("{name}: {}", what.chars().take(80).collect::<String>())
}

/// Whether `actual` has all that `expected` has; arrays have to have the same length.
pub fn has(actual: &Value, expected: &Value) -> bool {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => expected
            .iter()
            .all(|(key, value)| actual.get(key).is_some_and(|actual| has(actual, value))),
        (Value::Array(actual), Value::Array(expected)) => {
            actual.len() == expected.len()
                && actual.iter().zip(expected).all(|(actual, expected)| has(actual, expected))
        }
        (actual, expected) => actual == expected,
    }
}
