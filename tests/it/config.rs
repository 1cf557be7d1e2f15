//! Starting: the configuration file, the flags, and the sentences of a start that fails.

use crate::harness::http::Request;
use crate::harness::*;
use crate::roots_list::ALL_TOOLS;
use crate::wire_test;
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};

/// Start with a configuration that has to be refused: exit code 1 and a sentence with these words.
#[track_caller]
fn refused(workspace: &Workspace, config: &Config, words: &[&str]) {
    let file = config.save(workspace);
    for transport in [Transport::Stdio, Transport::Http] {
        let end = Launch::new(&file, transport).finish();
        assert_eq!(end.code, Some(1), "{end:?}");
        assert_eq!(end.stderr.trim().lines().count(), 1, "one sentence: {end:?}");
        for word in words {
            assert!(end.stderr.contains(word), "{word:?} is missing: {end:?}");
        }
        assert!(!end.stderr.contains("panicked"), "{end:?}");
    }
}

/// A valid configuration starts, and the health endpoint answers.
/// Ledger: C-S13, C-P02, C-FR-018.1
#[test]
fn e2e_080_valid_configuration_starts() {
    let b = HTTP.with(Config::roots(&["workspace"]));
    assert_eq!(Request::get("/health").send(b.address()).status, 200);
}

/// Two roots of one name are refused.
/// Ledger: C-FR-018.3
#[test]
fn e2e_081_duplicate_root_names() {
    refused(&Workspace::new(), &Config::roots(&["data", "data"]), &["duplicate root name: data"]);
}

/// A root that does not exist is refused with its path.
/// Ledger: C-FR-018.2
#[test]
fn e2e_082_missing_root_path() {
    let config = Config::roots(&["data"]).with("path", json!("/nonexistent/path"));
    refused(&Workspace::new(), &config, &["data", "/nonexistent/path"]);
}

/// A misspelled tool is refused.
/// Ledger: C-FR-018.5
#[test]
fn e2e_083_unknown_tool_in_allowlist() {
    let config = Config::default().root("data", &["read_file", "nonexistent_tool"]);
    refused(&Workspace::new(), &config, &["unknown tool \"nonexistent_tool\" in allowed_tools"]);
}

/// Health is 200 with the body `ok`, no more and no less.
/// Ledger: C-FR-019.1
#[test]
fn e2e_084_health() {
    let b = HTTP.bench();
    let health = Request::get("/health").send(b.address());
    assert_eq!((health.status, health.text().as_str()), (200, "ok"));
}

/// Health does not depend on the roots, the host name or the origin.
#[test]
fn c_fr_019_2_health_is_unconditional() {
    let b = HTTP.bench();
    std::fs::remove_dir_all(b.ws.path("")).unwrap();
    let request = Request::get("/health")
        .header("Host", "elsewhere.example")
        .header("Origin", "https://evil.example");
    let health = request.send(b.address());
    assert_eq!((health.status, health.text().as_str()), (200, "ok"));
}

/// `list_roots` cannot be allowed or forbidden.
#[test]
fn c_m07_list_roots_is_no_name_for_an_allowlist() {
    refused(
        &Workspace::new(),
        &Config::default().root("data", &["list_roots"]),
        &["unknown tool \"list_roots\""],
    );
}

/// A root that is a file is refused.
#[test]
fn c_fr_018_2_a_root_is_a_directory() {
    let workspace = Workspace::new();
    workspace.all().write("file", "x");
    let config = Config::roots(&["data"]).with("path", json!(workspace.all().path("file")));
    refused(&workspace, &config, &["data"]);
}

/// No roots, no server.
#[test]
fn c_fr_018_4_empty_roots() {
    refused(&Workspace::new(), &Config::default().set("toolsets", json!(["roots"])), &["root"]);
    refused(&Workspace::new(), &Config::default(), &["root"]);
}

/// Wrong types, unknown keys and broken YAML are refused, and the sentence names the key.
/// Ledger: C-FR-018.6
#[test]
fn c_fr_018_7_the_file_is_validated() {
    let workspace = Workspace::new();
    let config = || Config::roots(&["data"]);
    refused(&workspace, &config().set("port", json!("abc")), &["port"]);
    refused(&workspace, &config().set("max_full_read_size", json!(-1)), &["max_full_read_size"]);
    refused(
        &workspace,
        &config().set("max_ful_read_size", json!(5)),
        &["max_ful_read_size", "max_full_read_size"],
    );
    refused(
        &workspace,
        &config().with("allowed_tolls", json!(["*"])),
        &["allowed_tolls", "allowed_tools"],
    );
    refused(&workspace, &config().with("name", json!("")), &["name"]);
    refused(&workspace, &config().set("roots", json!("text")), &["roots"]);
    workspace.all().write("config.yaml", "roots: [unclosed\n");
    let end = Launch::new(&workspace.all().path("config.yaml"), Transport::Http).finish();
    assert_eq!(end.code, Some(1), "{end:?}");
    let missing = Launch::new(&workspace.all().path("no-such.yaml"), Transport::Http).finish();
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("no-such.yaml"), "{missing:?}");
}

/// A flag that does not exist is refused.
#[test]
fn c_fr_018_1_unknown_flags() {
    let end = Launch::bare(&["--no-such-flag"]).finish();
    assert!(end.code.is_some_and(|code| code != 0), "{end:?}");
    assert!(end.stderr.contains("--no-such-flag"), "{end:?}");
}

/// The flag stands over the file.
#[test]
fn c_fr_018_1_port_flag_overrides_the_file() {
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let config =
        Config::roots(&["workspace"]).set("port", json!(busy.local_addr().unwrap().port()));
    let b = HTTP.with(config.set("host", json!("127.0.0.1")));
    assert_ne!(b.address().port(), busy.local_addr().unwrap().port());
    assert_eq!(Request::get("/health").send(b.address()).status, 200);
}

/// Host and port of the file are used.
#[test]
fn c_m04_host_and_port_of_the_file() {
    let workspace = Workspace::new();
    let config =
        Config::roots(&["workspace"]).set("host", json!("127.0.0.1")).set("port", json!(0));
    let file = config.save(&workspace);
    let mut server = Launch::bare(&["--config", file.to_str().unwrap()]).start();
    let address = server.address();
    assert_eq!(address.ip().to_string(), "127.0.0.1");
    assert_eq!(Request::get("/health").send(address).status, 200);
}

/// A port that is taken is a start that fails.
#[test]
fn c_m02_a_busy_port_is_an_error() {
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = busy.local_addr().unwrap().port().to_string();
    let workspace = Workspace::new();
    let file = Config::roots(&["workspace"]).save(&workspace);
    let end =
        Launch::bare(&["--config", file.to_str().unwrap(), "--host", "127.0.0.1", "--port", &port])
            .finish();
    assert_eq!(end.code, Some(1), "{end:?}");
    assert!(end.stderr.contains(&port), "{end:?}");
}

/// Without host and port it listens on every interface at 8091, and answers under any host name.
/// Ledger: C-M02, C-FR-018.6
#[test]
fn c_m01_default_address() {
    if TcpListener::bind("0.0.0.0:8091").is_err() {
        return;
    }
    let workspace = Workspace::new();
    let file = Config::roots(&["workspace"]).save(&workspace);
    let mut server = Launch::bare(&["--config", file.to_str().unwrap()]).start();
    assert_eq!(server.address().to_string(), "0.0.0.0:8091");
    let own = SocketAddr::new(own_address(), 8091);
    assert_eq!(Request::get("/health").send(own).status, 200);
    let list = wire::request(Era::Modern, 1, "tools/list", json!({}));
    for host in [own.to_string(), "mcp-filesystem:8091".to_owned()] {
        let answer = Request::modern(&list).header("Host", &host).send(own);
        assert_eq!(answer.status, 200, "{host}: {}", answer.text());
    }
}

/// An address of this machine that others would use.
fn own_address() -> IpAddr {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    let reached = socket.connect("192.0.2.1:9").and_then(|()| socket.local_addr());
    reached.map_or(IpAddr::from([127, 0, 0, 1]), |address| address.ip())
}

/// The sample of the seed, word for word but for the paths.
/// Ledger: C-FR-018.7
#[test]
fn c_m04_the_sample_of_the_seed() {
    let workspace = Workspace::new();
    let (ws, app, logs) =
        (workspace.root("workspace"), workspace.root("myapp"), workspace.root("logs"));
    let sample = format!(
        r#"host: "127.0.0.1"                    # Listen address (default: 0.0.0.0)
port: 0                          # Listen port (default: 8091)
max_full_read_size: 1048576         # Max bytes for full file read (default: 1MB)

roots:
  - name: "workspace"               # Unique root identifier
    path: "{}"          # Absolute host filesystem path
    allowed_tools:                   # Tool allowlist (* = all)
      - "*"
  - name: "config"
    path: "{}"
    allowed_tools:
      - "list_folder"
      - "read_file"
      - "stat_file"
      - "grep"
      - "glob"
  - name: "logs"
    path: "{}"
    allowed_tools:
      - "list_folder"
      - "read_file"
      - "stat_file"
      - "grep"
"#,
        ws.host(),
        app.host(),
        logs.host()
    );
    workspace.all().write("sample.yaml", sample);
    let file = workspace.all().path("sample.yaml");
    let mut server = Launch::bare(&["--config", file.to_str().unwrap()]).start();
    let session =
        Session::open(Line::Http(http::HttpLine::new(server.address(), Era::Legacy)), Era::Legacy);
    let roots = session.call("list_roots", json!({})).ok();
    assert_eq!(column(&roots["roots"], "name"), ["config", "logs", "workspace"]);
    assert_eq!(
        roots["roots"][1]["allowed_tools"],
        json!(["grep", "list_folder", "read_file", "stat_file"])
    );
}

/// A relative path of a root starts at the working directory.
#[test]
fn c_m05_relative_root_path() {
    let workspace = Workspace::new();
    workspace.root("workspace").write("f.txt", "found");
    let directory = workspace.all().path("roots");
    let config = Config::roots(&["workspace"]).with("path", json!("./workspace"));
    let b = STDIO.launch(workspace, config, |launch| launch.within(directory));
    assert_eq!(b.ok("read_file", ws("f.txt"))["content"], "found");
}

/// Without `allowed_tools` nothing is allowed; unlisted tools still say why.
/// Ledger: C-FR-002.0
wire_test!(c_m04_nothing_is_allowed_by_default, closed(), |b| {
    assert_eq!(b.ok("list_roots", json!({}))["roots"][0]["allowed_tools"], json!([]));
    for tool in ALL_TOOLS.iter().filter(|t| !["copy", "move"].contains(t)) {
        b.refuses(tool, at("closed", "x"), &format!("tool {tool} not allowed on root closed"));
    }
    let listed: Vec<Value> = b.session.tools();
    assert_eq!(column(&json!(listed), "name"), ["list_roots"]);
});

fn closed() -> Config {
    Config::default().root("closed", &[]).with("allowed_tools", Value::Null)
}

/// A tool that no root allows is not listed; one that any root allows is.
wire_test!(c_fr_002_1_tools_listed_are_tools_allowed, two_narrow_roots(), |b| {
    let listed = json!(b.session.tools());
    let mut names = column(&listed, "name");
    names.sort_unstable();
    assert_eq!(names, ["grep", "list_roots", "read_file"]);
    b.refuses(
        "write_file",
        at("a", "f").and("content", "x"),
        "tool write_file not allowed on root a",
    );
});

fn two_narrow_roots() -> Config {
    Config::default().root("a", &["read_file"]).root("b", &["grep", "read_file"])
}

/// An empty directory is a root like any other.
wire_test!(c_nfr_016_an_empty_root, |b| {
    assert_eq!(b.ok("list_folder", ws("."))["count"], 0);
    assert_eq!(b.ok("glob", ws(".").and("pattern", "**/*"))["total_matches"], 0);
});

/// The transport may stand in the file.
#[test]
fn c_s13_transport_of_the_file() {
    let workspace = Workspace::new();
    let file = Config::roots(&["workspace"]).set("transport", json!("stdio")).save(&workspace);
    let end = Launch::bare(&["--config", file.to_str().unwrap()]).finish();
    assert_eq!(end.code, Some(0), "stdin was empty, so a stdio server ends: {end:?}");
}

/// The flag stands over the file here too, and the second copy of an answer may be switched off.
#[test]
fn c_m04_further_keys() {
    let workspace = Workspace::new();
    workspace.root("workspace").write("f.txt", "x");
    let config = Config::roots(&["workspace"]).set("structured_content", json!(false));
    let b = STDIO.on(workspace, config.set("transport", json!("http")));
    let answer = b.call("read_file", ws("f.txt"));
    assert!(!answer.is_error && answer.structured.is_none());
    let value: Value = serde_json::from_str(&answer.text).expect("the text is the JSON");
    assert_eq!(value["content"], "x");
}

/// The file that comes with the project starts a server with a root.
#[test]
fn c_nfr_023_the_shipped_configuration() {
    let project = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let args = ["--config", "config/mcp-filesystem.yaml", "--host", "127.0.0.1", "--port", "0"];
    let mut server = Launch::bare(&args).within(project).start();
    let session =
        Session::open(Line::Http(http::HttpLine::new(server.address(), Era::Modern)), Era::Modern);
    let roots = session.call("list_roots", json!({})).ok();
    assert!(!items(&roots["roots"]).is_empty(), "{roots}");
}
