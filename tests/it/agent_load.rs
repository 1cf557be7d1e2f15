//! Many clients at once: every number adds up, and memory stays within its bounds.

use crate::harness::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CLIENTS: usize = 20;
const CALLS: usize = 10;
const MAX_BYTES: usize = 1 << 20;
const SIZE: usize = 64 << 10;

/// Ledger: A-074, B-064
#[test]
fn b_064_many_clients_push_and_pull_at_once() {
    for wire in [HTTP, HTTP_LEGACY] {
        let settings = json!({"cache": {"max_bytes": MAX_BYTES, "max_entries": 50}});
        let b = AgentBench::start(wire, &settings);
        b.value("cache_file", json!({"path": "docs/warm", "content": "x"}));
        let before = b.server.proc_figure("status", "VmRSS:");
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                let b = &b;
                scope.spawn(move || one_client(b, client));
            }
        });
        let stats = b.stats();
        let figure = |key: &str| number(&stats[key]) as usize;
        let pulls = CLIENTS * CALLS / 2;
        assert_eq!(figure("hits") + figure("misses"), pulls, "{stats}");
        // Every file is new, so what is not held any more was evicted.
        assert_eq!(figure("evictions") + figure("entries"), CLIENTS * CALLS + 1, "{stats}");
        assert_eq!(figure("updates") + figure("invalidations"), 0, "{stats}");
        assert!(figure("size_bytes") <= MAX_BYTES, "{stats}");
        assert!(figure("size_bytes") + SIZE > MAX_BYTES, "room is used: {stats}");
        let calls: u64 =
            stats["rate"].as_object().unwrap().values().map(|rate| number(&rate["calls"])).sum();
        assert!(calls as usize >= CLIENTS * CALLS, "{stats}");
        let grown = b.server.proc_figure("status", "VmRSS:").saturating_sub(before);
        assert!(grown < 200 << 10, "memory grew by {grown} KiB");
    }
}

/// Pushes and pulls in turn, each of a file of its own.
fn one_client(b: &AgentBench, client: usize) {
    let peer = b.another(&format!("client {client}"));
    let content = "x".repeat(SIZE);
    for call in 0..CALLS {
        let path = format!("docs/{client}-{call}");
        let told = if call % 2 == 0 {
            peer.call("cache_file", json!({"path": path, "content": content}), |_| Says::Nothing)
        } else {
            let agent = |_: &str| Says::json(json!({"content": content}));
            let told = peer.call("request_file", json!({"path": path}), agent);
            assert_eq!(told["value"]["content"], content.as_str());
            told
        };
        let size = number(&told["value"]["stats"]["size_bytes"]) as usize;
        assert!(size <= MAX_BYTES, "over the limit: {size}");
    }
}

/// Open questions hold nothing that a push needs, however many there are.
/// Ledger: B-012
#[test]
fn b_012_open_questions_do_not_hold_up_pushes() {
    let b = AgentBench::start(STDIO, &json!({"sampling": {"timeout_seconds": 60}}));
    let line = b.session.stdio();
    let waiting: Vec<_> = (0..400)
        .map(|at| line.post(&b.message("request_file", json!({"path": format!("docs/{at}")}))))
        .collect();
    let until = Instant::now() + Duration::from_secs(60);
    while line.heard().len() < 400 {
        assert!(Instant::now() < until, "only {} were asked", line.heard().len());
        std::thread::sleep(Duration::from_millis(10));
    }
    let files: Vec<Value> =
        (0..400).map(|at| json!({"path": format!("docs/{at}"), "content": "x"})).collect();
    let started = Instant::now();
    b.value("cache_file", json!({"files": files}));
    for answer in waiting {
        let answer = answer.recv_timeout(Duration::from_secs(30)).expect("an answer");
        assert_eq!(answer["result"]["structuredContent"]["value"]["content"], "x");
    }
    assert!(started.elapsed() < Duration::from_secs(20));
}

/// Ledger: B-050
#[test]
fn b_050_a_cancelled_request_ends_and_the_question_is_taken_back() {
    let b = AgentBench::start(STDIO, &json!({}));
    let line = b.session.stdio();
    let message = b.message("request_file", json!({"path": "docs/a"}));
    drop(line.post(&message));
    let until = Instant::now() + Duration::from_secs(30);
    let heard = |method: &str| line.heard().iter().find(|m| m["method"] == method).cloned();
    let wait_for = |method: &str| loop {
        if let Some(message) = heard(method) {
            return message;
        }
        assert!(Instant::now() < until, "{method} never came");
        std::thread::sleep(Duration::from_millis(5));
    };
    let question = wait_for("sampling/createMessage");
    b.session.notify("notifications/cancelled", json!({"requestId": message["id"]}));
    let taken_back = wait_for("notifications/cancelled");
    assert_eq!(taken_back["params"]["requestId"], question["id"]);
    let line = b.server.log.call_of("guide_request_file");
    assert_eq!(line["code"], "cancelled");
}
