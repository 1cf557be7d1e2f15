//! MCP itself: both eras, what is listed, what is refused, cancellation, progress.

use crate::era_test;
use crate::harness::http::Request;
use crate::harness::wire::{LEGACY, MODERN, initialize_params, request};
use crate::harness::*;
use crate::limits::slow_tree;
use crate::roots_list::ALL_TOOLS;
use crate::wire_test;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn one_root() -> Config {
    Config::roots(&["workspace"])
}

/// Fifteen tools, and none of the things the seed leaves out.
/// Ledger: C-N02, C-N03, C-N04, C-N05, C-N06, C-N07, C-N08, C-N09, C-P03
era_test!(c_s01_fifteen_tools, one_root(), |b| {
    let tools = json!(b.session.tools());
    let mut names = column(&tools, "name");
    names.sort_unstable();
    let mut expected = [&ALL_TOOLS[..], &["list_roots"]].concat();
    expected.sort_unstable();
    assert_eq!(names, expected);
});

/// The list is the same each time, byte for byte.
era_test!(c_s01_the_list_is_deterministic, one_root(), |b| {
    let first = json!(b.session.tools()).to_string();
    b.ok("list_roots", json!({}));
    assert_eq!(json!(b.session.tools()).to_string(), first);
});

/// No tool asks for approval; readers say that they only read.
/// Ledger: C-FR-003.4, C-P01
wire_test!(c_n01_no_destructive_hints, |b| {
    let readers = [
        "list_roots",
        "list_folder",
        "read_file",
        "stat_file",
        "hash_file",
        "permissions_file",
        "grep",
        "glob",
    ];
    for tool in b.session.tools() {
        let hints = &tool["annotations"];
        assert_eq!(hints["destructiveHint"], false, "{tool}");
        let reads = readers.contains(&text(&tool["name"]));
        assert_eq!(hints["readOnlyHint"].as_bool().unwrap_or(false), reads, "{tool}");
    }
});

/// With honest annotations the destructive tools say so.
wire_test!(c_n01_honest_annotations, one_root().set("annotations", json!("honest")), |b| {
    for tool in b.session.tools() {
        let hint = tool["annotations"]["destructiveHint"].as_bool();
        match text(&tool["name"]) {
            "remove_file" | "remove_folder" | "write_file" | "patch_file" | "move" | "copy" => {
                assert_eq!(hint, Some(true), "{tool}");
            }
            "read_file" | "grep" | "list_folder" => assert_eq!(hint, Some(false), "{tool}"),
            _ => {}
        }
    }
});

/// Every description says what the tool does and that it needs a root; every argument is described.
/// Ledger: C-US-009
wire_test!(c_nfr_012_descriptions, |b| {
    for tool in b.session.tools() {
        let name = text(&tool["name"]);
        assert!(text(&tool["description"]).to_lowercase().contains("root"), "{name}");
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}: unknown keys are refused");
        for (argument, kind) in schema["properties"].as_object().into_iter().flatten() {
            assert!(
                kind["description"].is_string() || kind["enum"].is_array(),
                "{name}.{argument}: {kind}"
            );
            assert!(kind.get("format").is_none(), "{name}.{argument}: clients do not know {kind}");
        }
    }
});

/// The arguments and what is required of them are the seed's.
/// Ledger: C-FR-005.1, C-FR-016.1, C-FR-017.1
wire_test!(c_nfr_012_schemas_have_the_arguments_of_the_seed, |b| {
    let expected = [
        ("list_roots", "", ""),
        ("list_folder", "root path", ""),
        ("read_file", "root path", "offset_bytes limit_bytes offset_lines limit_lines"),
        ("write_file", "root path content", "mode"),
        ("remove_file", "root path", ""),
        ("patch_file", "root path patch", ""),
        ("create_folder", "root path", ""),
        ("remove_folder", "root path", ""),
        ("stat_file", "root path", ""),
        ("hash_file", "root path algorithm", ""),
        ("permissions_file", "root path", ""),
        ("copy", "source_root source_path dest_root dest_path", ""),
        ("move", "source_root source_path dest_root dest_path", ""),
        (
            "grep",
            "root pattern",
            "path glob_filter case_insensitive context_lines max_results timeout_seconds max_depth",
        ),
        ("glob", "root", "pattern regex path max_results timeout_seconds max_depth type_filter"),
    ];
    let tools = b.session.tools();
    for (name, required, optional) in expected {
        let schema = &tools.iter().find(|t| t["name"] == name).unwrap_or_else(|| panic!("{name}"))
            ["inputSchema"];
        let mut listed: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().map(text).collect();
        let mut wanted: Vec<&str> = required.split_whitespace().collect();
        listed.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(listed, wanted, "{name}");
        for argument in required.split_whitespace().chain(optional.split_whitespace()) {
            assert!(schema["properties"][argument].is_object(), "{name}.{argument}");
        }
    }
});

/// Names, descriptions and input schemas together stay within 9 KiB: every conversation pays for them.
wire_test!(c_nfr_012_the_list_is_small, |b| {
    let slim = |t: &Value| json!({"name": t["name"], "description": t["description"], "inputSchema": t["inputSchema"]});
    let bytes = json!(b.session.tools().iter().map(slim).collect::<Vec<_>>()).to_string().len();
    assert!(bytes <= 9216, "{bytes} bytes");
});

/// The handshake names the server and agrees on a version it knows, never on one it does not.
#[test]
fn c_p03_the_handshake() {
    for (asked, agreed) in
        [(LEGACY, Some(LEGACY)), ("2025-06-18", Some("2025-06-18")), ("1999-01-01", None)]
    {
        let b = STDIO_MODERN.bench();
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params(asked)});
        match b.session.exchange(&hello) {
            Ok(answer) => {
                assert_eq!(answer["serverInfo"]["name"], "mcp-filesystem");
                assert!(answer["capabilities"]["tools"].is_object(), "{answer}");
                let version = text(&answer["protocolVersion"]);
                assert!(version != "1999-01-01", "an unknown version is not echoed");
                assert!(agreed.is_none_or(|agreed| agreed == version), "{asked} -> {version}");
            }
            Err(e) => assert!(agreed.is_none(), "{asked}: {e:?}"),
        }
    }
}

/// The stateless era: discovery, result types, cache hints, no session.
#[test]
fn c_p03_discovery() {
    for wire in [STDIO_MODERN, HTTP] {
        let b = wire.bench();
        let found = b.session.request("server/discover", json!({})).expect("server/discover");
        let versions: Vec<&str> = items(&found["supportedVersions"]).iter().map(text).collect();
        assert!(versions.contains(&MODERN), "{found}");
        assert_eq!(found["resultType"], "complete");
        let list = b.session.request("tools/list", json!({})).unwrap();
        assert!(list["ttlMs"].is_u64() && list["cacheScope"].is_string(), "{list}");
        assert_eq!(b.call("list_roots", json!({})).raw["resultType"], "complete");
    }
}

/// An unknown tool and an unknown method are errors of the protocol.
era_test!(c_p03_unknown_tool_and_method, one_root(), |b| {
    let tool =
        b.session.request("tools/call", json!({"name": "chmod", "arguments": {}})).unwrap_err();
    assert_eq!(tool.code, -32602, "{tool:?}");
    assert!(tool.message.contains("chmod"), "{tool:?}");
    let method = b.session.request("tools/frobnicate", json!({})).unwrap_err();
    assert_eq!(method.code, -32601, "{method:?}");
    let expected =
        if b.wire.transport == Transport::Http && b.wire.era == Era::Modern { 404 } else { 200 };
    assert_eq!(method.status, expected, "{method:?}");
    b.ok("list_roots", json!({}));
});

/// A stateless request without its metadata, in a foreign version, or contradicted by its headers is refused.
#[test]
fn c_p03_malformed_stateless_requests() {
    let b = HTTP.bench();
    let good = request(Era::Modern, 1, "tools/list", json!({}));
    let status_and_code = |r: Request| {
        let answer = r.send(b.address());
        (answer.status, answer.message()["error"]["code"].as_i64())
    };
    let mut bare = good.clone();
    bare["params"] = json!({});
    assert_eq!(status_and_code(Request::modern(&bare)), (400, Some(-32602)));
    let mut foreign = good.clone();
    foreign["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let answer =
        Request::modern(&foreign).header("MCP-Protocol-Version", "2099-01-01").send(b.address());
    assert_eq!((answer.status, answer.message()["error"]["code"].as_i64()), (400, Some(-32022)));
    assert!(items(&answer.message()["error"]["data"]["supported"]).contains(&json!(MODERN)));
    assert_eq!(
        status_and_code(Request::modern(&good).header("Mcp-Method", "tools/call")),
        (400, Some(-32020))
    );
    let call =
        request(Era::Modern, 2, "tools/call", json!({"name": "list_roots", "arguments": {}}));
    assert_eq!(
        status_and_code(Request::modern(&call).header("Mcp-Name", "read_file")),
        (400, Some(-32020))
    );
    let lost = request(Era::Modern, 3, "no/such", json!({}));
    assert_eq!(status_and_code(Request::modern(&lost)), (404, Some(-32601)));
}

/// A web page from elsewhere may not speak to the server; a local one may.
#[test]
fn c_p03_foreign_origins() {
    let b = HTTP.bench();
    let list = request(Era::Modern, 1, "tools/list", json!({}));
    let from =
        |origin: &str| Request::modern(&list).header("Origin", origin).send(b.address()).status;
    assert_eq!(from("https://evil.example"), 403);
    assert_eq!(from("http://localhost:3000"), 200);
    let local = Request::modern(&list).send(b.address());
    assert_eq!(local.header("Mcp-Session-Id"), None, "the stateless era has no sessions");
}

/// Nonsense on the wire is answered or ignored, and the server lives.
#[test]
fn c_p03_nonsense_on_the_wire() {
    let b = STDIO.bench();
    for line in ["nonsense", "{", "[]", "{\"jsonrpc\":\"2.0\"}", "", "null", "\u{0}", "{\"id\":1}"]
    {
        b.session.stdio().write(line.as_bytes());
    }
    b.session.stdio().write(b"\xff\xfe");
    b.ok("list_roots", json!({}));
    let b = HTTP.bench();
    for body in ["nonsense", "[]", "{}", ""] {
        let mut request = Request::post(&json!({}));
        request.body = body.as_bytes().to_vec();
        let status = request.send(b.address()).status;
        assert!((400..500).contains(&status), "{body:?}: {status}");
    }
    assert_eq!(Request::get("/elsewhere").send(b.address()).status, 404);
    b.ok("list_roots", json!({}));
}

/// A legacy session of another's making is not found.
#[test]
fn c_p03_unknown_session() {
    let b = HTTP_LEGACY.bench();
    let list = request(Era::Legacy, 1, "tools/list", json!({}));
    let stranger =
        Request::post(&list).header("Mcp-Session-Id", "no-such-session").send(b.address());
    assert_eq!(stranger.status, 404, "{}", stranger.text());
}

/// Stdio ends with exit code 0 when the client goes.
#[test]
fn c_p03_the_end_of_stdin() {
    let mut b = STDIO.bench();
    b.ok("list_roots", json!({}));
    b.session.stdio().hang_up();
    assert_eq!(b.server.wait().code(), Some(0));
}

/// HTTP ends with exit code 0 on SIGTERM, and lets a running call finish.
#[test]
fn c_p03_sigterm() {
    let mut b = HTTP.bench();
    slow_tree(&b.ws);
    let slow = slow_search(2);
    let answer = std::thread::scope(|scope| {
        let call = scope.spawn(|| b.session.call("grep", slow));
        std::thread::sleep(Duration::from_millis(700));
        b.server.terminate();
        call.join().expect("the call was answered")
    });
    assert_eq!(answer.ok()["timed_out"], true);
    assert_eq!(b.server.wait().code(), Some(0));
}

/// A search that takes as long as it may.
pub fn slow_search(seconds: u64) -> Value {
    ws(".")
        .and("pattern", crate::limits::SLOW_PATTERN)
        .and("timeout_seconds", seconds)
        .and("max_results", 100_000)
}

/// Wait until the server uses no processor time any more.
#[track_caller]
fn comes_to_rest(b: &Bench) {
    let until = Instant::now() + Duration::from_secs(15);
    let mut before = b.server.ticks();
    loop {
        std::thread::sleep(Duration::from_millis(400));
        let now = b.server.ticks();
        if now <= before + 1 {
            return;
        }
        assert!(Instant::now() < until, "still working");
        before = now;
    }
}

/// A cancelled search stops working, and its server goes on.
/// Ledger: C-S09
#[test]
fn c_nfr_004_cancellation_over_stdio() {
    for wire in [STDIO, STDIO_MODERN] {
        let b = wire.bench();
        slow_tree(&b.ws);
        let call =
            b.session.prepare("tools/call", json!({"name": "grep", "arguments": slow_search(300)}));
        let answer = b.session.stdio().post(&call);
        std::thread::sleep(Duration::from_millis(500));
        b.session.notify(
            "notifications/cancelled",
            json!({"requestId": call["id"], "reason": "enough"}),
        );
        comes_to_rest(&b);
        assert!(answer.try_recv().is_err(), "a cancelled request is not answered");
        b.ok("list_roots", json!({}));
    }
}

/// A client that closes its stream has cancelled.
#[test]
fn c_nfr_004_a_client_that_goes_away() {
    let b = HTTP.bench();
    slow_tree(&b.ws);
    let call =
        b.session.prepare("tools/call", json!({"name": "grep", "arguments": slow_search(300)}));
    let socket = Request::modern(&call).open(b.address());
    std::thread::sleep(Duration::from_millis(500));
    drop(socket);
    comes_to_rest(&b);
    b.ok("list_roots", json!({}));
}

/// Long work tells how far it is, to a client that asked for it, in growing numbers.
era_test!(c_nfr_004_progress, one_root(), |b| {
    slow_tree(&b.ws);
    let call =
        json!({"name": "grep", "arguments": slow_search(2), "_meta": {"progressToken": "how-far"}});
    let result = b.session.request("tools/call", call).expect("a result");
    assert_eq!(Answer::new("grep", result).ok()["timed_out"], true);
    let heard = b.session.heard();
    let notes: Vec<&Value> =
        heard.iter().filter(|m| m["method"] == "notifications/progress").collect();
    assert!(!notes.is_empty(), "no progress in two seconds: {heard:?}");
    assert!(notes.iter().all(|n| n["params"]["progressToken"] == "how-far"), "{notes:?}");
    let steps: Vec<f64> = notes.iter().map(|n| n["params"]["progress"].as_f64().unwrap()).collect();
    assert!(steps.windows(2).all(|w| w[0] < w[1]), "{steps:?}");
});

/// A hash and a copy of one huge file tell how far they are; cancelled, they stop and leave nothing behind.
#[test]
fn c_nfr_004_one_huge_file() {
    for wire in [STDIO, STDIO_MODERN] {
        let b = wire.bench();
        std::fs::File::create(b.ws.path("huge")).and_then(|f| f.set_len(1 << 36)).expect("a hole");
        let hash = json!({"root": "workspace", "path": "huge", "algorithm": "sha256"});
        for (tool, arguments) in [("hash_file", hash), ("copy", pair("huge", "copy"))] {
            let params =
                json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": tool}});
            let call = b.session.prepare("tools/call", params);
            let answer = b.session.stdio().post(&call);
            let steps = || -> Vec<f64> {
                let heard = b.session.heard();
                let ours = heard.iter().filter(|m| m["params"]["progressToken"] == tool);
                ours.map(|m| m["params"]["progress"].as_f64().unwrap()).collect()
            };
            let until = Instant::now() + Duration::from_secs(60);
            while steps().len() < 2 {
                assert!(Instant::now() < until, "{tool}: {:?}", steps());
                std::thread::sleep(Duration::from_millis(10));
            }
            b.session.notify("notifications/cancelled", json!({"requestId": call["id"]}));
            let record = b.server.log.call_of(tool);
            assert_eq!(record["code"], "cancelled", "{record}");
            assert!(steps().windows(2).all(|w| w[0] < w[1]), "{tool}: {:?}", steps());
            assert!(answer.try_recv().is_err(), "a cancelled request is not answered");
            assert_eq!(b.ws.names("."), ["huge"], "{tool}");
        }
    }
}
