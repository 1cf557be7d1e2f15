//! Descriptions in labelled sections, generated from the one definition of a tool.
//!
//! An agent that has read nothing but this text can call the tool rightly at the first try.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::args::Schema;
use crate::toolsets::{self, Definition, Tool};

/// A call that shows something.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// What it shows.
    pub shows: &'static str,
    /// Its arguments, as JSON with real values.
    pub arguments: &'static str,
}

/// A tool that explains itself at length.
pub trait Described: Tool {
    /// How it is called in general, as code.
    const USAGE: &'static str;
    /// Calls with real values.
    const EXAMPLES: &'static [Example];
    /// What keeps its use safe.
    const SECURITY: &'static [&'static str];
}

/// The definition of the tool `T`, with its whole description.
pub fn define<T: Described>() -> Definition {
    Definition { describe: description::<T>, ..toolsets::define::<T>() }
}

fn description<T: Described>(input: &Schema) -> String {
    let schema = Value::Object(input.advertised().as_ref().clone());
    let sections = [
        format!("## Description\n\n{}", input.description()),
        format!("## JSON Schema\n\n```json\n{schema}\n```"),
        format!("## Usage Instructions\n\n```text\n{}\n```", T::USAGE),
        format!("## Concrete Examples\n\n{}", examples(T::NAME, T::EXAMPLES)),
        format!("## Arguments\n\n{}", arguments(input.advertised())),
        format!("## Security Notes\n\n{}", bullets(T::SECURITY)),
    ];
    sections.join("\n\n")
}

fn bullets(notes: &[&str]) -> String {
    notes.iter().map(|note| format!("- {note}")).collect::<Vec<_>>().join("\n")
}

fn examples(name: &str, examples: &[Example]) -> String {
    let shown = examples
        .iter()
        .map(|example| format!("{}:\n\n```json\n{}\n```", example.shows, call(name, example)));
    shown.collect::<Vec<_>>().join("\n\n")
}

fn call(name: &str, example: &Example) -> String {
    format!("{{\"name\": \"{name}\", \"arguments\": {}}}", example.arguments)
}

/// The arguments as a list: name, whether it is needed, type, constraints, default, meaning.
pub fn arguments(schema: &Map<String, Value>) -> String {
    let mut list = String::new();
    for (name, rule) in properties(schema) {
        let need = if is_required(schema, name) { "required" } else { "optional" };
        // Writing to a string does not fail.
        let _ = writeln!(list, "- **{name}** ({need}): {}{}", kind(rule), bounds(rule));
        if let Some(meaning) = rule.get("description").and_then(Value::as_str) {
            let _ = writeln!(list, "  - {}", meaning.replace('\n', " "));
        }
        let inner = rule.get("items").unwrap_or(rule);
        if let Some(inner) = inner.as_object().filter(|inner| inner.contains_key("properties")) {
            let _ = writeln!(list, "  - Fields: {}", fields(inner));
        }
    }
    if list.is_empty() { "None.".to_owned() } else { list.trim_end().to_owned() }
}

fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// What is in an object, on one line: the schema above has the words.
fn fields(schema: &Map<String, Value>) -> String {
    let each = properties(schema).map(|(name, rule)| {
        let need = if is_required(schema, name) { " (required)" } else { "" };
        format!("**{name}**{need}: {}{}", kind(rule), bounds(rule))
    });
    each.collect::<Vec<_>>().join("; ")
}

fn is_required(schema: &Map<String, Value>, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|item| item == name))
}

/// The type in words; a choice is listed.
fn kind(rule: &Value) -> String {
    let single = rule.get("const").map(std::slice::from_ref);
    if let Some(choices) = rule.get("enum").and_then(Value::as_array).map(Vec::as_slice).or(single)
    {
        return format!("enum: {}", choices.iter().map(quoted).collect::<Vec<_>>().join(", "));
    }
    if let Some(Value::Array(options)) = rule.get("anyOf") {
        return options.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    match rule.get("type") {
        Some(Value::String(name)) => compound(name, rule),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

fn compound(name: &str, rule: &Value) -> String {
    let inner = match name {
        "array" => rule.get("items"),
        "object" => rule.get("additionalProperties").filter(|inner| inner.is_object()),
        _ => None,
    };
    inner.map_or_else(|| name.to_owned(), |inner| format!("{name} of {}", kind(inner)))
}

fn quoted(choice: &Value) -> String {
    choice.as_str().map_or_else(|| choice.to_string(), |name| format!("'{name}'"))
}

/// Keywords that bound a value, and the words for them.
const BOUNDS: [(&str, &str); 7] = [
    ("minimum", "at least"),
    ("maximum", "at most"),
    ("minLength", "min length"),
    ("maxLength", "max length"),
    ("minItems", "min items"),
    ("maxItems", "max items"),
    ("default", "default"),
];

fn bounds(rule: &Value) -> String {
    let found = BOUNDS.iter().filter_map(|(key, words)| Some((words, rule.get(key)?)));
    found.map(|(words, bound)| format!(", {words} {bound}")).collect()
}
