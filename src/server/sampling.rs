//! Questions to the agent in the words of the protocol: as a request of ours, or inside an answer.
#![expect(
    deprecated,
    reason = "clients of both eras still sample; there is no other way to ask an agent"
)]

use std::sync::Arc;

use futures::FutureExt;
use rmcp::model::{
    CallToolRequestParams, ClientResult, CreateMessageRequest, CreateMessageRequestParams,
    CreateMessageResult, InputRequest, InputRequests, InputRequiredResult, SamplingCapability,
    SamplingMessage, SamplingMessageContentBlock, ServerRequest, Tool,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, ServiceError};

use super::asking::{ask, takes_requests};
use crate::bridge::{Ask, Channel, Question, Said};
use crate::call::{Asking, Returned};
use crate::limits::SAMPLING_TOKENS;

/// The key of the one question in an answer.
const KEY: &str = "answer";

/// How this client can be asked. A request of ours must never be written to a client of the stateless era.
pub(super) fn channel_of(context: &RequestContext<RoleServer>, tools: &Arc<Vec<Tool>>) -> Channel {
    let Some(sampling) = sampling_of(context) else { return Channel::Closed };
    if !takes_requests(context) {
        return Channel::Repeating;
    }
    let (peer, tools) = (context.peer.clone(), offered(&sampling, tools));
    let ask: Ask =
        Arc::new(move |question| request(peer.clone(), parameters(question, &tools)).boxed());
    Channel::Waiting(ask)
}

/// The question as an answer of the stateless era.
pub(super) fn input_required(
    asking: Asking,
    context: &RequestContext<RoleServer>,
    tools: &Arc<Vec<Tool>>,
) -> InputRequiredResult {
    let tools = sampling_of(context).map_or_else(Default::default, |s| offered(&s, tools));
    let request = CreateMessageRequest::new(parameters(&asking.question, &tools));
    let requests = InputRequests::from([(KEY.to_owned(), InputRequest::CreateMessage(request))]);
    InputRequiredResult::new(Some(requests), Some(asking.state))
}

/// What the client brings back from such an answer.
pub(super) fn returned(request: &CallToolRequestParams) -> Option<Returned> {
    let state = request.request_state.clone()?;
    let response = request.input_responses.as_ref().and_then(|responses| responses.get(KEY));
    let said = response.map(|response| match serde_json::from_value(response.clone()) {
        Ok(result) => said(result),
        Err(error) => Said::Failed(format!("it is not a sampling result: {error}")),
    });
    Some(Returned { state, said })
}

fn sampling_of(context: &RequestContext<RoleServer>) -> Option<SamplingCapability> {
    context.client_capabilities().and_then(|capabilities| capabilities.sampling)
}

/// The tools that may be offered: none unless the client's agent can call tools in its answers.
fn offered(sampling: &SamplingCapability, tools: &Arc<Vec<Tool>>) -> Arc<Vec<Tool>> {
    if sampling.tools.is_some() { tools.clone() } else { Arc::default() }
}

fn parameters(question: &Question, tools: &[Tool]) -> CreateMessageRequestParams {
    let message = SamplingMessage::user_text(question.text.clone());
    let parameters = CreateMessageRequestParams::new(vec![message], SAMPLING_TOKENS);
    let push: Vec<Tool> =
        tools.iter().filter(|tool| tool.name == question.push_tool).cloned().collect();
    if push.is_empty() { parameters } else { parameters.with_tools(push) }
}

async fn request(peer: Peer<RoleServer>, parameters: CreateMessageRequestParams) -> Said {
    let request = ServerRequest::CreateMessageRequest(CreateMessageRequest::new(parameters));
    match ask(&peer, request).await {
        Ok(ClientResult::CreateMessageResult(result)) => said(*result),
        Ok(_) => failed(&ServiceError::UnexpectedResponse),
        Err(error) => failed(&error),
    }
}

fn failed(error: &ServiceError) -> Said {
    match error {
        ServiceError::McpError(error) => Said::Failed(error.message.to_string()),
        other => Said::Failed(other.to_string()),
    }
}

/// The words of a result, or the tool that it calls.
fn said(result: CreateMessageResult) -> Said {
    let mut text = String::new();
    for block in result.message.content.into_vec() {
        match block {
            SamplingMessageContentBlock::Text(words) => text.push_str(&words.text),
            SamplingMessageContentBlock::ToolUse(call) => {
                return Said::ToolUse { name: call.name, arguments: call.input };
            }
            _ => {}
        }
    }
    Said::Text(text)
}
