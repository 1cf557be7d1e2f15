//! The sealed ticket of the stateless era: good for one call of one client, for a while, unchanged.

use crate::harness::*;
use serde_json::{Value, json};
use std::time::Duration;

/// A question, as the client got it.
fn question(b: &AgentBench, arguments: &Value) -> Value {
    let result = b.session.exchange(&b.message("request_file", arguments.clone())).unwrap();
    assert_eq!(result["resultType"], "input_required", "{result}");
    result
}

fn answer() -> Value {
    json!({"answer": {
        "role": "assistant", "model": "agent", "content": {"type": "text", "text": "forged"}
    }})
}

/// The call again, with this state and an answer.
fn again(mut message: Value, state: &Value) -> Value {
    message["params"]["requestState"] = state.clone();
    message["params"]["inputResponses"] = answer();
    message
}

fn told(b: &AgentBench, message: &Value) -> Value {
    b.session.exchange(message).unwrap()["structuredContent"].clone()
}

#[track_caller]
fn is_refused(b: &AgentBench, told: &Value) {
    assert_eq!(
        (&told["error_type"], &told["error"]),
        (
            &json!("security"),
            &json!(
                "the request state was changed, has expired or belongs to another call or client"
            )
        )
    );
    assert_eq!(number(&b.stats()["entries"]), 0, "nothing was kept");
}

/// Ledger: B-010
#[test]
fn b_010_state_that_was_changed_is_refused() {
    for wire in [HTTP, STDIO_MODERN] {
        let b = AgentBench::start(wire, &json!({}));
        let arguments = json!({"path": "docs/a"});
        let state = question(&b, &arguments)["requestState"].clone();
        let sealed = text(&state);
        for at in [0, sealed.len() / 3, sealed.len() / 2, sealed.len() - 2] {
            let mut bytes = sealed.as_bytes().to_vec();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = json!(String::from_utf8(bytes).unwrap());
            let message = again(b.message("request_file", arguments.clone()), &changed);
            is_refused(&b, &told(&b, &message));
        }
        for nonsense in ["", "x", "e30="] {
            let message = again(b.message("request_file", arguments.clone()), &json!(nonsense));
            is_refused(&b, &told(&b, &message));
        }
        let line = b.server.log.violation_of("guide_request_file");
        assert_eq!(
            (&line["violation_type"], &line["attempted_path"]),
            (&json!("request_state"), &json!("docs/a"))
        );
    }
}

/// Ledger: B-010
#[test]
fn b_010_state_of_another_call_or_client_is_refused() {
    let b = AgentBench::start(HTTP, &json!({}));
    let arguments = json!({"path": "docs/a", "encoding": "utf-8"});
    let state = question(&b, &arguments)["requestState"].clone();
    let other_path = json!({"path": "docs/b", "encoding": "utf-8"});
    is_refused(&b, &told(&b, &again(b.message("request_file", other_path), &state)));
    let fewer = json!({"path": "docs/a"});
    is_refused(&b, &told(&b, &again(b.message("request_file", fewer.clone()), &state)));
    is_refused(&b, &told(&b, &again(b.message("request_directory", fewer), &state)));
    let other = b.another("someone else");
    let stolen = other.exchange(&again(other.message("request_file", arguments.clone()), &state));
    is_refused(&b, &stolen["structuredContent"]);
    let restarted = AgentBench::start(HTTP, &json!({}));
    let message = again(restarted.message("request_file", arguments), &state);
    is_refused(&restarted, &told(&restarted, &message));
    // The order of the arguments is no difference.
    let reordered = json!({"encoding": "utf-8", "path": "docs/a"});
    let told = told(&b, &again(b.message("request_file", reordered), &state));
    assert_eq!(told["value"]["content"], "forged");
}

/// Ledger: B-050
#[test]
fn b_050_state_that_is_too_old_is_a_timeout() {
    let b = AgentBench::start(HTTP, &json!({"sampling": {"timeout_seconds": 1}}));
    let arguments = json!({"path": "docs/a"});
    let state = question(&b, &arguments)["requestState"].clone();
    std::thread::sleep(Duration::from_millis(1_300));
    let told = told(&b, &again(b.message("request_file", arguments), &state));
    assert_eq!(told["error_type"], "timeout");
    assert_eq!(number(&b.stats()["entries"]), 0);
}

/// A client that brings no answer is asked again.
/// Ledger: B-010
#[test]
fn b_010_without_an_answer_the_question_stands() {
    let b = AgentBench::start(HTTP, &json!({}));
    let arguments = json!({"path": "docs/a"});
    let state = question(&b, &arguments)["requestState"].clone();
    let mut message = b.message("request_file", arguments.clone());
    message["params"]["requestState"] = state;
    let result = b.session.exchange(&message).unwrap();
    assert_eq!(result["resultType"], "input_required");
    let mut message = b.message("request_file", arguments);
    message["params"]["inputResponses"] = answer();
    let result = b.session.exchange(&message).unwrap();
    assert_eq!(result["resultType"], "input_required", "an answer to no question is none");
}

/// With access tokens, what one caller told is not shown to another, and a ticket is no other's.
/// Ledger: A-077
#[test]
fn a_077_each_caller_has_their_own_files() {
    let workspace = Workspace::new();
    let token = |name: &str| json!({"name": name, "sha256": sha256(name.as_bytes())});
    let config = Config::default()
        .set("toolsets", json!(["guide"]))
        .set("root_dir", json!(workspace.root("project").host()))
        .set("cache", json!({"max_entries": 1}))
        .set("http", json!({"tokens": [token("ada"), token("bob")]}));
    let b = HTTP.on(workspace, config);
    let call = |who: &str, params: Value| {
        let mut message = crate::http_support::message("tools/call", params);
        message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({"sampling": {}});
        let request = crate::harness::http::Request::modern(&message);
        let request = request.header("Authorization", &format!("Bearer {who}"));
        request.send(b.address()).message()["result"].clone()
    };
    let pull = json!({"name": "guide_request_file", "arguments": {"path": "docs/a"}});
    let push = |content: &str| json!({"name": "guide_cache_file", "arguments": {"path": "docs/a", "content": content}});
    call("ada", push("of ada"));
    assert_eq!(call("ada", pull.clone())["structuredContent"]["value"]["content"], "of ada");
    let asked = call("bob", pull.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let mut stolen = pull.clone();
    stolen["requestState"] = asked["requestState"].clone();
    stolen["inputResponses"] = answer();
    assert_eq!(call("ada", stolen)["structuredContent"]["error_type"], "security");
    let evicted = call("bob", push("of bob"))["structuredContent"]["value"]["evicted"].clone();
    assert_eq!(evicted, json!({"count": 1, "bytes": 6, "keys": []}), "no path of another caller");
}
