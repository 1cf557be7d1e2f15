//! What is written down about the agent's files: operations, violations, frequencies; content never.

use crate::agent_test;
use crate::harness::*;
use serde_json::{Value, json};

const SECRET: &str = "the secret content of a file";

fn is_operation(line: &Value) -> bool {
    line["msg"] == "filesystem operation"
}

/// Ledger: A-070, B-055, B-056
agent_test!(a_070_every_operation_is_on_record, json!({"log_level": "trace"}), |b| {
    b.value("cache_file", json!({"path": "docs/a", "content": SECRET}));
    let line = b.server.log.wait_for("the operation", is_operation);
    let arguments: Value = serde_json::from_str(text(&line["arguments"])).unwrap();
    let hidden = json!({"bytes": SECRET.len(), "sha256": sha256(SECRET.as_bytes())});
    assert_eq!(arguments, json!({"path": "docs/a", "content": hidden}));
    assert_eq!(
        ["level", "operation", "path", "result", "client"].map(|key| text(&line[key])),
        ["TRACE", "cache_file", "docs/a", "success", "black-box 1.0"]
    );
    assert!(text(&line["timestamp"]).ends_with('Z'), "{line}");
    let files = json!([{"path": "docs/b", "content": SECRET}]);
    b.value("cache_file", json!({"files": files}));
    b.value_asked("request_file", json!({"path": "docs/c"}), |_| Says::text(SECRET));
    b.server.log.wait_for("the request", |l| {
        is_operation(l) && l["operation"] == "request_file" && l["result"] == "success"
    });
    b.call("cache_file", json!({"path": "lib/x", "content": SECRET}));
    b.server.log.wait_for("the failure", |l| is_operation(l) && l["result"] == "error");
    assert!(b.server.log.raw().iter().all(|line| !line.contains(SECRET)), "content was logged");
});

/// Ledger: B-056
agent_test!(b_056_operations_are_seen_at_level_trace_only, |b| {
    b.value("cache_file", json!({"path": "docs/a", "content": "x"}));
    b.server.log.call_of("guide_cache_file");
    assert!(!b.server.log.lines().iter().any(is_operation));
});

/// Ledger, B-021, B-057, B-058, B-059, B-060
agent_test!(b_058_a_violation_is_on_record_with_its_circumstances, |b| {
    for path in ["lib/x", "docs/../../y", "/etc/passwd"] {
        b.call("cache_file", json!({"path": path, "content": SECRET}));
    }
    b.project.mkdir("docs").link("docs/out", "/etc");
    b.call("request_file", json!({"path": "docs/out/passwd"}));
    b.server.log.violation_of("guide_request_file");
    let lines = b.server.log.lines();
    let violations: Vec<&Value> =
        lines.iter().filter(|l| l["msg"] == "security violation").collect();
    let column = |key: &str| violations.iter().map(|l| text(&l[key])).collect::<Vec<_>>();
    assert_eq!(
        column("attempted_path"),
        ["lib/x", "docs/../../y", "/etc/passwd", "docs/out/passwd"]
    );
    assert_eq!(
        column("violation_type"),
        ["outside_allowed_paths", "path_traversal", "path_traversal", "symlink_escape"]
    );
    assert!(column("level").iter().all(|level| *level == "WARN"));
    assert!(column("client").iter().all(|client| *client == "black-box 1.0"));
    assert!(column("backtrace").iter().all(|trace| trace.contains("Cx::agent_path")), "{lines:?}");
    let counts: Vec<u64> = violations.iter().map(|l| number(&l["violation_count"])).collect();
    assert_eq!(counts, [1, 2, 3, 4]);
    assert_eq!(number(&b.stats()["violations"]), 4);
    assert!(b.server.log.raw().iter().all(|line| !line.contains(SECRET)), "content was logged");
});

/// Ledger
agent_test!(a_071_calls_are_counted_by_client, |b| {
    for _ in 0..3 {
        b.value("cache_file", json!({"path": "docs/a", "content": "x"}));
    }
    b.call("cache_file", json!({"path": "lib/a", "content": "x"}));
    let rate = b.stats()["rate"].clone();
    assert_eq!(rate, json!({"black-box 1.0": {"calls": 5, "per_minute": 5, "violations": 1}}));
    if b.wire.transport == Transport::Http {
        b.another("someone else").call("cache_stats", json!({}), |_| Says::Nothing);
        assert_eq!(b.stats()["rate"]["someone else 1.0"]["calls"], 1);
    }
});

/// Ledger: A-072
agent_test!(
    a_072_a_burst_is_worth_a_warning,
    json!({"filesystem": {"burst_per_minute": 5}}),
    |b| {
        for _ in 0..5 {
            b.stats();
        }
        assert!(!b.server.log.lines().iter().any(|l| l["msg"] == "unusual call frequency"));
        for _ in 0..5 {
            b.stats();
        }
        let line = b.server.log.wait_for("the burst", |l| l["msg"] == "unusual call frequency");
        assert_eq!(
            [&line["level"], &line["client"], &line["per_minute"], &line["expected"]],
            [&json!("WARN"), &json!("black-box 1.0"), &json!(6), &json!(5)]
        );
        let warned = |l: &&Value| l["msg"] == "unusual call frequency";
        assert_eq!(b.server.log.lines().iter().filter(warned).count(), 1, "once is enough");
    }
);

/// A tool that waits for the client is announced at TRACE from beginning to end.
agent_test!(e_021_a_waiting_tool_completes_at_trace, json!({"log_level": "trace"}), |b| {
    b.value_asked("request_file", json!({"path": "docs/c"}), |_| Says::text("content"));
    for words in
        ["Tool called: guide_request_file", "Tool guide_request_file completed successfully"]
    {
        let line = b.server.log.wait_for(words, |line| line["msg"] == words);
        assert_eq!(line["level"], "TRACE", "{words}");
    }
});
