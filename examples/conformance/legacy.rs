//! Tools that ask or tell the client something on the way, as servers did before the stateless era.
#![expect(deprecated, reason = "the suite asks for what the older era had")]

use std::time::Duration;

use rmcp::model::{
    CallToolResult, ClientCapabilities, ClientResult, ContentBlock, JsonObject, LoggingLevel,
    LoggingMessageNotificationParam, SamplingCapability, ServerRequest,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

type Context = RequestContext<RoleServer>;

/// The answer of the tool `name`, if it is one of these.
pub async fn answer(
    name: &str,
    arguments: &JsonObject,
    context: &Context,
) -> Option<Result<CallToolResult, ErrorData>> {
    let text = |key: &str| arguments.get(key).cloned().unwrap_or_default();
    Some(match name {
        "test_sampling" => asked(context, "LLM response", sampling(&text("prompt"))).await,
        "test_elicitation" => {
            asked(context, "User response", elicitation(&text("message"), who())).await
        }
        "test_elicitation_sep1034_defaults" => {
            let question = elicitation(&"Please fill this in".into(), defaults());
            asked(context, "Elicitation completed", question).await
        }
        "test_elicitation_sep1330_enums" => {
            let question = elicitation(&"Please choose".into(), choices());
            asked(context, "Elicitation completed", question).await
        }
        "test_tool_with_logging" | "test_logging_tool" => Ok(logged(context).await),
        "test_missing_capability" => needs_sampling(context),
        _ => return None,
    })
}

/// Put a question to the client and tell what it said.
async fn asked(
    context: &Context,
    what: &str,
    question: Value,
) -> Result<CallToolResult, ErrorData> {
    let request: ServerRequest = serde_json::from_value(question)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(match context.peer.send_request(request).await {
        Ok(response) => CallToolResult::success(vec![ContentBlock::text(told(what, &response))]),
        Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
    })
}

fn told(what: &str, response: &ClientResult) -> String {
    let response = serde_json::to_value(response).unwrap_or_default();
    match (response.pointer("/content/text"), response.get("action")) {
        (Some(text), _) => format!("{what}: {}", text.as_str().unwrap_or_default()),
        (_, Some(action)) => format!(
            "{what}: action={}, content={}",
            action.as_str().unwrap_or_default(),
            response.get("content").unwrap_or(&Value::Null)
        ),
        _ => format!("{what}: {response}"),
    }
}

/// Three messages, if the client may be told: a stateless client says so with each request.
async fn logged(context: &Context) -> CallToolResult {
    let stateless = context.protocol_version().is_some_and(|version| !version.has_initialize());
    let wanted = !stateless || context.meta.log_level().is_some();
    for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        if wanted {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text));
            // A client that went away is told nothing.
            let _ = context.peer.notify_logging_message(message).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    CallToolResult::success(vec![ContentBlock::text("done")])
}

fn needs_sampling(context: &Context) -> Result<CallToolResult, ErrorData> {
    let declared = context.client_capabilities().unwrap_or_default();
    if declared.sampling.is_none() {
        let mut required = ClientCapabilities::default();
        required.sampling = Some(SamplingCapability::default());
        return Err(ErrorData::missing_required_client_capability(required));
    }
    Ok(CallToolResult::success(vec![ContentBlock::text("the client can sample")]))
}

fn sampling(prompt: &Value) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
    json!({
        "method": "sampling/createMessage",
        "params": {"messages": [message], "maxTokens": 100},
    })
}

fn elicitation(message: &Value, schema: Value) -> Value {
    json!({
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema},
    })
}

fn who() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        },
        "required": ["username", "email"],
    })
}

fn defaults() -> Value {
    let status = json!(["active", "inactive", "pending"]);
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Name", "default": "John Doe"},
            "age": {"type": "integer", "description": "Age", "default": 30},
            "score": {"type": "number", "description": "Score", "default": 95.5},
            "status": {"type": "string", "enum": status, "default": "active"},
            "verified": {"type": "boolean", "description": "Verified", "default": true},
        },
        "required": [],
    })
}

fn choices() -> Value {
    let titled = |word: &str| {
        json!([
            {"const": "value1", "title": format!("First {word}")},
            {"const": "value2", "title": format!("Second {word}")},
            {"const": "value3", "title": format!("Third {word}")},
        ])
    };
    let options = json!(["option1", "option2", "option3"]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
        },
        "required": [],
    })
}
