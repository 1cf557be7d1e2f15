//! The reference: Markdown out of the definitions of the tools.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::toolsets::{Definition, Registry};

/// One line per tool: name, what it does, whether it changes anything.
pub fn table(registry: &Registry) -> String {
    let mut page = String::from("| tool | does | changes files |\n|---|---|---|\n");
    for tool in registry.tools() {
        let first = tool.definition.input.description().split(". ").next().unwrap_or_default();
        let first = first.lines().next().unwrap_or_default().trim_end_matches('.');
        let changes = yes(!tool.definition.effect.is_read_only());
        // Writing to a string does not fail.
        let _ = writeln!(page, "| `{}` | {first} | {changes} |", tool.name);
    }
    page
}

/// The reference of these tools.
pub fn markdown(registry: &Registry) -> String {
    let mut page = String::new();
    let mut current = None;
    for tool in registry.tools() {
        if current != Some(tool.toolset) {
            current = Some(tool.toolset);
            let _ = writeln!(page, "## Toolset `{}`", tool.toolset.name());
        }
        section(&mut page, &tool.name, &tool.definition);
    }
    page
}

fn section(page: &mut String, name: &str, definition: &Definition) {
    let effect = &definition.effect;
    let _ = write!(page, "\n### `{name}`\n\n{}\n\n", definition.input.description());
    let _ = writeln!(
        page,
        "Read-only: {}. Destructive: {}. Idempotent: {}.\n",
        yes(effect.is_read_only()),
        yes(effect.is_destructive()),
        yes(effect.is_idempotent())
    );
    arguments(page, definition.input.advertised());
    answer(page, definition.output.advertised());
}

fn yes(fact: bool) -> &'static str {
    if fact { "yes" } else { "no" }
}

fn arguments(page: &mut String, schema: &Map<String, Value>) {
    let Some(properties) =
        schema.get("properties").and_then(Value::as_object).filter(|p| !p.is_empty())
    else {
        page.push_str("No arguments.\n\n");
        return;
    };
    page.push_str("| argument | type | default | meaning |\n|---|---|---|---|\n");
    for (name, rule) in properties {
        let default = match rule.get("default") {
            Some(default) => format!("`{default}`"),
            None if is_required(schema, name) => "required".to_owned(),
            None => String::new(),
        };
        let _ =
            writeln!(page, "| `{name}` | {} | {default} | {} |", type_name(rule), meaning(rule));
    }
    page.push('\n');
}

fn answer(page: &mut String, schema: &Map<String, Value>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    page.push_str("| answer | type | meaning |\n|---|---|---|\n");
    for (name, rule) in properties {
        let _ = writeln!(page, "| `{name}` | {} | {} |", type_name(rule), meaning(rule));
        let inner =
            rule.pointer("/items/properties").or(rule.get("properties")).and_then(Value::as_object);
        for (inner_name, rule) in inner.into_iter().flatten() {
            let _ = writeln!(
                page,
                "| `{name}.{inner_name}` | {} | {} |",
                type_name(rule),
                meaning(rule)
            );
        }
    }
}

fn is_required(schema: &Map<String, Value>, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|item| item == name))
}

fn type_name(rule: &Value) -> String {
    if let Some(options) = rule.get("enum").and_then(Value::as_array) {
        let options: Vec<String> = options.iter().map(|option| format!("`{option}`")).collect();
        return options.join(" ");
    }
    rule.get("type").and_then(Value::as_str).unwrap_or("any").to_owned()
}

fn meaning(rule: &Value) -> String {
    rule.get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .replace('\n', " ")
        .replace('|', "\\|")
}
