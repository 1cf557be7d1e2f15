//! One client of the server, over either transport and in either era.

use super::answer::Answer;
use super::http::HttpLine;
use super::server::Server;
use super::stdio::StdioLine;
use super::wire::{Era, LEGACY, Reply, initialize_params, notification, request};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a call may take before the test fails: a hang must not hang the suite.
const PATIENCE: Duration = Duration::from_secs(90);

/// The transport under a session.
pub enum Line {
    Stdio(StdioLine),
    Http(HttpLine),
}

impl Line {
    /// The pipes of a server that was just started.
    pub fn of(server: &mut Server) -> Self {
        let (stdin, stdout) = (server.child.stdin.take(), server.child.stdout.take());
        Self::Stdio(StdioLine::new(stdin.unwrap(), stdout.unwrap()))
    }
}

/// A connected client.
pub struct Session {
    pub era: Era,
    pub line: Line,
    next_id: AtomicU64,
}

impl Session {
    /// Connect: in the legacy era this is the handshake.
    pub fn open(line: Line, era: Era) -> Self {
        let session = Self::silent(line, era);
        if era == Era::Legacy {
            session.shake_hands();
        }
        session
    }

    /// A client that has not said anything yet.
    pub fn silent(line: Line, era: Era) -> Self {
        Self { era, line, next_id: AtomicU64::new(1) }
    }

    /// Send a request and wait for its answer.
    pub fn request(&self, method: &str, params: Value) -> Reply {
        self.exchange(&self.prepare(method, params))
    }

    /// A request with the next id, not sent yet.
    pub fn prepare(&self, method: &str, params: Value) -> Value {
        request(self.era, self.next_id.fetch_add(1, Ordering::Relaxed), method, params)
    }

    pub fn exchange(&self, message: &Value) -> Reply {
        match &self.line {
            Line::Stdio(line) => line.exchange(message, PATIENCE),
            Line::Http(line) => line.exchange(message),
        }
    }

    pub fn notify(&self, method: &str, params: Value) {
        let message = notification(method, params);
        match &self.line {
            Line::Stdio(line) => line.write(message.to_string().as_bytes()),
            Line::Http(line) => line.notify(&message),
        }
    }

    /// Call a tool; a JSON-RPC error is a failure of the test.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Answer {
        match self.request("tools/call", json!({"name": tool, "arguments": arguments})) {
            Ok(result) => Answer::new(tool, result),
            Err(e) => panic!("{tool}: a protocol error instead of a tool result: {e:?}"),
        }
    }

    /// The definitions of `tools/list`, in order.
    pub fn tools(&self) -> Vec<Value> {
        let list = self.request("tools/list", json!({})).expect("tools/list");
        assert!(list.get("nextCursor").is_none_or(Value::is_null), "one page: {list}");
        list["tools"].as_array().expect("an array of tools").clone()
    }

    /// Messages of the server that answered nothing: notifications and requests of its own.
    pub fn heard(&self) -> Vec<Value> {
        match &self.line {
            Line::Stdio(line) => line.heard(),
            Line::Http(line) => line.heard(),
        }
    }

    /// The pipes of a stdio session.
    pub fn stdio(&self) -> &StdioLine {
        match &self.line {
            Line::Stdio(line) => line,
            Line::Http(_) => panic!("not a stdio session"),
        }
    }

    fn shake_hands(&self) {
        let answer = self.request("initialize", initialize_params(LEGACY)).expect("initialize");
        assert_eq!(answer["protocolVersion"], LEGACY);
        self.notify("notifications/initialized", json!({}));
    }
}
