//! A client whose agent can be asked: by a request of the server, or by an answer that wants more input.

use super::answering::exchange;
use super::http::HttpLine;
use super::session::Line;
use super::wire::{Era, LEGACY};
use super::{Config, Dir, Server, Session, Transport, Wire, Workspace};
use serde_json::{Value, json};
use std::sync::Mutex;

/// What an agent does when it is asked.
pub enum Says {
    /// It answers in words.
    Text(String),
    /// It answers with this content block.
    Content(Value),
    /// The client answers with an error. Only where the server sends requests.
    Error(i64, String),
    /// It does not answer.
    Nothing,
}

impl Says {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn json(value: Value) -> Self {
        Self::Text(value.to_string())
    }

    fn result(self) -> Option<Result<Value, Value>> {
        let content = match self {
            Self::Text(text) => json!({"type": "text", "text": text}),
            Self::Content(content) => content,
            Self::Error(code, message) => {
                return Some(Err(json!({"code": code, "message": message})));
            }
            Self::Nothing => return None,
        };
        Some(Ok(json!({
            "role": "assistant", "model": "agent", "stopReason": "endTurn", "content": content
        })))
    }
}

/// A server with toolset `guide` on a project directory, and one client of it.
pub struct AgentBench {
    pub wire: Wire,
    pub session: Session,
    pub server: Server,
    pub project: Dir,
    pub workspace: Workspace,
    capabilities: Value,
    client: String,
    asked: Mutex<Vec<Value>>,
}

impl AgentBench {
    /// With these keys in the configuration, and a client that can be asked.
    pub fn start(wire: Wire, settings: &Value) -> Self {
        Self::with_capabilities(wire, settings, json!({"sampling": {}}))
    }

    pub fn with_capabilities(wire: Wire, settings: &Value, capabilities: Value) -> Self {
        let workspace = Workspace::new();
        workspace.root("project");
        Self::on(workspace, wire, settings, capabilities)
    }

    /// On directories that are already there.
    pub fn on(workspace: Workspace, wire: Wire, settings: &Value, capabilities: Value) -> Self {
        let project = workspace.root("project");
        let config = Config::default().set("toolsets", json!(["guide"]));
        let config = config.set("root_dir", json!(project.host()));
        let config = settings
            .as_object()
            .expect("settings are an object")
            .iter()
            .fold(config, |config, (key, value)| config.set(key, value.clone()));
        let file = config.save(&workspace);
        let mut server = super::Launch::new(&file, wire.transport).start();
        let (line, _) = wire.connect(&mut server);
        let session = Session::silent(line, wire.era);
        let (client, asked) = ("black-box".to_owned(), Mutex::default());
        let bench = Self { wire, session, server, project, workspace, capabilities, client, asked };
        bench.greet();
        bench
    }

    /// One more client of the same server, by another name; over stdio there is only the one.
    pub fn another(&self, client: &str) -> Peer {
        let Line::Http(line) = &self.session.line else { panic!("an HTTP server") };
        let line = Line::Http(HttpLine::new(line.address, self.wire.era));
        let session = Session::silent(line, self.wire.era);
        let peer =
            Peer { session, capabilities: self.capabilities.clone(), client: client.to_owned() };
        peer.greet();
        peer
    }

    fn peer(&self) -> PeerRef<'_> {
        PeerRef { session: &self.session, capabilities: &self.capabilities, client: &self.client }
    }

    fn greet(&self) {
        self.peer().greet();
    }

    /// Call a tool of the guide; its `Result`, whose two copies and whose failure flag must agree.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        self.call_asked(tool, arguments, |_| panic!("{tool} asked the agent"))
    }

    /// The same with an agent that answers.
    #[track_caller]
    pub fn call_asked(
        &self,
        tool: &str,
        arguments: Value,
        agent: impl FnMut(&str) -> Says,
    ) -> Value {
        let sent_host_path = arguments.to_string().contains(self.workspace.all().host());
        let raw = self.call_raw(tool, arguments, agent);
        let told = result_of(tool, &raw);
        let leaks = told["success"] == false
            && !sent_host_path
            && told.to_string().contains(self.workspace.all().host());
        assert!(!leaks, "{tool} shows a host path: {told}");
        told
    }

    fn call_raw(&self, tool: &str, arguments: Value, agent: impl FnMut(&str) -> Says) -> Value {
        let name = format!("guide_{tool}");
        let mut agent = agent;
        self.peer().call(&name, arguments, &mut |params| {
            self.asked.lock().unwrap().push(params.clone());
            agent(prompt_of(params))
        })
    }

    /// The value of a success.
    #[track_caller]
    pub fn value(&self, tool: &str, arguments: Value) -> Value {
        value_of(tool, &self.call(tool, arguments))
    }

    #[track_caller]
    pub fn value_asked(
        &self,
        tool: &str,
        arguments: Value,
        agent: impl FnMut(&str) -> Says,
    ) -> Value {
        value_of(tool, &self.call_asked(tool, arguments, agent))
    }

    /// A failure of this type and class; what it says.
    #[track_caller]
    pub fn refused(&self, tool: &str, arguments: Value, kind: &str, class: &str) -> Value {
        let told = self.call(tool, arguments);
        is_failure(tool, &told, kind, class);
        told
    }

    #[track_caller]
    pub fn refused_asked(
        &self,
        tool: &str,
        arguments: Value,
        kind: &str,
        class: &str,
        agent: impl FnMut(&str) -> Says,
    ) -> Value {
        let told = self.call_asked(tool, arguments, agent);
        is_failure(tool, &told, kind, class);
        told
    }

    /// The questions so far, as the client got them.
    pub fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }

    pub fn stats(&self) -> Value {
        self.value("cache_stats", json!({}))
    }

    /// A `tools/call` as this client sends it, not sent yet.
    pub fn message(&self, tool: &str, arguments: Value) -> Value {
        self.peer().message(&format!("guide_{tool}"), arguments)
    }
}

/// A client of its own.
pub struct Peer {
    session: Session,
    capabilities: Value,
    client: String,
}

impl Peer {
    fn greet(&self) {
        self.as_ref().greet();
    }

    fn as_ref(&self) -> PeerRef<'_> {
        PeerRef { session: &self.session, capabilities: &self.capabilities, client: &self.client }
    }

    /// Call a tool of the guide with an agent that answers.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value, agent: impl FnMut(&str) -> Says) -> Value {
        let mut agent = agent;
        let raw = self
            .as_ref()
            .call(&format!("guide_{tool}"), arguments, &mut |params| agent(prompt_of(params)));
        result_of(tool, &raw)
    }

    /// A `tools/call` as this client sends it, not sent yet.
    pub fn message(&self, tool: &str, arguments: Value) -> Value {
        self.as_ref().message(&format!("guide_{tool}"), arguments)
    }

    pub fn exchange(&self, message: &Value) -> Value {
        self.session.exchange(message).expect("an answer")
    }
}

struct PeerRef<'a> {
    session: &'a Session,
    capabilities: &'a Value,
    client: &'a str,
}

type Asked<'a> = &'a mut dyn FnMut(&Value) -> Says;

impl PeerRef<'_> {
    fn greet(&self) {
        if self.session.era == Era::Modern {
            return;
        }
        let client = json!({"name": self.client, "version": "1.0"});
        let hello = json!({
            "protocolVersion": LEGACY, "capabilities": self.capabilities, "clientInfo": client
        });
        let answer = self.session.request("initialize", hello).expect("initialize");
        assert_eq!(answer["protocolVersion"], LEGACY);
        self.session.notify("notifications/initialized", json!({}));
    }

    fn message(&self, name: &str, arguments: Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        let mut message = self.session.prepare("tools/call", params);
        if self.session.era == Era::Modern {
            let meta = &mut message["params"]["_meta"];
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
            meta["io.modelcontextprotocol/clientInfo"] =
                json!({"name": self.client, "version": "1.0"});
        }
        message
    }

    fn call(&self, name: &str, arguments: Value, agent: Asked<'_>) -> Value {
        let message = self.message(name, arguments.clone());
        match self.session.era {
            Era::Modern => self.repeat(name, &arguments, message, agent),
            Era::Legacy => {
                let mut answering = |request: &Value| response_to(request, agent);
                exchange(self.session, &message, &mut answering).expect("a result")
            }
        }
    }

    /// Take each question, ask the agent, and call again with its answer.
    fn repeat(&self, name: &str, arguments: &Value, first: Value, agent: Asked<'_>) -> Value {
        let mut message = first;
        for _ in 0..10 {
            let result =
                self.session.exchange(&message).unwrap_or_else(|e| panic!("{name}: {e:?}"));
            if result["resultType"] != "input_required" {
                return result;
            }
            let requests = result["inputRequests"].as_object().expect("input requests");
            assert_eq!(requests.len(), 1, "one question at a time: {result}");
            let (key, request) = requests.iter().next().unwrap();
            assert_eq!(request["method"], "sampling/createMessage");
            message = self.message(name, arguments.clone());
            message["params"]["requestState"] = result["requestState"].clone();
            if let Some(said) = agent(&request["params"]).result() {
                let said = said.expect("an error can not travel in an input response");
                message["params"]["inputResponses"] = json!({ key: said });
            }
        }
        panic!("{name}: the questions never end");
    }
}

/// The client's response to a request of the server, if the agent gives one.
fn response_to(request: &Value, agent: Asked<'_>) -> Option<Value> {
    if request["method"] != "sampling/createMessage" {
        return None;
    }
    let id = &request["id"];
    Some(match agent(&request["params"]).result()? {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
    })
}

/// The words of a question.
fn prompt_of(params: &Value) -> &str {
    params["messages"][0]["content"]["text"].as_str().unwrap_or_else(|| panic!("no text: {params}"))
}

/// The `Result` in a tool's answer.
#[track_caller]
pub fn result_of(tool: &str, raw: &Value) -> Value {
    let text = raw["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{tool}: {raw}"));
    let told: Value = serde_json::from_str(text).expect("the text is JSON");
    assert_eq!(told, raw["structuredContent"], "{tool}: text and structuredContent differ");
    let failed = raw["isError"].as_bool().unwrap_or(false);
    assert_eq!(told["success"], !failed, "{tool}: isError and success disagree: {told}");
    told
}

#[track_caller]
fn value_of(tool: &str, told: &Value) -> Value {
    assert_eq!(told["success"], true, "{tool} failed: {told}");
    told["value"].clone()
}

#[track_caller]
fn is_failure(tool: &str, told: &Value, kind: &str, class: &str) {
    assert_eq!(told["success"], false, "{tool} should have failed: {told}");
    let actual = (&told["error_type"], &told["exception_type"]);
    assert_eq!(actual, (&json!(kind), &json!(class)), "{tool}: {told}");
    for key in ["error", "exception_message", "instruction"] {
        assert!(
            told[key].as_str().is_some_and(|text| !text.is_empty()),
            "{tool}: no {key}: {told}"
        );
    }
    assert!(told.get("value").is_none(), "{tool}: a failure has no value: {told}");
}

/// Start a server, run the body, and see that the server lived and wrote no request to a stateless client.
pub fn run_agent_body(wire: Wire, settings: &Value, body: impl FnOnce(&AgentBench)) {
    let mut bench = AgentBench::start(wire, settings);
    body(&bench);
    assert!(bench.server.is_alive(), "the server died:\n{}", bench.server.log.raw().join("\n"));
    if wire.era == Era::Modern && wire.transport == Transport::Stdio {
        let heard = bench.session.heard();
        let asked: Vec<&Value> = heard.iter().filter(|m| m.get("method").is_some()).collect();
        assert!(asked.is_empty(), "the server sent messages of its own: {asked:?}");
    }
}

/// Run one body with an agent over stdio (handshake era) and over HTTP (stateless era).
#[macro_export]
macro_rules! agent_test {
    ($name:ident, $body:expr) => {
        $crate::agent_test!($name, serde_json::json!({}), $body);
    };
    ($name:ident, $settings:expr, $body:expr) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn stdio() {
                $crate::harness::run_agent_body($crate::harness::STDIO, &$settings, $body);
            }

            #[test]
            fn http() {
                $crate::harness::run_agent_body($crate::harness::HTTP, &$settings, $body);
            }
        }
    };
}

/// Run one body with an agent over both transports in both eras.
#[macro_export]
macro_rules! bridge_test {
    ($name:ident, $body:expr) => {
        $crate::bridge_test!($name, serde_json::json!({}), $body);
    };
    ($name:ident, $settings:expr, $body:expr) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn stdio_legacy() {
                $crate::harness::run_agent_body($crate::harness::STDIO, &$settings, $body);
            }

            #[test]
            fn stdio_modern() {
                $crate::harness::run_agent_body($crate::harness::STDIO_MODERN, &$settings, $body);
            }

            #[test]
            fn http_legacy() {
                $crate::harness::run_agent_body($crate::harness::HTTP_LEGACY, &$settings, $body);
            }

            #[test]
            fn http_modern() {
                $crate::harness::run_agent_body($crate::harness::HTTP, &$settings, $body);
            }
        }
    };
}
