//! A client of the handshake era that has roots of its own, and tells them when it is asked.

use super::answering::exchange;
use super::wire::{Era, LEGACY, Reply, client_info};
use super::{Answer, Config, Dir, Launch, Server, Session, Wire, Workspace};
use serde_json::{Value, json};
use std::sync::Mutex;

/// A running server and such a client.
pub struct Rooted {
    pub session: Session,
    pub server: Server,
    pub workspace: Workspace,
    /// What the client answers to `roots/list`; `null` for nothing.
    roots: Mutex<Value>,
    asked: Mutex<usize>,
}

impl Rooted {
    /// A server on directories that are there, started in a special way, and a client with these roots.
    pub fn on(
        wire: Wire,
        workspace: Workspace,
        config: Config,
        how: impl FnOnce(Launch) -> Launch,
        roots: Value,
    ) -> Self {
        let file = config.save(&workspace);
        let mut server = how(Launch::new(&file, wire.transport)).start();
        let (line, _) = wire.connect(&mut server);
        let session = Session::silent(line, wire.era);
        if wire.era == Era::Legacy {
            let hello = json!({
                "protocolVersion": LEGACY,
                "capabilities": {"roots": {"listChanged": true}},
                "clientInfo": client_info(),
            });
            session.request("initialize", hello).expect("initialize");
            session.notify("notifications/initialized", json!({}));
        }
        Self { session, server, workspace, roots: Mutex::new(roots), asked: Mutex::default() }
    }

    /// The directory of root `workspace`.
    pub fn ws(&self) -> Dir {
        self.workspace.root("workspace")
    }

    /// Have other roots, and say so.
    pub fn change_roots(&self, roots: Value) {
        *self.roots.lock().unwrap() = roots;
        self.session.notify("notifications/roots/list_changed", json!({}));
        // A notification is handled beside the next request; there is no answer to wait for.
        std::thread::sleep(std::time::Duration::from_millis(100));
    }

    /// How often the server asked for the roots.
    pub fn asked(&self) -> usize {
        *self.asked.lock().unwrap()
    }

    pub fn request(&self, method: &str, params: Value) -> Reply {
        let mut message = self.session.prepare(method, params);
        if self.session.era == Era::Modern {
            let declared = json!({"roots": {}});
            message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = declared;
            return self.session.exchange(&message);
        }
        exchange(&self.session, &message, &mut |request| self.answer(request))
    }

    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Answer {
        let params = json!({"name": tool, "arguments": arguments});
        Answer::new(tool, self.request("tools/call", params).expect(tool))
    }

    #[track_caller]
    pub fn ok(&self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments).ok()
    }

    /// A call that has to fail, without a word of where the roots are.
    #[track_caller]
    pub fn fails(&self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments);
        assert!(answer.is_error, "{tool} should have failed: {}", answer.text);
        assert!(!answer.text.contains(self.workspace.all().host()), "{}", answer.text);
        answer.text
    }

    fn answer(&self, request: &Value) -> Option<Value> {
        if request["method"] != "roots/list" {
            return None;
        }
        *self.asked.lock().unwrap() += 1;
        let roots = self.roots.lock().unwrap().clone();
        (!roots.is_null())
            .then(|| json!({"jsonrpc": "2.0", "id": request["id"], "result": {"roots": roots}}))
    }
}

/// The roots of a client at these directories.
pub fn folders(directories: &[&Dir]) -> Value {
    let uri = |directory: &&Dir| json!({"uri": format!("file://{}", directory.host())});
    directories.iter().map(uri).collect()
}
