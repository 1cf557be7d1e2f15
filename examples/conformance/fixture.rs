//! The product's server with the fixtures around it: what they do not know, the server answers.
#![expect(deprecated, reason = "the suite asks for what the older era had")]

use std::sync::Arc;

use mcp_filesystem::server::Server;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
    CompleteResult, CompletionInfo, ContentBlock, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Role, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::asking::{Asker, Brought, Turn};
use crate::listeners::Listeners;
use crate::{content, legacy, prompts, resources, schemas};

type Context = RequestContext<RoleServer>;
type Page = Option<PaginatedRequestParams>;

/// The server under test.
#[derive(Clone)]
pub struct Fixture {
    server: Server,
    tools: Arc<Vec<Tool>>,
    asker: Arc<Option<Asker>>,
    listeners: Listeners,
}

impl Fixture {
    pub fn around(server: Server) -> Self {
        Self {
            server,
            tools: Arc::new(schemas::tools()),
            asker: Arc::new(Asker::new().ok()),
            listeners: Listeners::default(),
        }
    }

    fn turn(&self, name: &str, brought: &Brought) -> Option<Result<Turn, ErrorData>> {
        self.asker.as_ref().as_ref()?.turn(name, brought)
    }

    /// The answer of a fixture; `None` leaves the call to the server.
    async fn answer(
        &self,
        request: &CallToolRequestParams,
        context: &Context,
    ) -> Option<Result<CallToolResponse, ErrorData>> {
        let name = request.name.as_ref();
        if name.starts_with("test_trigger_") {
            self.listeners.tell(name).await;
            return Some(Ok(text("changed").into()));
        }
        if let Some(answer) = content::answer(name) {
            return Some(Ok(answer.into()));
        }
        let responses = request.input_responses.clone().unwrap_or_default();
        let brought = Brought {
            responses: &responses,
            state: request.request_state.as_deref(),
            capabilities: context.client_capabilities().unwrap_or_default(),
        };
        match self.turn(name, &brought) {
            Some(Ok(Turn::Done(said))) => return Some(Ok(text(&said).into())),
            Some(Ok(Turn::Ask(asking))) => return Some(Ok(asking.into())),
            Some(Err(error)) => return Some(Err(error)),
            None => {}
        }
        let arguments = request.arguments.clone().unwrap_or_default();
        Some(legacy::answer(name, &arguments, context).await?.map(Into::into))
    }
}

fn text(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn prompt_of(said: String) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, said)])
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_logging()
            .build();
        let mut info = self.server.get_info();
        info.capabilities = capabilities;
        info
    }

    async fn list_tools(&self, page: Page, cx: Context) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.server.list_tools(page, cx).await?;
        list.tools.extend(self.tools.iter().cloned());
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let own = self.tools.iter().find(|tool| tool.name == name).cloned();
        own.or_else(|| self.server.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.answer(&request, &context).await {
            Some(answer) => answer,
            None => self.server.call_tool(request, context).await,
        }
    }

    async fn list_prompts(&self, _: Page, _: Context) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult {
            prompts: prompts::all(),
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Public),
            ..ListPromptsResult::default()
        })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let responses = request.input_responses.clone().unwrap_or_default();
        let brought = Brought {
            responses: &responses,
            state: request.request_state.as_deref(),
            capabilities: context.client_capabilities().unwrap_or_default(),
        };
        match self.turn(&request.name, &brought) {
            Some(Ok(Turn::Done(said))) => Ok(prompt_of(said).into()),
            Some(Ok(Turn::Ask(asking))) => Ok(asking.into()),
            Some(Err(error)) => Err(error),
            None => {
                let arguments: JsonObject = request.arguments.unwrap_or_default();
                prompts::get(&request.name, &arguments).map(Into::into)
            }
        }
    }

    async fn list_resources(
        &self,
        page: Page,
        cx: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = self.server.list_resources(page, cx).await?;
        list.resources.extend(resources::all());
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        page: Page,
        cx: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = self.server.list_resource_templates(page, cx).await?;
        list.resource_templates.extend(resources::templates());
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match resources::read(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => self.server.read_resource(request, cx).await,
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let words = ["paris", "park", "party"].map(str::to_owned);
        let begun = words.into_iter().filter(|word| word.starts_with(&request.argument.value));
        let info = CompletionInfo::with_all_values(begun.collect())
            .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.listeners.hold(context).await;
        Ok(())
    }
}
