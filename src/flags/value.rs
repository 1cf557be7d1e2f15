//! What a flag can be: a truth, a text, a list of texts, or texts by name.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::Value;

use crate::args::schema::NULL_COUNTS;

/// A flag's value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct FlagValue(Value);

impl FlagValue {
    /// `value`, if it can be a flag's.
    pub fn new(value: Value) -> Option<Self> {
        let fits = match &value {
            Value::Bool(_) | Value::String(_) => true,
            Value::Array(items) => items.iter().all(Value::is_string),
            Value::Object(fields) => fields.values().all(Value::is_string),
            Value::Null | Value::Number(_) => false,
        };
        fits.then_some(Self(value))
    }

    /// A flag as it stands in the file; what a hand wrote there as a number is text.
    pub(super) fn of_yaml(value: &serde_yaml_ng::Value) -> Option<Self> {
        let value: Value = serde_yaml_ng::from_value(value.clone()).ok()?;
        if value.is_null() {
            return None;
        }
        let as_text = value.to_string();
        Some(Self::new(value).unwrap_or(Self(Value::String(as_text))))
    }

    pub(super) fn to_yaml(&self) -> serde_yaml_ng::Value {
        // Text, lists and maps of text have a YAML form.
        serde_yaml_ng::to_value(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for FlagValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl JsonSchema for FlagValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "FlagValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [
            {"type": "boolean"},
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}},
            {"type": "object", "additionalProperties": {"type": "string"}},
        ]})
    }
}

/// As an argument: a flag's value, or `null` to remove the flag.
pub struct Settable;

impl JsonSchema for Settable {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Settable".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = FlagValue::json_schema(generator);
        if let Some(Value::Array(options)) = schema.get_mut("anyOf") {
            options.push(serde_json::json!({"type": "null"}));
        }
        schema.insert(NULL_COUNTS.into(), true.into());
        schema
    }
}
