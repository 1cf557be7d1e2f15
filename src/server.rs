//! The MCP face: our table of tools behind the protocol, in both of its eras.

mod address;
mod caller;
mod complete;
mod files;
mod follow;
mod handler;
mod malformed;
mod prompts;
mod resources;
mod sampling;
mod subscribers;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::extract::ConnectInfo;
use rmcp::model::{
    CallToolResult, ContentBlock, Implementation, ProgressNotificationParam, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use crate::args::Arguments;
use crate::bridge::Channel;
use crate::call::{Answer, Call, Service, Turn};
use crate::control::Progress;
use crate::limits::PROGRESS_INTERVAL;
use crate::ops::near::{near, question};
use crate::policy::{Policy, Principal};
use crate::settings::Annotations;
use crate::toolsets::files as files_toolset;
use crate::toolsets::{Registered, Registry, Toolset};
use subscribers::Subscribers;

/// How long clients may keep the list of tools: it is fixed while the process runs.
const LIST_TTL_MS: u64 = 3_600_000;

/// The server as the protocol library sees it. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    service: Arc<Service>,
    tools: Arc<Vec<Tool>>,
    identity: Implementation,
    instructions: Option<&'static str>,
    guide: Option<Guide>,
    subscribers: Subscribers,
}

/// What prompts and resources stand on, where the guide is served.
#[derive(Clone)]
struct Guide {
    /// The name of the tool that gives content.
    get_content: String,
}

impl Server {
    /// Serve this service.
    pub fn new(service: Arc<Service>, annotations: Annotations) -> Self {
        let anyone = Principal::anyone();
        let listed = service.registry.tools().iter();
        let listed = listed.filter(|tool| is_listed(&service.policy, tool, &anyone));
        let tools = listed.map(|tool| advertise(tool, annotations)).collect();
        let first = service.registry.tools().first().map_or(Toolset::Roots, |tool| tool.toolset);
        let content = service.registry.name_of(Toolset::Guide, "get_content");
        let guide = content.map(|name| Guide { get_content: name.to_owned() });
        let instructions = (first == Toolset::Files).then_some(files_toolset::INSTRUCTIONS);
        Self {
            tools: Arc::new(tools),
            identity: identity(first),
            instructions,
            guide,
            subscribers: Subscribers::default(),
            service,
        }
    }

    /// Call a tool that asks nothing back.
    async fn call(
        &self,
        tool: &str,
        arguments: Arguments,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, ErrorData> {
        match self.turn(prepared(tool, arguments, context)).await? {
            Turn::Done(answer) => Ok(answer),
            Turn::Asks(_) => Err(ErrorData::internal_error(format!("{tool} asked back"), None)),
        }
    }

    async fn turn(&self, call: Call) -> Result<Turn, ErrorData> {
        let name = call.tool.clone();
        self.service.call(call).await.ok_or_else(|| unknown_tool(&self.service.registry, &name))
    }

    fn has_resources(&self) -> bool {
        self.guide.is_some() || self.has_files()
    }

    /// The tools as clients get them.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Calls that run at this moment.
    pub fn running_calls(&self) -> usize {
        self.service.running()
    }

    fn tools_of(&self, principal: &Principal) -> Vec<Tool> {
        let theirs = |tool: &&Tool| {
            let registered = self.service.registry.get(&tool.name);
            registered.is_some_and(|tool| is_listed(&self.service.policy, tool, principal))
        };
        self.tools.iter().filter(theirs).cloned().collect()
    }
}

/// A call for this client, who can not be asked back.
fn prepared(tool: &str, arguments: Arguments, context: &RequestContext<RoleServer>) -> Call {
    Call {
        tool: tool.to_owned(),
        arguments,
        client: client_of(context),
        principal: principal_of(context),
        caller: caller_of(context),
        cancelled: context.ct.clone(),
        progress: progress_of(context),
        channel: Channel::Closed,
        returned: None,
    }
}

/// A tool that nothing allows to the caller is not listed.
pub fn is_listed(policy: &Policy, tool: &Registered, principal: &Principal) -> bool {
    let definition = &tool.definition;
    match (tool.toolset, &definition.home) {
        (Toolset::Roots, _) => {
            definition.roots.is_empty() || policy.allows_somewhere(definition.name, principal)
        }
        (_, Some(home)) => {
            policy.admit_home(principal, definition.name, home.grants, home.access).is_ok()
        }
        (_, None) => policy.admit_caller(principal, definition.name, &[]).is_ok(),
    }
}

/// A tool as clients get it.
pub fn advertise(tool: &Registered, annotations: Annotations) -> Tool {
    let definition = &tool.definition;
    // Only `roots` may keep quiet about what its tools can destroy.
    let honest = annotations == Annotations::Honest || tool.toolset != Toolset::Roots;
    let destructive = honest && definition.effect.is_destructive();
    let hints = ToolAnnotations::new()
        .read_only(definition.effect.is_read_only())
        .destructive(destructive)
        .idempotent(definition.effect.is_idempotent())
        .open_world(false);
    let mut advertised = Tool::new(
        tool.name.clone(),
        (definition.describe)(&definition.input),
        definition.input.advertised().clone(),
    )
    .with_annotations(hints);
    advertised.output_schema = Some(match tool.toolset {
        // Its answers are deep and have one envelope: the pages have the words.
        Toolset::Guide => definition.output.outline(),
        Toolset::Roots | Toolset::Files => definition.output.advertised().clone(),
    });
    advertised
}

/// Who we say we are: the first toolset decides.
fn identity(first: Toolset) -> Implementation {
    match first {
        Toolset::Roots => Implementation::new("mcp-filesystem", env!("CARGO_PKG_VERSION")),
        Toolset::Files => Implementation::new("filesystem-server", "0.1.0")
            .with_description(files_toolset::DESCRIPTION),
        Toolset::Guide => Implementation::new("mcp-guide", env!("CARGO_PKG_VERSION")),
    }
}

fn unknown_tool(registry: &Registry, name: &str) -> ErrorData {
    let decorated = |tool: &&Registered| tool.definition.name == name;
    let names = || registry.tools().iter().map(|tool| tool.name.as_str());
    let near = match registry.tools().iter().find(decorated) {
        Some(tool) => vec![tool.name.clone()],
        None => near(name, names()),
    };
    let hint = question(&near)
        .unwrap_or_else(|| format!("known tools: {}", names().collect::<Vec<_>>().join(", ")));
    ErrorData::invalid_params(format!("unknown tool: {name}; {hint}"), None)
}

fn into_result(answer: Answer) -> CallToolResult {
    let content = vec![ContentBlock::text(answer.text)];
    let mut result = if answer.is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = answer.structured;
    result
}

/// On whose behalf the client calls: the guard of the HTTP transport knows, a client that started us needs no name.
fn principal_of(context: &RequestContext<RoleServer>) -> Arc<Principal> {
    match context.extensions.get::<http::request::Parts>() {
        None => Arc::new(Principal::anyone()),
        Some(parts) => parts
            .extensions
            .get::<Arc<Principal>>()
            .cloned()
            .unwrap_or_else(|| Arc::new(Principal::nobody())),
    }
}

fn client_of(context: &RequestContext<RoleServer>) -> String {
    context.client_info().map_or_else(String::new, |info| format!("{} {}", info.name, info.version))
}

/// Whose calls are counted together: a name that was proved, else an address, else what the client calls itself.
fn caller_of(context: &RequestContext<RoleServer>) -> String {
    let principal = principal_of(context);
    if principal.is_known() {
        return principal.key();
    }
    let parts = context.extensions.get::<http::request::Parts>();
    let remote = parts.and_then(|parts| parts.extensions.get::<ConnectInfo<SocketAddr>>());
    remote.map_or_else(|| client_of(context), |ConnectInfo(address)| address.ip().to_string())
}

/// A listener that sends progress to the client, if it gave a token, not too often.
fn progress_of(context: &RequestContext<RoleServer>) -> Option<Progress> {
    let token = context.meta.get_progress_token()?;
    let peer = context.peer.clone();
    let runtime = tokio::runtime::Handle::current();
    let last = Mutex::new(Instant::now());
    Some(Arc::new(move |done| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() < PROGRESS_INTERVAL {
            return;
        }
        *last = Instant::now();
        let (peer, message) =
            (peer.clone(), ProgressNotificationParam::new(token.clone(), done as f64));
        // A client that went away is told nothing.
        runtime.spawn(async move { _ = peer.notify_progress(message).await });
    }))
}
