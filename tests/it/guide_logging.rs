//! What the log says before and after every call.

use crate::harness::*;
use serde_json::{Value, json};

fn traced(wire: Wire) -> Bench {
    wire.guide_on(Workspace::new(), |launch| launch.args(&["--log-level", "trace"]))
}

fn said(b: &Bench, words: &str) -> Value {
    b.server.log.wait_for(words, |line| line["msg"] == words)
}

/// Called, then completed; the record stays.
/// Ledger: E-020, E-022, E-024
fn success(wire: Wire) {
    let b = traced(wire);
    b.ws.write(".guide/lang/a.md", "THE CONTENT");
    b.value("get_content", json!({"expression": "lang"}));
    assert_eq!(said(&b, "Tool called: guide_get_content")["level"], "TRACE");
    assert_eq!(said(&b, "Tool guide_get_content completed successfully")["level"], "DEBUG");
    b.server.log.call_of("guide_get_content");
    let lines = b.server.log.raw();
    let at = |words: &str| lines.iter().position(|line| line.contains(words)).unwrap();
    assert!(at("Tool called: ") < at("completed successfully"), "{lines:?}");
    assert!(!lines.join("").contains("THE CONTENT"));
}

/// Ledger: E-022, E-024
#[test]
fn e_020_success_stdio() {
    success(STDIO);
}

#[test]
fn e_020_success_http() {
    success(HTTP);
}

/// A failure is an error in the log; the client still gets it.
/// Ledger: E-023
fn failure(wire: Wire) {
    let b = traced(wire);
    b.failure("get_content", json!({"expression": "nope"}), "not_found");
    let line = said(&b, "Tool guide_get_content failed: Category 'nope' not found in project");
    assert_eq!(line["level"], "ERROR");
    b.failure("get_content", json!({}), "validation");
    let line = said(&b, "Tool guide_get_content failed: expression is required");
    assert_eq!(line["level"], "ERROR");
}

#[test]
fn e_023_failure_stdio() {
    failure(STDIO);
}

#[test]
fn e_023_failure_http() {
    failure(HTTP);
}

/// A violation is a warning, not an error.
/// Ledger: E-023
#[test]
fn e_023_violations_warn() {
    let b = traced(STDIO);
    b.ws.link(".guide/away", b.outside().path(""));
    let arguments = json!({"category": "away", "name": "a.md", "content": "X", "explicit_action": "CREATE_DOCUMENT"});
    b.failure("create_document", arguments, "security");
    assert_eq!(b.server.log.violation_of("guide_create_document")["level"], "WARN");
    assert!(!b.server.log.raw().join("").contains("Tool guide_create_document failed"));
}

/// At the usual level there is the record and nothing else.
/// Ledger: E-024
#[test]
fn e_024_quiet_by_default() {
    let b = STDIO.guide();
    b.value("list_feature_flags", json!({}));
    b.server.log.call_of("guide_list_feature_flags");
    assert!(!b.server.log.raw().join("").contains("Tool "), "{:?}", b.server.log.raw());
}
