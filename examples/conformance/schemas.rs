//! The fixture tools that are not in the registry, as clients get them.

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

/// Tools without arguments.
const PLAIN: [&str; 22] = [
    "test_audio_content",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_embedded_resource",
    "test_image_content",
    "test_input_required_result_capabilities",
    "test_input_required_result_elicitation",
    "test_input_required_result_list_roots",
    "test_input_required_result_multi_round",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_request_state",
    "test_input_required_result_sampling",
    "test_input_required_result_tampered_state",
    "test_logging_tool",
    "test_missing_capability",
    "test_multiple_content_types",
    "test_reconnection",
    "test_streaming_elicitation",
    "test_tool_with_logging",
    "test_trigger_prompt_change",
    "test_trigger_tool_change",
    "test_trigger_resource_change",
];

pub fn tools() -> Vec<Tool> {
    let plain = PLAIN.map(|name| tool(name, json!({"type": "object", "properties": {}})));
    let mut tools = Vec::from(plain);
    tools.push(tool("test_sampling", one_string("prompt", None)));
    tools.push(tool("test_elicitation", one_string("message", None)));
    tools.push(tool("test_with_header", one_string("region", Some("Region"))));
    tools.push(tool("json_schema_2020_12_tool", rich()));
    tools
}

fn tool(name: &'static str, schema: Value) -> Tool {
    Tool::new(name, format!("Fixture {name}"), object(schema))
}

fn object(value: Value) -> JsonObject {
    value.as_object().cloned().unwrap_or_default()
}

fn one_string(name: &str, header: Option<&str>) -> Value {
    let mut rule = json!({"type": "string"});
    if let Some(header) = header {
        rule["x-mcp-header"] = header.into();
    }
    json!({"type": "object", "properties": {name: rule}, "required": [name]})
}

/// A schema with the words of 2020-12 that a server must not lose.
fn rich() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {
            "properties": {"contactMethod": {"const": "phone"}},
            "required": ["contactMethod"],
        },
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}
