//! The prompts of the suite.

use rmcp::ErrorData;
use rmcp::model::{
    ContentBlock, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage,
    ResourceContents, Role,
};
use serde_json::Value;

use crate::content::PNG;

pub fn all() -> Vec<Prompt> {
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt("test_input_required_result_prompt", &[]),
    ]
}

fn prompt(name: &str, arguments: &[&str]) -> Prompt {
    let arguments: Vec<_> =
        arguments.iter().map(|name| PromptArgument::new(*name).with_required(true)).collect();
    Prompt::new(name, Some(format!("Fixture {name}")), Some(arguments))
}

/// The prompt `name`, filled in.
pub fn get(name: &str, arguments: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    let text = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default();
    let blocks = match name {
        "test_simple_prompt" => {
            vec![ContentBlock::text("This is a simple prompt for testing.")]
        }
        "test_prompt_with_arguments" => vec![ContentBlock::text(format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            text("arg1"),
            text("arg2")
        ))],
        "test_prompt_with_embedded_resource" => vec![
            embedded(text("resourceUri")),
            ContentBlock::text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![
            ContentBlock::image(PNG, "image/png"),
            ContentBlock::text("Please analyze the image above."),
        ],
        _ => return Err(ErrorData::invalid_params(format!("unknown prompt: {name}"), None)),
    };
    let messages = blocks.into_iter().map(|block| PromptMessage::new(Role::User, block));
    Ok(GetPromptResult::new(messages.collect()))
}

fn embedded(uri: &str) -> ContentBlock {
    let text = "Embedded resource content for testing.";
    ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type("text/plain"))
}
