//! Failures of toolset `files`: codes, messages, envelope, sandbox, the operator's rules, the log.

use crate::files_test;
use crate::harness::files::*;
use crate::harness::*;
use serde_json::{Value, json};

/// A call of every tool on `path`.
fn every_tool(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("list", p(path)),
        ("read", p(path)),
        ("write", p(path).and("content", "x").and("make_dirs", true)),
        ("mkdir", p(path)),
        ("delete", p(path).and("recursive", true)),
        ("copy", from_to(path, "copied")),
        ("copy", from_to("f.txt", path)),
        ("move", from_to(path, "moved")),
        ("move", from_to("f.txt", path)),
        ("info", p(path)),
        ("search", json!({"root_path": path, "pattern": "s"})),
    ]
}

/// No tool leaves the directory: not by `..`, not by an absolute path, not through links, not with a NUL.
/// Ledger: D-E01, D-E07, D-004, D-005, D-006, D-P01, D-P02, D-P04
files_test!(d_e01_outside, |b| {
    b.outside().write("secret.txt", "s").mkdir("dir");
    b.ws.write("f.txt", "x").mkdir("sub");
    b.ws.link("out", b.outside().host()).link("evil", b.outside().path("secret.txt"));
    b.ws.link("dangling", b.outside().path("new.txt")).link("loop", "loop");
    b.workspace.all().write("roots/workspace-twin/t.txt", "t");
    let twin = b.workspace.all().path("roots/workspace-twin/t.txt");
    for path in [
        "../../outside/secret.txt",
        "sub/../../../outside/secret.txt",
        "/etc/passwd",
        "../workspace-twin/t.txt",
        twin.to_str().unwrap(),
        "out/secret.txt",
        "out/new.txt",
        "evil",
        "dangling",
        "loop",
        "f.txt\0",
    ] {
        for (tool, arguments) in every_tool(path) {
            refuses(b, tool, arguments, OUTSIDE, path);
        }
    }
});

/// Relative parts and links that stay inside are followed.
/// Ledger: D-004, D-P02, D-P04
files_test!(d_004_inside, |b| {
    b.ws.write("dir/f.txt", "x").link("ln", "dir").link("abs", b.ws.path("dir/f.txt"));
    let host = format!("{}/dir/f.txt", b.ws.host());
    for path in ["dir/f.txt", "./dir//f.txt", "dir/../dir/f.txt", "ln/f.txt", "abs", &host] {
        assert_eq!(b.ok("read", p(path))["content"], "x", "{path}");
    }
    assert_eq!(b.ok("read", p(&host))["metadata"]["path"], "dir/f.txt", "answers are relative");
});

/// On Unix a backslash is a character of a name, not a separator.
files_test!(d_p03_separators, |b| {
    b.ws.write("sub/f.txt", "in sub").write("sub\\f.txt", "with a backslash");
    assert_eq!(b.ok("read", p("sub\\f.txt"))["content"], "with a backslash");
    assert_eq!(b.ok("read", p("sub//f.txt"))["content"], "in sub");
    refuses(b, "read", p("sub\\g.txt"), MISSING, "sub\\g.txt");
});

/// Every tool tells of a missing path in the same words.
/// Ledger: D-E03, D-E07
files_test!(d_e03_not_found, |b| {
    for (tool, arguments) in [
        ("list", p("ghost")),
        ("read", p("ghost")),
        ("write", p("ghost/f").and("content", "x")),
        ("mkdir", p("ghost/d").and("recursive", false)),
        ("delete", p("ghost")),
        ("copy", from_to("ghost", "x")),
        ("move", from_to("ghost", "x")),
        ("info", p("ghost")),
        ("search", json!({"root_path": "ghost", "pattern": "x"})),
    ] {
        let path = arguments.get("path").or(arguments.get("source")).or(arguments.get("root_path"));
        let path = text(path.unwrap()).to_owned();
        refuses(b, tool, arguments, MISSING, &path);
    }
    b.ws.write("src/main.rs", "x");
    let error = refuses(b, "read", p("src/mian.rs"), MISSING, "src/mian.rs");
    assert_eq!(error["details"]["hint"], "did you mean src/main.rs?");
});

/// The whole envelope, and what exists already.
/// Ledger: D-E04, D-E06
files_test!(d_e06_envelope, |b| {
    b.ws.write("f.txt", "x");
    assert_eq!(
        envelope(b, "write", json!({"path": "./f.txt", "content": "y", "mode": "create_new"})),
        json!({"error": {
            "code": "already_exists",
            "message": "The file already exists and overwrite is not enabled",
            "details": {"path": "./f.txt", "operation": "write",
                        "hint": "use mode=overwrite to replace it or mode=append to extend it"}}})
    );
});

/// Every tool names the parameter that is missing, unknown or of the wrong type.
/// Ledger: D-E05, D-E07
files_test!(d_e05_parameters, |b| {
    for (tool, mut arguments) in every_tool("f.txt") {
        let known: Vec<String> = arguments.as_object().unwrap().keys().cloned().collect();
        refuses_parameters(b, tool, json!({}), &[&format!("{} is required", known[0])]);
        arguments[&known[0]] = json!(5);
        refuses_parameters(b, tool, arguments.clone(), &[&known[0], "string"]);
        arguments[&known[0]] = json!("f.txt");
        let unknown = arguments.and("colour", "red");
        refuses_parameters(b, tool, unknown, &["colour", &known[0]]);
    }
    let error =
        envelope(b, "search", json!({"root_path": "here", "pattern": "x", "max_results": "many"}));
    assert_eq!(error["error"]["details"], json!({"path": "here", "operation": "search"}));
});

/// The operator's allowlist holds here too, before arguments are judged; what it never allows is not listed.
/// Ledger: D-E02, D-F04
files_test!(
    d_e02_allowlist,
    Config::default().set("allowed_tools", json!(["list_folder", "read_file", "remove_file"])),
    |b| {
        b.ws.write("f.txt", "x").mkdir("dir");
        let names: Vec<Value> =
            b.session.tools().into_iter().map(|tool| tool["name"].clone()).collect();
        assert_eq!(names, ["list", "read", "delete"]);
        b.ok("list", p("."));
        b.ok("read", p("f.txt"));
        for (tool, arguments) in every_tool("f.txt") {
            if !["list", "read", "delete"].contains(&tool) {
                let path = arguments
                    .get("path")
                    .or(arguments.get("source"))
                    .or(arguments.get("root_path"));
                let path = text(path.unwrap()).to_owned();
                let error = refuses(b, tool, arguments, DENIED, &path);
                assert_eq!(error["details"]["hint"], format!("tool {tool} not allowed"));
            }
        }
        refuses(b, "write", json!({"nonsense": 1}), DENIED, "");
        refuses(b, "delete", p("dir"), DENIED, "dir");
        refuses(b, "delete", p("dir").and("force", true), DENIED, "dir");
        b.ok("delete", p("f.txt"));
    }
);

/// A read-only directory is read, and nothing else.
/// Ledger: D-E02, D-F04
files_test!(d_e02_read_only, Config::default().set("read_only", json!(true)), |b| {
    b.ws.write("f.txt", "x");
    b.ok("read", p("f.txt"));
    let names: Vec<Value> =
        b.session.tools().into_iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["list", "read", "info", "search"]);
    for (tool, arguments) in every_tool("f.txt") {
        if ["write", "mkdir", "delete", "copy", "move"].contains(&tool) {
            let error = refuses(b, tool, arguments, DENIED, "f.txt");
            assert_eq!(
                error["details"]["hint"],
                format!("tool {tool} not allowed: the root is read-only")
            );
        }
    }
});

/// The same rule binds what the guide writes into the directory.
/// Ledger: D-F04
#[test]
fn d_f04_read_only_binds_guide_documents() {
    let workspace = Workspace::new();
    let home = workspace.root("workspace");
    let config = Config::default().set("read_only", json!(true));
    let b = STDIO.launch(workspace, config, |launch| {
        launch.args(&["--toolset", "guide", "--root-dir", home.host()])
    });
    let arguments = json!({"category": "docs", "name": "a.md", "content": "x", "explicit_action": "CREATE_DOCUMENT"});
    let answer = b.call("guide_create_document", arguments);
    assert!(answer.is_error && answer.text.contains("the root is read-only"), "{}", answer.text);
    assert!(!b.ws.has(".guide"));
}

/// What the operator hides is there for no tool.
/// Ledger: D-E02, D-F04
files_test!(d_e02_deny, Config::default().set("deny", json!([".env", "secrets"])), |b| {
    b.ws.write(".env", "s=1").write("secrets/key", "s").write("f.txt", "x").link("ln", ".env");
    for path in [".env", "secrets/key", "ln"] {
        refuses(b, "read", p(path), DENIED, path);
        refuses(b, "delete", p(path).and("force", true), DENIED, path);
    }
    let got = b.ok("list", p(".").and("recursive", true).and("include_hidden", true));
    assert_eq!(column(&got["entries"], "path"), ["f.txt", "ln"]);
    assert_eq!(b.ok("search", json!({"root_path": ".", "pattern": "s"}))["total_matches"], 0);
});

/// Every call leaves a record with its time; a failure tells what and where.
/// Ledger: D-P10, D-P11
files_test!(d_p10_log, |b| {
    b.outside().write("secret.txt", "s");
    b.ws.write("f.txt", "x").link("evil", b.outside().path("secret.txt"));
    b.ok("read", p("f.txt"));
    let line = b.server.log.call_of("read");
    assert_eq!((&line["path"], &line["outcome"]), (&json!("f.txt"), &json!("success")));
    assert!(text(&line["time"]).starts_with("20") && line["duration_ms"].is_number(), "{line}");
    envelope(b, "info", p("ghost"));
    let line = b.server.log.call_of("info");
    assert_eq!((&line["path"], &line["code"]), (&json!("ghost"), &json!("not_found")));
    assert!(text(&line["error"]).contains("not found"), "{line}");
    envelope(b, "list", p("evil"));
    let line = b.server.log.violation_of("list");
    let secret = b.outside().path("secret.txt");
    assert_eq!(
        (&line["attempted_path"], text(&line["resolved_path"])),
        (&json!("evil"), secret.to_str().unwrap())
    );
    envelope(b, "mkdir", json!({"path": "d", "colour": 1}));
    assert_eq!(b.server.log.call_of("mkdir")["path"], "d");
});
