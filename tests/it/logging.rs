//! The log: JSON lines on stderr, one record per call, warnings for violations, never any content.

use crate::harness::*;
use crate::wire_test;
use serde_json::{Value, json};

/// Every line is an object with time, level and message; nothing but protocol goes to stdout.
wire_test!(c_s14_every_line_is_json, |b| {
    b.ws.write("f.txt", "x");
    b.ok("read_file", ws("f.txt"));
    b.fails("read_file", ws("ghost"));
    b.fails("read_file", ws("../x"));
    b.server.log.violation_of("read_file");
    for line in b.server.log.lines() {
        assert!(line.is_object(), "not JSON: {line}");
        for key in ["time", "level", "msg"] {
            assert!(line[key].is_string(), "{key} is missing: {line}");
        }
        assert!(line["time"].as_str().unwrap().starts_with("20"), "{line}");
    }
    assert!(
        b.session.heard().iter().all(|m| m.get("not_json").is_none()),
        "stdout is for the protocol"
    );
});

/// A successful call leaves a record with everything an operator asks for.
wire_test!(c_nfr_017_a_record_per_call, |b| {
    b.ws.write("dir/f.txt", "content");
    let answer = b.call("read_file", ws("dir/f.txt"));
    let line = b.server.log.call_of("read_file");
    assert_eq!((&line["root"], &line["path"]), (&json!("workspace"), &json!("dir/f.txt")));
    assert_eq!(line["outcome"], "success");
    assert!(line["duration_ms"].is_number(), "{line}");
    assert!(number(&line["response_bytes"]) >= answer.text.len() as u64, "{line}");
    assert!(line.get("client").is_some_and(|c| !c.is_null()), "{line}");
});

/// A failed call leaves one too, a violation included.
wire_test!(c_nfr_017_failures_are_recorded, |b| {
    b.fails("stat_file", ws("ghost"));
    let line = b.server.log.call_of("stat_file");
    assert_eq!((&line["outcome"], &line["path"]), (&json!("error"), &json!("ghost")));
    b.fails("hash_file", ws("../x").and("algorithm", "md5"));
    assert_eq!(b.server.log.call_of("hash_file")["outcome"], "error");
});

/// Exactly one record for each call.
wire_test!(c_nfr_017_one_record_each, |b| {
    b.ws.write("f.txt", "x");
    for _ in 0..5 {
        b.ok("read_file", ws("f.txt"));
    }
    b.ok("stat_file", ws("f.txt"));
    b.server.log.call_of("stat_file");
    let is_read = |l: &Value| l["msg"] == "tool call" && l["tool"] == "read_file";
    assert_eq!(b.server.log.lines().into_iter().filter(is_read).count(), 5);
});

/// Copy and move are recorded with both ends.
wire_test!(c_nfr_017_both_ends_of_a_copy, Config::roots(&["source", "dest"]), |b| {
    b.root("source").write("from.txt", "x");
    b.ok("copy", across("source", "from.txt", "dest", "to.txt"));
    let line = b.server.log.call_of("copy").to_string();
    for part in ["source", "from.txt", "dest", "to.txt"] {
        assert!(line.contains(part), "{part} is missing: {line}");
    }
});

/// At the start the log names the address, the roots and the file, and no path of a root.
#[test]
fn c_nfr_018_the_start_is_logged() {
    let b = HTTP.with(Config::roots(&["workspace"]).root("secret-plans", &["read_file"]));
    b.ok("list_roots", json!({}));
    b.server.log.call_of("list_roots");
    let log = b.server.log.raw().join("\n");
    for part in [&b.address().to_string(), "workspace", "secret-plans", "config.yaml"] {
        assert!(log.contains(part), "{part} is missing:\n{log}");
    }
    assert!(!log.contains(b.root("").host()), "a path of a root is logged:\n{log}");
}

/// A path that leaves the root is a warning with the attempt and where it led.
wire_test!(c_nfr_019_escapes_are_warnings, |b| {
    b.ws.link("escape", b.outside().path(""));
    b.outside().write("secret.txt", "SECRET");
    b.fails("read_file", ws("escape/secret.txt"));
    let line = b.server.log.violation_of("read_file");
    assert_eq!((&line["level"], &line["root"]), (&json!("WARN"), &json!("workspace")));
    assert_eq!(line["attempted_path"], "escape/secret.txt");
    assert!(text(&line["resolved_path"]).contains("outside"), "{line}");
    assert!(line["violation_type"].is_string(), "{line}");
    b.fails("stat_file", ws("../../etc/passwd"));
    assert_eq!(b.server.log.violation_of("stat_file")["attempted_path"], "../../etc/passwd");
    b.fails("hash_file", ws("a\0b").and("algorithm", "md5"));
    b.server.log.violation_of("hash_file");
});

/// A tool that is not allowed is a warning too, of another kind.
wire_test!(c_nfr_019_denials_are_warnings, Config::default().root("closed", &["read_file"]), |b| {
    b.fails("write_file", at("closed", "f.txt").and("content", "x"));
    let denied = b.server.log.violation_of("write_file");
    assert_eq!((&denied["level"], &denied["root"]), (&json!("WARN"), &json!("closed")));
    assert_eq!(denied["attempted_path"], "f.txt");
    b.fails("read_file", at("closed", "../x"));
    let escaped = b.server.log.violation_of("read_file");
    assert_ne!(denied["violation_type"], escaped["violation_type"]);
});

/// What is in the files and in the arguments never reaches the log, at no level.
#[test]
fn c_nfr_017_content_is_never_logged() {
    for wire in [STDIO, HTTP, STDIO_MODERN, HTTP_LEGACY] {
        for level in ["trace", "info"] {
            let verbose = |launch: Launch| launch.args(&["--log-level", level]);
            let b = wire.launch(Workspace::new(), Config::roots(&["workspace"]), verbose);
            b.ok("write_file", ws("f.txt").and("content", "CONFIDENTIAL line\n"));
            b.ok("read_file", ws("f.txt"));
            b.ok("grep", ws(".").and("pattern", "line"));
            let diff = replace_line(1, "CONFIDENTIAL line", "CONFIDENTIAL other");
            b.ok("patch_file", ws("f.txt").and("patch", diff));
            b.fails(
                "patch_file",
                ws("f.txt").and("patch", replace_line(1, "CONFIDENTIAL no", "x")),
            );
            b.server.log.wait_for("the last call", |l| {
                l["tool"] == "patch_file" && l["outcome"] == "error"
            });
            let log = b.server.log.raw().join("\n");
            assert!(!log.contains("CONFIDENTIAL"), "{wire:?} {level}:\n{log}");
        }
    }
}

/// The level of the flag and of the file is obeyed.
#[test]
fn c_s14_log_level() {
    let config = Config::roots(&["workspace"]).set("log_level", json!("error"));
    let b = STDIO.with(config);
    b.ok("list_roots", json!({}));
    b.fails("read_file", ws("../x"));
    std::thread::sleep(std::time::Duration::from_millis(200));
    let quiet = |l: &Value| l["level"] == "ERROR";
    assert!(b.server.log.lines().iter().all(quiet), "{:?}", b.server.log.raw());
}
