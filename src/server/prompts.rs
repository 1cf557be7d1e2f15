//! Prompts: the guide's one, on the logic of its tool.

use rmcp::model::{
    CacheScope, GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use super::{Guide, LIST_TTL_MS, Server};
use crate::toolsets::guide::prompts::guide;

/// All prompts.
pub(super) fn list() -> ListPromptsResult {
    let arguments = guide::ARGUMENTS.map(|name| PromptArgument::new(name).with_required(false));
    let prompt = Prompt::new(guide::NAME, Some(guide::DESCRIPTION), Some(arguments.into()));
    ListPromptsResult {
        prompts: vec![prompt],
        ttl_ms: Some(LIST_TTL_MS),
        cache_scope: Some(CacheScope::Public),
        ..ListPromptsResult::default()
    }
}

/// One prompt, filled in.
pub(super) async fn get(
    server: &Server,
    guide: &Guide,
    request: GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResult, ErrorData> {
    if request.name != guide::NAME {
        return Err(ErrorData::invalid_params(format!("unknown prompt: {}", request.name), None));
    }
    let text = match guide::arguments(&request.arguments.unwrap_or_default()) {
        Some(arguments) => {
            let answer = server.call(&guide.get_content, arguments, context).await?;
            guide::displayed(&answer.text)
        }
        None => guide::wordless(),
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}
