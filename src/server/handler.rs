//! Every request of the protocol, and who answers it. What is not declared is not answered.

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, CustomRequest, CustomResult, GetPromptRequestMethod,
    GetPromptRequestParams, GetPromptResponse, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptsCapability,
    ReadResourceRequestMethod, ReadResourceRequestParams, ReadResourceResponse,
    ResourcesCapability, ServerCapabilities, ServerConfig, SubscribeRequestMethod,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestMethod,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::caller::Caller;
use super::{
    LIST_TTL_MS, Server, complete, follow, into_result, malformed, prepared, principal_of, prompts,
    resources, sampling, unknown_tool,
};
use crate::call::{Call, Turn};

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        if self.guide.is_some() {
            capabilities.prompts = Some(PromptsCapability::default());
            capabilities.resources = Some(ResourcesCapability::default());
        }
        if self.has_files() {
            let resources = capabilities.resources.get_or_insert_default();
            resources.subscribe = Some(true);
            resources.list_changed = Some(true);
        }
        if self.has_resources() {
            capabilities.completions = Some(Default::default());
        }
        let config = ServerConfig::new(capabilities).with_server_info(self.identity.clone());
        match self.instructions {
            Some(instructions) => config.with_instructions(instructions),
            None => config,
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let principal = principal_of(&context);
        // What depends on who asks is not for a shared cache.
        let scope = if principal.is_known() { CacheScope::Private } else { CacheScope::Public };
        Ok(ListToolsResult {
            tools: self.tools_of(&principal),
            ttl_ms: Some(LIST_TTL_MS),
            cache_scope: Some(scope),
            ..ListToolsResult::default()
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.service.registry.get(&request.name).is_none() {
            return Err(unknown_tool(&self.service.registry, &request.name));
        }
        let returned = sampling::returned(&request);
        let arguments = request.arguments.unwrap_or_default();
        let channel = sampling::channel_of(&context, &self.tools);
        let call = prepared(&request.name, arguments, &context);
        match self.turn(Call { channel, returned, ..call }).await? {
            Turn::Done(answer) => Ok(into_result(answer).into()),
            Turn::Asks(asking) => {
                Ok(sampling::input_required(asking, &context, &self.tools).into())
            }
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let guide = self.guide.as_ref();
        guide.map(|_| prompts::list()).ok_or_else(not_declared::<ListPromptsRequestMethod>)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let guide = self.guide.as_ref().ok_or_else(not_declared::<GetPromptRequestMethod>)?;
        prompts::get(self, guide, request, &context).await.map(Into::into)
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if !self.has_resources() {
            return Err(not_declared::<ListResourcesRequestMethod>());
        }
        resources::list(self, page, &context).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        if !self.has_resources() {
            return Err(not_declared::<ListResourceTemplatesRequestMethod>());
        }
        Ok(resources::templates(self))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if !self.has_resources() {
            return Err(not_declared::<ReadResourceRequestMethod>());
        }
        resources::read(self, request, &context).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        if !self.has_resources() {
            return Err(not_declared::<CompleteRequestMethod>());
        }
        let found = complete::complete(self, &request, &Caller::of(&context)).await;
        Ok(CompleteResult::new(found))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.has_files() {
            return Err(not_declared::<SubscribeRequestMethod>());
        }
        self.subscribers.follow(self, &request.uri, &context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.has_files() {
            return Err(not_declared::<UnsubscribeRequestMethod>());
        }
        self.subscribers.leave(&request.uri, &context);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = self.has_files().then(|| requested.clone())?;
        if let Some(addresses) = &mut accepted.resource_subscriptions {
            addresses.truncate(MAX_FOLLOWED);
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        Box::pin(follow::listen(self, &context)).await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(malformed::answer(&request, |method| self.declares(method)))
    }
}

impl Server {
    /// Whether clients were told that `method` can be asked for.
    fn declares(&self, method: &str) -> bool {
        match method.split('/').next() {
            Some("tools") => true,
            Some("prompts") => self.guide.is_some(),
            Some("resources" | "completion") => self.has_resources(),
            _ => false,
        }
    }
}

/// Resources that one listener may follow: each may cost a watch of the kernel's. The acknowledgement tells which.
const MAX_FOLLOWED: usize = 1_000;

fn not_declared<M: rmcp::model::ConstString>() -> ErrorData {
    ErrorData::method_not_found::<M>()
}
