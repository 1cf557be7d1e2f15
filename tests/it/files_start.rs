//! Starting toolset `files`: identity, schemas, flags, variables, configuration, hosts.

use crate::files_test;
use crate::harness::files::*;
use crate::harness::*;
use serde_json::{Map, Value, json};
use std::process::Command;

const SEED: &str = include_str!("../fixtures/files_tools.json");
const DESCRIPTION: &str = "A secure MCP server for filesystem operations";

fn seed() -> Map<String, Value> {
    serde_json::from_str(SEED).expect("the fixture")
}

/// A schema without the keywords that the seed does not use.
fn bare(mut schema: Value) -> Value {
    let object = schema.as_object_mut().unwrap();
    object.remove("additionalProperties");
    for property in object["properties"].as_object_mut().unwrap().values_mut() {
        property.as_object_mut().unwrap().remove("minimum");
    }
    schema
}

/// The nine tools, with the seed's schemas to the letter.
/// Ledger: D-Z01, D-L01, D-R01, D-W01, D-M01, D-X01, D-C01, D-V01, D-I01, D-S01
files_test!(d_z01_input_schemas, |b| {
    let tools = b.session.tools();
    let names: Vec<&str> = tools.iter().map(|tool| text(&tool["name"])).collect();
    assert_eq!(
        names,
        ["list", "read", "write", "mkdir", "delete", "copy", "move", "info", "search"]
    );
    for tool in &tools {
        let expected = &seed()[text(&tool["name"])]["input"];
        assert_eq!(&bare(tool["inputSchema"].clone()), expected, "{}", tool["name"]);
    }
});

/// Every field of the seed's answers is in the answer's schema.
/// Ledger: D-Z01
files_test!(d_z01_output_schemas, |b| {
    for tool in b.session.tools() {
        let name = text(&tool["name"]);
        let told = tool["outputSchema"]["properties"].as_object().unwrap();
        for field in seed()[name]["response"].as_object().unwrap().keys() {
            assert!(told.contains_key(field), "{name}: {field}");
        }
    }
});

/// Later ideas are not in the list of tools; hashes and access rules belong to the server.
/// Ledger: D-F01, D-F02, D-F03, D-F06, D-F07
#[test]
fn d_f01_nine_tools_and_no_more() {
    assert_eq!(serve(STDIO, Config::default(), &[]).session.tools().len(), 9);
    let b = STDIO.bench();
    b.ws.write("f", "x");
    assert_eq!(b.ok("hash_file", ws("f").and("algorithm", "sha256"))["hash"], sha256(b"x"));
}

/// Hints tell the truth.
files_test!(d_x01_annotations, |b| {
    for tool in b.session.tools() {
        let hints = &tool["annotations"];
        let name = text(&tool["name"]);
        let reads = ["list", "read", "info", "search"].contains(&name);
        let destroys = ["write", "delete", "copy", "move"].contains(&name);
        assert_eq!(
            (&hints["readOnlyHint"], &hints["destructiveHint"]),
            (&json!(reads), &json!(destroys)),
            "{name}"
        );
        assert_eq!(hints["openWorldHint"], false, "{name}");
    }
});

/// Name, version and description, by handshake and by discovery.
/// Ledger: D-001, D-002, D-003
#[test]
fn d_001_identity() {
    for wire in [STDIO, HTTP_LEGACY] {
        let b = serve(wire, Config::default(), &[]);
        let hello = b.session.request("initialize", wire::initialize_params("2025-11-25"));
        if let Ok(hello) = hello {
            identified(&hello);
        }
    }
    for wire in [STDIO_MODERN, HTTP] {
        let b = serve(wire, Config::default(), &[]);
        let found = b.session.request("server/discover", json!({})).expect("discovery");
        identified(&found);
    }
}

#[track_caller]
fn identified(hello: &Value) {
    let info =
        hello.get("serverInfo").unwrap_or(&hello["_meta"]["io.modelcontextprotocol/serverInfo"]);
    assert_eq!(
        info,
        &json!({"name": "filesystem-server", "version": "0.1.0", "description": DESCRIPTION}),
        "{hello}"
    );
    assert!(text(&hello["instructions"]).starts_with(DESCRIPTION), "{hello}");
}

/// The directory: flag over variable over the current one. Stdio unless something asks for HTTP.
/// Ledger: D-007, D-008, D-009, D-010, D-014
#[test]
fn d_014_root_directory() {
    let workspace = Workspace::new();
    for name in ["flag", "variable", "current"] {
        workspace.root(name).write("name.txt", name);
    }
    let root = |name: &str| workspace.root(name).path("").display().to_string();
    let (flag, variable) = (root("flag"), root("variable"));
    let here = || Launch::default().within(workspace.root("current").path(""));
    for (launch, expected) in [
        (here(), "current"),
        (here().env("FS_SERVER_ROOT", &variable), "variable"),
        (here().env("FS_SERVER_ROOT", &variable).args(&["--root-dir", &flag]), "flag"),
        (here().args(&["--root-dir", "../flag"]), "flag"),
    ] {
        let mut server = launch.start();
        let session = Session::open(Line::of(&mut server), Era::Legacy);
        assert_eq!(session.call("read", p("name.txt")).ok()["content"], expected);
    }
    let end = here().args(&["--root-dir", "nowhere"]).finish();
    assert_eq!(end.code, Some(1));
    assert!(end.stderr.contains("nowhere") && end.stderr.trim().lines().count() == 1, "{end:?}");
}

fn read_size(launch: Launch) -> u64 {
    let mut server = launch.start();
    let session = Session::open(Line::of(&mut server), Era::Legacy);
    let got = session.call("read", p("big.txt").and("max_size", 100_000_000)).ok();
    number(&got["bytes_read"])
}

/// The largest read: flag over variable over configuration over 10 MB.
/// Ledger: D-011, D-014
#[test]
fn d_011_max_file_size() {
    let workspace = Workspace::new();
    let dir = workspace.root("workspace");
    dir.write("big.txt", "x".repeat(11_000_000));
    let here = || Launch::bare(&["--root-dir", dir.host()]);
    assert_eq!(read_size(here()), 10_485_760);
    assert_eq!(read_size(here().env("FS_MAX_FILE_SIZE", "1000")), 1000);
    let both = here().env("FS_MAX_FILE_SIZE", "1000").args(&["--max-file-size", "2000"]);
    assert_eq!(read_size(both), 2000);
    workspace.all().write("c.yaml", "max_file_size: 3000\ntransport: stdio\n");
    let config = workspace.all().path("c.yaml");
    let written = || here().args(&["--config", config.to_str().unwrap()]);
    assert_eq!(read_size(written()), 3000);
    assert_eq!(read_size(written().env("FS_MAX_FILE_SIZE", "1000")), 1000);
}

/// How much is logged: flag over variable, with a second variable behind it.
/// Ledger: D-013, D-014
#[test]
fn d_013_log_level() {
    let workspace = Workspace::new();
    let dir = workspace.root("workspace");
    let here = || Launch::bare(&["--root-dir", dir.host()]);
    let records = |launch: Launch| {
        let mut server = launch.start();
        let session = Session::open(Line::of(&mut server), Era::Legacy);
        session.call("list", p(".."));
        server.log.wait_for("a violation", |line| line["level"] == "WARN");
        std::thread::sleep(std::time::Duration::from_millis(100));
        server.log.lines().iter().filter(|line| line["msg"] == "tool call").count()
    };
    assert_eq!(records(here()), 1, "info is the default");
    assert_eq!(records(here().env("FS_LOG_LEVEL", "warn")), 0);
    assert_eq!(records(here().env("FS_LOG_LEVEL", "warn").args(&["--log-level", "info"])), 1);
    assert_eq!(records(here().env("MG_LOG_LEVEL", "warn")), 0);
    assert_eq!(records(here().env("MG_LOG_LEVEL", "warn").env("FS_LOG_LEVEL", "debug")), 1);
}

/// A value that makes no sense ends the start with one sentence.
/// Ledger: D-009, D-011, D-012, D-013
#[test]
fn d_013_bad_values() {
    let workspace = Workspace::new();
    let dir = workspace.root("workspace");
    let here = || Launch::bare(&["--root-dir", dir.host()]);
    for (launch, word) in [
        (here().args(&["--log-level", "loud"]), "--log-level"),
        (here().env("FS_LOG_LEVEL", "loud"), "loud"),
        (here().env("MG_LOG_LEVEL", "loud"), "MG_LOG_LEVEL"),
        (here().args(&["--max-file-size", "big"]), "--max-file-size"),
        (here().args(&["--max-file-size", "0"]), "--max-file-size"),
        (here().env("FS_MAX_FILE_SIZE", "-5"), "--max-file-size"),
        (here().args(&["--request-timeout", "soon"]), "--request-timeout"),
        (here().env("FS_REQUEST_TIMEOUT", "0"), "--request-timeout"),
        (here().args(&["--toolset", "nothing"]), "nothing"),
        (Launch::bare(&["--root-dir", "/nonexistent"]), "/nonexistent"),
        (Launch::bare(&["--root-dir", "/etc/passwd"]), "/etc/passwd"),
    ] {
        let end = launch.finish();
        assert!(end.code.is_some_and(|code| code != 0), "{end:?}");
        assert_eq!(end.stderr.trim().lines().count(), 1, "one sentence: {end:?}");
        assert!(end.stderr.contains(word) && !end.stderr.contains("panicked"), "{word}: {end:?}");
    }
}

/// The configuration is checked as well, and rules without effect are refused.
/// Ledger: D-012, D-P07
#[test]
fn d_012_bad_configuration() {
    let workspace = Workspace::new();
    let dir = workspace.root("workspace");
    for (yaml, word) in [
        ("request_timeout_seconds: 0", "request_timeout_seconds"),
        ("max_file_size: 0", "max_file_size"),
        ("rate_limit: {calls_per_second: 0}", "rate_limit"),
        ("rate_limit: {calls: 1}", "calls"),
        ("allowed_tools: [read]", "unknown tool \"read\""),
        ("deny: [\"[\"]", "["),
    ] {
        let root = format!("root_dir: {}\n{yaml}\n", dir.host());
        workspace.all().write("c.yaml", root);
        let config = workspace.all().path("c.yaml");
        let end = Launch::bare(&["--config", config.to_str().unwrap()]).finish();
        assert_eq!((end.code, end.stderr.trim().lines().count()), (Some(1), 1), "{yaml}: {end:?}");
        assert!(end.stderr.contains(word), "{word}: {end:?}");
    }
    let stray = Config::roots(&["workspace"]).set("read_only", json!(true)).save(&workspace);
    let end = Launch::new(&stray, Transport::Stdio).finish();
    assert!(end.code == Some(1) && end.stderr.contains("read_only"), "{end:?}");
}

/// Two toolsets with tools of one name need a prefix, and the sentence shows how.
#[test]
fn d_c01_two_toolsets_of_one_name() {
    let workspace = Workspace::new();
    let config = Config::roots(&["workspace"]).save(&workspace);
    let end = Launch::new(&config, Transport::Stdio).args(&["--toolset", "roots,files"]).finish();
    assert_eq!((end.code, end.stderr.trim().lines().count()), (Some(1), 1), "{end:?}");
    for word in ["copy", "roots", "files", "--toolset roots,files:fs", "prefix: fs"] {
        assert!(end.stderr.contains(word), "{word}: {end:?}");
    }
}

/// With a prefix both work side by side.
/// Ledger: D-C01, D-V01
#[test]
fn d_c01_side_by_side() {
    for wire in [STDIO, HTTP] {
        let workspace = Workspace::new();
        let home = workspace.root("home");
        let b = wire.launch(workspace, Config::roots(&["workspace"]), |launch| {
            launch.args(&["--toolset", "roots,files:fs", "--root-dir", home.host()])
        });
        assert_eq!(b.session.tools().len(), 15 + 9);
        b.ok("write_file", ws("a.txt").and("content", "in the root"));
        b.ok("fs_write", p("a.txt").and("content", "in the directory"));
        b.ok("copy", pair("a.txt", "b.txt"));
        b.ok("fs_copy", from_to("a.txt", "b.txt"));
        assert_eq!(b.ws.text("b.txt"), "in the root");
        assert_eq!(b.root("home").text("b.txt"), "in the directory");
        assert!(b.fails("read_file", ws("ghost")).starts_with("file not found: ghost"));
        let failure = b.call("fs_read", p("ghost"));
        let body: Value = serde_json::from_str(&failure.text).expect("an envelope");
        assert_eq!(body["error"]["code"], "not_found");
    }
}

/// What `client-config` prints for a host, and where it says it belongs.
fn printed(host: &str, directory: &str) -> (String, String) {
    let mut command = Command::new(BINARY);
    let output = command.args(["client-config", host, "--root-dir", directory]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

/// Every host gets an entry that starts this binary on the chosen directory.
/// Ledger: D-008, D-010
#[test]
fn d_010_client_config() {
    let workspace = Workspace::new();
    let dir = workspace.root("my \"files\"");
    for (host, key, file) in [
        ("claude-desktop", "mcpServers", "claude_desktop_config.json"),
        ("claude-code", "mcpServers", ".mcp.json"),
        ("vscode", "servers", ".vscode/mcp.json"),
        ("cursor", "mcpServers", ".cursor/mcp.json"),
        ("zed", "context_servers", "settings.json"),
        ("codex", "mcp_servers", ".codex/config.toml"),
    ] {
        let (entry, place) = printed(host, dir.host());
        let entry: Value = match host {
            "codex" => toml::from_str(&entry).expect("TOML"),
            _ => serde_json::from_str(&entry).expect("JSON"),
        };
        let server = &entry[key]["filesystem"];
        assert_eq!(server["command"], BINARY, "{host}");
        assert_eq!(server["args"], json!(["--root-dir", dir.host()]), "{host}");
        assert!(place.contains(file), "{host}: {place}");
    }
    let (entry, _) = printed("vscode", dir.host());
    assert_eq!(
        serde_json::from_str::<Value>(&entry).unwrap()["servers"]["filesystem"]["type"],
        "stdio"
    );
    let unknown = Launch::bare(&["client-config", "notepad"]).finish();
    assert!(unknown.code == Some(2) && unknown.stderr.contains("claude-desktop"), "{unknown:?}");
    let missing = Launch::bare(&["client-config", "zed", "--root-dir", "/nonexistent"]).finish();
    assert!(missing.code == Some(1) && missing.stderr.contains("/nonexistent"), "{missing:?}");
}
