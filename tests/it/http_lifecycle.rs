//! Ready, running, stopping: what a supervisor sees, over HTTP and over stdio.

use crate::harness::http::Request;
use crate::harness::*;
use crate::http_support::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A call that takes some seconds: the hash of a large file with nothing in it.
fn long_call(b: &Bench) -> Value {
    let file = std::fs::File::create(b.ws.path("huge")).unwrap();
    file.set_len(400 << 20).unwrap();
    let arguments = ws("huge").and("algorithm", "sha256");
    message("tools/call", json!({"name": "hash_file", "arguments": arguments}))
}

fn serving(http: Value) -> Bench {
    HTTP.with(Config::roots(&["workspace"]).set("http", http))
}

/// Told to stop, the server finishes what runs, answers it, and exits with 0.
#[test]
fn a_running_call_is_finished() {
    let mut b = serving(json!({"drain_seconds": 60}));
    let call = long_call(&b);
    let address = b.address();
    let answer = std::thread::spawn(move || Request::modern(&call).send(address));
    eventually("it runs", || metric(&b, "mcp_filesystem_http_in_flight") == 1.0);
    b.server.terminate();
    let answer = answer.join().unwrap();
    assert_eq!(answer.status, 200);
    let hash = answer.message()["result"]["structuredContent"]["hash"].clone();
    assert_eq!(text(&hash).len(), 64, "{hash}");
    assert_eq!(b.server.wait().code(), Some(0));
}

/// What does not finish in the time it is given does not keep the process: exit code 0, in time.
#[test]
fn a_call_that_lasts_is_left() {
    let mut b = serving(json!({"drain_seconds": 1}));
    let file = std::fs::File::create(b.ws.path("vast")).unwrap();
    file.set_len(64 << 30).unwrap();
    let arguments = ws("vast").and("algorithm", "sha256");
    let call = message("tools/call", json!({"name": "hash_file", "arguments": arguments}));
    let held = Request::modern(&call).open(b.address());
    eventually("it runs", || metric(&b, "mcp_filesystem_http_in_flight") == 1.0);
    let start = Instant::now();
    b.server.terminate();
    assert_eq!(b.server.wait().code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    drop(held);
}

/// Streams that only listen, idle connections and unfinished requests do not delay the end.
#[test]
fn listeners_do_not_delay() {
    let mut b = serving(json!({"drain_seconds": 1}));
    let hello = wire::request(Era::Legacy, 1, "initialize", wire::initialize_params(wire::LEGACY));
    let opened = Request::post(&hello).send(b.address());
    let session = opened.header("Mcp-Session-Id").unwrap().to_owned();
    let listen = Request::get("/mcp")
        .header("Accept", "text/event-stream")
        .header("Mcp-Session-Id", &session)
        .header("MCP-Protocol-Version", wire::LEGACY);
    let stream = listen.open(b.address());
    let idle = silent(&b);
    std::thread::sleep(Duration::from_millis(100));
    let start = Instant::now();
    b.server.terminate();
    assert_eq!(b.server.wait().code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    drop((stream, idle));
}

/// Before it stops accepting, the server says that it is not ready; health stays as it is.
#[test]
fn not_ready_before_the_end() {
    let mut b = serving(json!({"stop_delay_seconds": 2}));
    assert_eq!((get(&b, "/ready").status, get(&b, "/ready").text()), (200, "ready".into()));
    b.server.terminate();
    eventually("not ready", || get(&b, "/ready").status == 503);
    assert_eq!(get(&b, "/ready").text(), "stopping");
    assert_eq!(get(&b, "/health").status, 200);
    b.ok("list_roots", json!({}));
    assert_eq!(b.server.wait().code(), Some(0));
}

/// A second signal ends it at once.
#[test]
fn a_second_signal_ends_it() {
    let mut b = serving(json!({"drain_seconds": 300}));
    let held = silent_request(&b);
    eventually("it is held", || metric(&b, "mcp_filesystem_http_in_flight") == 1.0);
    b.server.terminate();
    b.server.log.wait_for("stopping", |line| {
        line["msg"].as_str().is_some_and(|msg| msg.starts_with("stopping"))
    });
    b.server.terminate();
    assert_eq!(b.server.wait().code(), Some(0));
    drop(held);
}

fn silent_request(b: &Bench) -> std::net::TcpStream {
    use std::io::Write;
    let mut socket = silent(b);
    socket.write_all(b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{").unwrap();
    socket
}

/// Over stdio too a running call is finished and answered before the end; an idle server ends at once.
#[test]
fn stdio_finishes_too() {
    let mut b = STDIO.bench();
    long_call(&b);
    let arguments = ws("huge").and("algorithm", "sha256");
    let params = json!({"name": "hash_file", "arguments": arguments});
    let call = b.session.prepare("tools/call", params);
    let answer = b.session.stdio().post(&call);
    std::thread::sleep(Duration::from_millis(300));
    b.server.terminate();
    let answer = answer.recv_timeout(PATIENCE).expect("an answer");
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(b.server.wait().code(), Some(0));
    let mut idle = STDIO.bench();
    let start = Instant::now();
    idle.server.terminate();
    assert_eq!(idle.server.wait().code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}
