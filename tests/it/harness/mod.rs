//! What every test stands on: a directory, a configuration, a running server, a client.
//!
//! Nothing here knows a type of the server. A test body gets a [`Bench`] and speaks to it with
//! `ok`, `fails` and `refuses`; [`wire_test!`](crate::wire_test) runs it over stdio and over HTTP.

mod answer;
mod answering;
mod config;
pub mod files;
mod guide;
pub mod http;
mod mount;
pub mod random;
mod rooted;
mod sampling;
mod server;
mod session;
mod stdio;
pub mod strace;
mod values;
pub mod wire;
mod workspace;

pub use answer::Answer;
pub use config::Config;
pub use guide::*;
pub use mount::Mount;
pub use rooted::{Rooted, folders};
pub use sampling::{AgentBench, Says, run_agent_body};
pub use server::{BINARY, Launch, Server, Transport};
pub use session::{Line, Session};
pub use values::*;
pub use wire::Era;
pub use workspace::{Dir, Workspace, run};

use http::HttpLine;
use serde_json::Value;
use std::net::SocketAddr;

/// A way to reach the server.
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    pub transport: Transport,
    pub era: Era,
}

impl Wire {
    pub const fn new(transport: Transport, era: Era) -> Self {
        Self { transport, era }
    }

    /// A server with one root, `workspace`, that allows every tool.
    pub fn bench(self) -> Bench {
        self.with(Config::roots(&["workspace"]))
    }

    /// A server with this configuration.
    pub fn with(self, config: Config) -> Bench {
        self.on(Workspace::new(), config)
    }

    /// A server on directories that are already there.
    pub fn on(self, workspace: Workspace, config: Config) -> Bench {
        self.launch(workspace, config, |launch| launch)
    }

    /// A server started in a special way.
    pub fn launch(
        self,
        workspace: Workspace,
        config: Config,
        how: impl FnOnce(Launch) -> Launch,
    ) -> Bench {
        let file = config.save(&workspace);
        let mut server = how(Launch::new(&file, self.transport)).start();
        let (line, address) = self.connect(&mut server);
        let ws = workspace.root(config.names().first().map_or("workspace", String::as_str));
        Bench { session: Session::open(line, self.era), wire: self, ws, address, server, workspace }
    }

    fn connect(self, server: &mut Server) -> (Line, Option<SocketAddr>) {
        if self.transport == Transport::Stdio {
            return (Line::of(server), None);
        }
        let address = server.address();
        (Line::Http(HttpLine::new(address, self.era)), Some(address))
    }
}

/// A running server, a client connected to it, and the directories it serves.
pub struct Bench {
    pub wire: Wire,
    pub session: Session,
    pub server: Server,
    /// The directory of the first root.
    pub ws: Dir,
    pub workspace: Workspace,
    address: Option<SocketAddr>,
}

impl Bench {
    /// Call a tool. No failure may show a path of the host that the client did not send.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Answer {
        let host = self.workspace.all();
        let sent_host_path = arguments.to_string().contains(host.host());
        let answer = self.session.call(tool, arguments);
        let leaks = answer.is_error && !sent_host_path && answer.text.contains(host.host());
        assert!(!leaks, "{tool} shows a host path: {}", answer.text);
        answer
    }

    /// Call a tool that has to succeed.
    #[track_caller]
    pub fn ok(&self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments).ok()
    }

    /// Call a tool that has to fail.
    #[track_caller]
    pub fn fails(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).fails()
    }

    /// Call a tool that has to fail with this sentence (a hint may follow) and to change nothing anywhere.
    #[track_caller]
    pub fn refuses(&self, tool: &str, arguments: Value, sentence: &str) -> String {
        let before = self.workspace.all().snapshot();
        let text = self.fails(tool, arguments);
        assert!(text.starts_with(sentence), "{tool}: expected {sentence:?}, got {text:?}");
        assert_same_tree(&before, &self.workspace.all().snapshot());
        text
    }

    /// The directory of another root.
    pub fn root(&self, name: &str) -> Dir {
        self.workspace.root(name)
    }

    pub fn outside(&self) -> Dir {
        self.workspace.outside()
    }

    /// Let the server go and keep the directories.
    pub fn into_workspace(self) -> Workspace {
        self.workspace
    }

    /// Where the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address.expect("an HTTP server")
    }

    /// One more client; over stdio there is only the one.
    pub fn another_session(&self) -> Session {
        Session::open(Line::Http(HttpLine::new(self.address(), self.wire.era)), self.wire.era)
    }
}

/// What the hosts of today speak.
pub const STDIO: Wire = Wire::new(Transport::Stdio, Era::Legacy);
/// What new deployments speak.
pub const HTTP: Wire = Wire::new(Transport::Http, Era::Modern);
/// The other two combinations.
pub const STDIO_MODERN: Wire = Wire::new(Transport::Stdio, Era::Modern);
pub const HTTP_LEGACY: Wire = Wire::new(Transport::Http, Era::Legacy);

/// Run one body over stdio (handshake era) and over HTTP (stateless era).
///
/// `wire_test!(name, |b| { .. })` has one root, `workspace`, with every tool;
/// `wire_test!(name, config, |b| { .. })` has that configuration.
#[macro_export]
macro_rules! wire_test {
    ($name:ident, $body:expr) => {
        $crate::wire_test!($name, Config::roots(&["workspace"]), $body);
    };
    ($name:ident, $config:expr, $body:expr) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn stdio() {
                $crate::harness::run_body($crate::harness::STDIO, $config, $body);
            }

            #[test]
            fn http() {
                $crate::harness::run_body($crate::harness::HTTP, $config, $body);
            }
        }
    };
}

/// Run one body over both transports in both eras.
#[macro_export]
macro_rules! era_test {
    ($name:ident, $config:expr, $body:expr) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn stdio_legacy() {
                $crate::harness::run_body($crate::harness::STDIO, $config, $body);
            }

            #[test]
            fn stdio_modern() {
                $crate::harness::run_body($crate::harness::STDIO_MODERN, $config, $body);
            }

            #[test]
            fn http_legacy() {
                $crate::harness::run_body($crate::harness::HTTP_LEGACY, $config, $body);
            }

            #[test]
            fn http_modern() {
                $crate::harness::run_body($crate::harness::HTTP, $config, $body);
            }
        }
    };
}

/// Start a server, run the body, and see that the server lived and asked the client for nothing.
pub fn run_body(wire: Wire, config: Config, body: impl FnOnce(&Bench)) {
    let mut bench = wire.with(config);
    body(&bench);
    assert!(bench.server.is_alive(), "the server died:\n{}", bench.server.log.raw().join("\n"));
    let asked: Vec<Value> =
        bench.session.heard().into_iter().filter(|m| m.get("id").is_some()).collect();
    assert!(asked.is_empty(), "the server sent requests of its own: {asked:?}");
}
