//! Bearer tokens: who comes in, what each token opens, and that no token is ever shown.

use crate::harness::http::Request;
use crate::harness::*;
use crate::http_support::*;
use serde_json::{Value, json};

const READER: &str = "reader-token-4711";
const WRITER: &str = "writer-token-0815";
const SPARE: &str = "writer-token-spare";

/// Two roots; one token reads in `docs`, the holder of the other does everything everywhere.
fn config(workspace: &Workspace) -> Config {
    let file = format!("# tokens of the writer\n\n{WRITER}\n  {SPARE}  \n");
    workspace.all().write("writer.tokens", file);
    let tokens = json!([
        {"name": "reader", "sha256": sha256(READER.as_bytes()), "roots": ["docs"],
         "tools": ["read_file", "list_folder"]},
        {"name": "writer", "file": workspace.all().path("writer.tokens")},
    ]);
    Config::roots(&["docs", "secret"]).set("http", json!({"tokens": tokens}))
}

fn bench() -> Bench {
    let workspace = Workspace::new();
    workspace.root("docs").write("f.txt", "hello");
    workspace.root("secret").write("plan.txt", "gold");
    let config = config(&workspace);
    HTTP.on(workspace, config)
}

/// Without a token, with a wrong one, or with two, nobody comes in; the answer tells how to ask.
/// Ledger: D-F04
#[test]
fn without_a_token_401() {
    let b = bench();
    let list = message("tools/list", json!({}));
    let none = Request::modern(&list).send(b.address());
    assert_eq!(none.status, 401);
    assert_eq!(none.header("WWW-Authenticate"), Some("Bearer realm=\"mcp-filesystem\""));
    for wrong in
        ["", "x", "reader", &READER[1..], &format!("{READER} "), &sha256(READER.as_bytes())]
    {
        let trimmed = wrong.trim() == READER;
        let refused = bearing(wrong, "tools/list", json!({})).send(b.address());
        assert_eq!(refused.status, if trimmed { 200 } else { 401 }, "{wrong:?}");
    }
    let wrong = bearing("wrong", "tools/list", json!({})).send(b.address());
    let asked = wrong.header("WWW-Authenticate");
    assert_eq!(asked, Some("Bearer realm=\"mcp-filesystem\", error=\"invalid_token\""));
    let mut twice = bearing(READER, "tools/list", json!({}));
    twice.headers.push(("Authorization".into(), format!("Bearer {WRITER}")));
    assert_eq!(twice.send(b.address()).status, 401, "two tokens are none");
    let basic = Request::modern(&list).header("Authorization", &format!("Basic {READER}"));
    assert_eq!(basic.send(b.address()).status, 401);
    let lower = Request::modern(&list).header("authorization", &format!("bearer {READER}"));
    assert_eq!(lower.send(b.address()).status, 200, "the scheme has no case");
}

/// A token is looked for in the header only.
#[test]
fn never_in_the_query() {
    let b = bench();
    let mut request = Request::modern(&message("tools/list", json!({})));
    let path = format!("/mcp?access_token={READER}");
    request.path = &path;
    assert_eq!(request.send(b.address()).status, 401);
}

/// Hash, file and second line of a file open the same door; a comment is no token.
#[test]
fn from_hash_and_file() {
    let b = bench();
    for token in [READER, WRITER, SPARE] {
        let read = call_as(&b, token, "read_file", at("docs", "f.txt")).ok();
        assert_eq!(read["content"], "hello");
    }
    let comment = bearing("# tokens of the writer", "tools/list", json!({})).send(b.address());
    assert_eq!(comment.status, 401);
}

/// A root that is not for the token is not there: not in the list, not in the sentence, not in the hint.
/// Ledger: D-F04
#[test]
fn limits_the_roots() {
    let b = bench();
    let roots = call_as(&b, READER, "list_roots", json!({})).ok();
    let docs = json!({"roots": [{"name": "docs", "allowed_tools": ["list_folder", "read_file"]}]});
    assert_eq!(roots, docs);
    let hidden = call_as(&b, READER, "read_file", at("secret", "plan.txt")).fails();
    let absent = call_as(&b, READER, "read_file", at("nowhere", "plan.txt")).fails();
    assert_eq!(hidden.replace("secret", "nowhere"), absent, "hidden and absent look the same");
    assert!(hidden.starts_with("unknown root: secret"), "{hidden}");
    assert!(!absent.contains("secret"), "{absent}");
    assert_eq!(
        call_as(&b, WRITER, "list_roots", json!({})).ok()["roots"].as_array().unwrap().len(),
        2
    );
    assert_eq!(call_as(&b, WRITER, "read_file", at("secret", "plan.txt")).ok()["content"], "gold");
}

/// A tool that is not for the token is not listed, and refused with a sentence when called all the same.
/// Ledger: D-F04
#[test]
fn limits_the_tools() {
    let b = bench();
    assert_eq!(tools_of(&b, READER), ["list_roots", "list_folder", "read_file"]);
    assert_eq!(tools_of(&b, WRITER).len(), 15);
    let args = at("docs", "f.txt").and("content", "x").and("mode", "overwrite");
    let refused = call_as(&b, READER, "write_file", args).fails();
    let sentence = "tool write_file not allowed on root docs: the access token does not allow it";
    assert!(refused.starts_with(sentence), "{refused}");
    assert_eq!(b.root("docs").text("f.txt"), "hello");
    let across = across("docs", "f.txt", "secret", "f.txt");
    call_as(&b, READER, "copy", across).fails();
    assert!(!b.root("secret").has("f.txt"));
}

/// What depends on who asks is marked private for caches; without tokens it is public.
#[test]
fn lists_are_private() {
    let b = bench();
    let list = bearing(READER, "tools/list", json!({})).send(b.address()).message();
    assert_eq!(list["result"]["cacheScope"], "private");
    let open = HTTP.bench();
    let list = open.session.request("tools/list", json!({})).unwrap();
    assert_eq!(list["cacheScope"], "public");
}

/// The record of a call names the holder, a violation too; no token is in the log at any level.
/// Ledger: C-NFR-017, C-NFR-019
#[test]
fn the_log_names_the_holder_and_no_token() {
    let workspace = Workspace::new();
    workspace.root("docs").write("f.txt", "hello");
    let config = config(&workspace);
    let b = HTTP.launch(workspace, config, |launch| launch.args(&["--log-level", "trace"]));
    call_as(&b, READER, "read_file", at("docs", "f.txt")).ok();
    call_as(&b, READER, "list_folder", at("docs", "../x")).fails();
    bearing("a-wrong-token", "tools/list", json!({})).send(b.address());
    assert_eq!(b.server.log.call_of("read_file")["principal"], "reader");
    assert_eq!(b.server.log.violation_of("list_folder")["principal"], "reader");
    let refused = b.server.log.wait_for("a refusal", |line| line["msg"] == "token refused");
    assert_eq!(refused["violation_type"], "bad_token");
    assert!(text(&refused["remote"]).starts_with("127.0.0.1:"), "{refused}");
    let log = b.server.log.raw().join("\n");
    for secret in [READER, WRITER, SPARE, "a-wrong-token", &sha256(READER.as_bytes())] {
        assert!(!log.contains(secret), "the log shows {secret}:\n{log}");
    }
}

/// In the era of sessions every request proves itself: a session does not lend its rights, and is its opener's.
#[test]
fn sessions_lend_nothing() {
    let b = bench();
    let hello = wire::request(Era::Legacy, 1, "initialize", wire::initialize_params(wire::LEGACY));
    let post = |message: &Value, token: &str| {
        Request::post(message).header("Authorization", &format!("Bearer {token}"))
    };
    let opened = post(&hello, WRITER).send(b.address());
    let session = opened.header("Mcp-Session-Id").expect("a session").to_owned();
    let in_session = |message: &Value, token: &str| {
        let request = post(message, token).header("Mcp-Session-Id", &session);
        request.header("MCP-Protocol-Version", wire::LEGACY).send(b.address())
    };
    let ready = wire::notification("notifications/initialized", json!({}));
    assert_eq!(in_session(&ready, WRITER).status, 202);
    let params = json!({"name": "list_roots", "arguments": {}});
    let list = wire::request(Era::Legacy, 2, "tools/call", params);
    let mine = in_session(&list, WRITER).message();
    assert_eq!(mine["result"]["structuredContent"]["roots"].as_array().unwrap().len(), 2);
    assert_eq!(in_session(&list, READER).status, 404, "another's session is not found");
    let bare = Request::post(&list).header("Mcp-Session-Id", &session).send(b.address());
    assert_eq!(bare.status, 401, "a session is no token");
}

/// Health and readiness ask for nothing; metrics ask for a token as the rest does.
/// Ledger: C-FR-019.2
#[test]
fn what_is_open() {
    let b = bench();
    assert_eq!((get(&b, "/health").status, get(&b, "/health").text()), (200, "ok".into()));
    assert_eq!((get(&b, "/ready").status, get(&b, "/ready").text()), (200, "ready".into()));
    assert_eq!(get(&b, "/metrics").status, 401);
    let metrics = Request::get("/metrics").header("Authorization", &format!("Bearer {READER}"));
    assert_eq!(metrics.send(b.address()).status, 200);
}

/// A foreign origin is refused, the best token notwithstanding; so is a foreign host.
#[test]
fn origin_and_host_are_judged_too() {
    let workspace = Workspace::new();
    let config = config(&workspace)
        .set("allowed_hosts", json!(["files.example"]))
        .set("allowed_origins", json!(["https://app.example:443"]));
    let b = HTTP.on(workspace, config);
    let list = || bearing(WRITER, "tools/list", json!({})).header("Host", "files.example");
    assert_eq!(list().send(b.address()).status, 200);
    assert_eq!(list().header("Host", "evil.example").send(b.address()).status, 403);
    assert_eq!(list().header("Origin", "https://evil.example").send(b.address()).status, 403);
    assert_eq!(list().header("Origin", "https://app.example").send(b.address()).status, 200);
    assert_eq!(get(&b, "/health").status, 200, "health is for any host");
}

/// A client that started the server itself needs no token.
#[test]
fn stdio_needs_none() {
    let workspace = Workspace::new();
    workspace.root("secret").write("plan.txt", "gold");
    let config = config(&workspace);
    let b = STDIO.on(workspace, config);
    assert_eq!(b.ok("read_file", at("secret", "plan.txt"))["content"], "gold");
}

/// The toolsets that name no roots work on the directory `.`: a token without it can not use them, and `tools` holds
/// there too.
#[test]
fn the_one_directory_is_a_dot() {
    let workspace = Workspace::new();
    workspace.root("project").write(".guide/notes/a.md", "# A");
    let token = |name: &str, roots: Value, tools: Value| json!({"name": name, "sha256": sha256(name.as_bytes()), "roots": roots, "tools": tools});
    let tokens = json!([
        token("docs only", json!(["docs"]), Value::Null),
        token("guide only", json!(["."]), Value::Null),
        token("one tool", Value::Null, json!(["list_feature_flags"])),
    ]);
    let config = Config::roots(&["docs"])
        .set("toolsets", json!(["roots", "guide"]))
        .set("root_dir", json!(workspace.root("project").host()))
        .set("guide", json!({"config_dir": workspace.all().path("guide-config")}))
        .set("http", json!({"tokens": tokens}));
    let b = HTTP.on(workspace, config);
    let is_guide = |name: &String| name.starts_with("guide_");
    assert!(!tools_of(&b, "docs only").iter().any(is_guide));
    assert_eq!(tools_of(&b, "one tool"), ["list_roots", "guide_list_feature_flags"]);
    let of_guide = tools_of(&b, "guide only");
    assert!(of_guide.len() > 5 && of_guide[1..].iter().all(is_guide), "{of_guide:?}");
    let get =
        |token: &str| call_as(&b, token, "guide_get_content", json!({"expression": "notes"})).text;
    assert!(get("guide only").contains("# A"), "{}", get("guide only"));
    for token in ["docs only", "one tool"] {
        let refused = get(token);
        let sentence = "tool get_content not allowed on root .: the access token does not allow it";
        assert!(refused.contains(sentence) && !refused.contains("# A"), "{token}: {refused}");
    }
    let docs = call_as(&b, "guide only", "list_folder", at("docs", ".")).fails();
    assert!(docs.starts_with("unknown root: docs"), "{docs}");
}

/// A mistake in a token is found at start, with a sentence that names it.
#[test]
fn mistakes_are_found_at_start() {
    let hash = sha256(b"x");
    let cases: [(Value, &str); 9] = [
        (
            json!({"name": "t", "sha256": "abc"}),
            "token \"t\": sha256 must be 64 hexadecimal digits",
        ),
        (json!({"name": "t"}), "token \"t\": give either sha256 or file"),
        (
            json!({"name": "t", "sha256": hash, "file": "f"}),
            "token \"t\": give either sha256 or file",
        ),
        (
            json!({"name": "t", "file": "/nonexistent/tokens"}),
            "token \"t\": cannot read /nonexistent/tokens",
        ),
        (json!({"name": "t", "file": "/dev/null"}), "token \"t\": the file holds no token"),
        (
            json!({"name": "t", "sha256": hash, "roots": ["dosc"]}),
            "token \"t\": unknown root \"dosc\" (did you mean docs?); known: ., docs",
        ),
        (
            json!({"name": "t", "sha256": hash, "tools": ["red_file"]}),
            "token \"t\": unknown tool \"red_file\"",
        ),
        (json!({"name": " ", "sha256": hash}), "a token under http.tokens has an empty name"),
        (
            json!({"name": "t", "sha256": hash, "root": ["docs"]}),
            "http.tokens[0]: unknown key root (did you mean roots?)",
        ),
    ];
    for (token, sentence) in cases {
        refuses_to_start(&json!({"tokens": [token]}), sentence);
    }
    let one = json!({"name": "t", "sha256": hash});
    refuses_to_start(&json!({"tokens": [one, one]}), "duplicate token name: t");
    refuses_to_start(&json!({"token": []}), "http: unknown key token (did you mean tokens?)");
}

#[track_caller]
fn refuses_to_start(http: &Value, sentence: &str) {
    let workspace = Workspace::new();
    let file = Config::roots(&["docs"]).set("http", http.clone()).save(&workspace);
    let end = Launch::new(&file, Transport::Http).finish();
    assert_eq!(end.code, Some(1), "{end:?}");
    assert!(end.stderr.contains(sentence), "{sentence:?} is missing: {end:?}");
}

/// Listening beyond this machine without tokens is said loudly; with tokens, or on loopback, it is not.
#[test]
fn a_warning_when_open_to_all() {
    let warns =
        |config: Config, host: &str| {
            let workspace = Workspace::new();
            let file = config.save(&workspace);
            let mut server = Launch::bare(&["--config", file.to_str().unwrap()])
                .args(&["--host", host, "--port", "0"])
                .start();
            server.address();
            std::thread::sleep(std::time::Duration::from_millis(100));
            server.log.lines().iter().any(|line| {
                line["level"] == "WARN" && text(&line["msg"]).contains("without tokens")
            })
        };
    let tokens = json!({"tokens": [{"name": "t", "sha256": sha256(b"x")}]});
    assert!(warns(Config::roots(&["workspace"]), "0.0.0.0"));
    assert!(!warns(Config::roots(&["workspace"]), "127.0.0.1"));
    assert!(!warns(Config::roots(&["workspace"]).set("http", tokens), "0.0.0.0"));
}
