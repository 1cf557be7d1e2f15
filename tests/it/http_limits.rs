//! Too much and too slow: every limit answers or closes, none lets anybody wait for ever.

use crate::harness::http::{Request, read_head};
use crate::harness::*;
use crate::http_support::*;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A server with these limits.
fn limited(http: Value) -> Bench {
    HTTP.with(Config::roots(&["workspace"]).set("http", http))
}

/// The start of a request whose body never comes: it holds its place until it is cut off.
fn unfinished(b: &Bench) -> TcpStream {
    let mut socket = silent(b);
    let head = "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    socket.write_all(head.as_bytes()).unwrap();
    socket
}

/// A call that has to succeed.
fn works(b: &Bench) {
    b.ok("list_roots", json!({}));
}

/// Over the limit of requests the answer is 503 and when to come back; then there is room again.
#[test]
fn requests_in_flight() {
    let b = limited(json!({"max_in_flight": 2, "body_timeout_seconds": 30}));
    let held = [unfinished(&b), unfinished(&b)];
    eventually("both are held", || metric(&b, "mcp_filesystem_http_in_flight") == 2.0);
    let refused = Request::modern(&message("tools/list", json!({}))).send(b.address());
    assert_eq!((refused.status, refused.header("Retry-After")), (503, Some("1")));
    assert_eq!(refused.text(), "the server is busy; try again in a second");
    assert_eq!(get(&b, "/health").status, 200, "health has no limit");
    drop(held);
    eventually("room again", || metric(&b, "mcp_filesystem_http_in_flight") == 0.0);
    works(&b);
    assert!(metric(&b, "mcp_filesystem_http_refused_total{limit=\"in_flight\"}") >= 1.0);
}

/// Over the limit of connections the answer is 503 too, at once.
#[test]
fn connections() {
    let b = limited(json!({"max_connections": 3}));
    let held: Vec<TcpStream> = (0..3).map(|_| silent(&b)).collect();
    let refused = Request::get("/health").send(b.address());
    assert_eq!((refused.status, refused.header("Retry-After")), (503, Some("5")));
    assert_eq!(refused.text(), "too many connections; try again in 5 seconds\n");
    drop(held);
    eventually("room again", || get(&b, "/health").status == 200);
    works(&b);
}

/// Sessions are counted; those that go silent end and make room.
#[test]
fn sessions() {
    let b = limited(json!({"max_sessions": 2, "session_idle_seconds": 1}));
    let hello = wire::request(Era::Legacy, 1, "initialize", wire::initialize_params(wire::LEGACY));
    let open = || Request::post(&hello).send(b.address());
    assert_eq!([open().status, open().status], [200, 200]);
    let refused = open();
    assert_eq!((refused.status, refused.header("Retry-After")), (503, Some("30")));
    works(&b);
    eventually("the silent ones are gone", || metric(&b, "mcp_filesystem_http_sessions") == 0.0);
    assert_eq!(open().status, 200);
}

/// A body over the limit is refused whether it says its length or not.
#[test]
fn bodies_too_large() {
    let b = limited(json!({"max_body_bytes": 10_000}));
    let call = |size: usize| {
        let content = "x".repeat(size);
        let arguments = ws("f.txt").and("content", content).and("mode", "overwrite");
        message("tools/call", json!({"name": "write_file", "arguments": arguments}))
    };
    assert_eq!(Request::modern(&call(5_000)).send(b.address()).status, 200);
    let refused = Request::modern(&call(20_000)).send(b.address());
    assert_eq!(refused.status, 413);
    assert_eq!(refused.text(), "the body is too large; the limit is 10000 bytes");
    let mut socket = silent(&b);
    let head =
        "POST /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    socket.write_all(head.as_bytes()).unwrap();
    for _ in 0..20 {
        // The server may have answered and closed already.
        drop(socket.write_all(format!("3e8\r\n{}\r\n", "x".repeat(1_000)).as_bytes()));
    }
    assert_eq!(read_head(socket).0, 413);
    assert_eq!(b.ws.bytes("f.txt").len(), 5_000);
}

/// A head over the limit is refused.
#[test]
fn heads_too_large() {
    let b = limited(json!({"max_header_bytes": 8_192}));
    let large = Request::get("/health").header("X-Filler", &"x".repeat(20_000)).send(b.address());
    assert_eq!(large.status, 431);
    let fits = Request::get("/health").header("X-Filler", &"x".repeat(4_000)).send(b.address());
    assert_eq!(fits.status, 200);
}

/// A body that does not come in time is answered with 408, and its place is free again.
#[test]
fn slow_bodies() {
    let b = limited(json!({"body_timeout_seconds": 1, "max_in_flight": 1}));
    let mut socket = unfinished(&b);
    let drip = std::thread::spawn(move || {
        for _ in 0..30 {
            std::thread::sleep(Duration::from_millis(100));
            if socket.write_all(b" ").is_err() {
                break;
            }
        }
        read_head(socket).0
    });
    assert_eq!(drip.join().unwrap(), 408);
    works(&b);
}

/// Who says nothing, half a head, or nothing more after an answer, is let go.
#[test]
fn slow_heads() {
    let b = limited(json!({"head_timeout_seconds": 1}));
    let mut half = silent(&b);
    half.write_all(b"GET /health HTTP/1.1\r\nHost: ").unwrap();
    let mut idle = silent(&b);
    idle.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    for (what, socket) in [("silent", silent(&b)), ("half a head", half), ("idle", idle)] {
        let (took, _) = until_closed(socket);
        assert!(took < Duration::from_secs(5), "{what}: kept for {took:?}");
    }
    let mut drip = silent(&b);
    let writer = std::thread::spawn(move || {
        for byte in b"GET /health HTTP/1.1\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" {
            std::thread::sleep(Duration::from_millis(100));
            if drip.write_all(&[*byte]).is_err() {
                return true;
            }
        }
        matches!(drip.read(&mut [0; 16]), Ok(0) | Err(_))
    });
    assert!(writer.join().unwrap(), "a head that drips is cut off");
    works(&b);
}

/// Who asks for much and takes none of it is let go, and its place with it.
#[test]
fn slow_readers() {
    let b = limited(json!({"write_timeout_seconds": 1, "max_in_flight": 4}));
    b.ws.write("big.txt", "x".repeat(7 << 20));
    let range = ws("big.txt").and("offset_bytes", 0).and("limit_bytes", 7 << 20);
    let call = message("tools/call", json!({"name": "read_file", "arguments": range}));
    let held: Vec<TcpStream> = (0..4).map(|_| Request::modern(&call).open(b.address())).collect();
    let calls = "mcp_filesystem_calls_total{tool=\"read_file\",outcome=\"success\"}";
    eventually("they are answered", || metric(&b, calls) == 4.0);
    assert_eq!(metric(&b, "mcp_filesystem_http_in_flight"), 4.0, "what is not taken is not done");
    let refused = Request::modern(&call).send(b.address());
    assert_eq!(refused.status, 503);
    eventually("they are cut off", || metric(&b, "mcp_filesystem_http_in_flight") == 0.0);
    eventually("for good", || metric(&b, "mcp_filesystem_http_connections") == 1.0);
    works(&b);
    drop(held);
}

/// Clients that vanish leave nothing behind: no connection, no request, no descriptor.
#[test]
fn abandoned_connections_do_not_pile_up() {
    let b = limited(json!({"head_timeout_seconds": 1, "body_timeout_seconds": 1}));
    works(&b);
    let files = || std::fs::read_dir(format!("/proc/{}/fd", b.server.pid())).unwrap().count();
    let before = files();
    for _ in 0..50 {
        drop(silent(&b));
        drop(unfinished(&b));
        drop(Request::modern(&message("tools/list", json!({}))).open(b.address()));
    }
    let kept: Vec<TcpStream> = (0..50).map(|_| unfinished(&b)).collect();
    eventually("all gone", || metric(&b, "mcp_filesystem_http_connections") == 1.0);
    eventually("no descriptor is kept", || files() <= before + 1);
    drop(kept);
    works(&b);
}

/// Four times as many at once as there is room for: every request is answered, with what it asked for or with when
/// to come back; who comes back gets it.
#[test]
fn every_request_is_answered() {
    let b = limited(json!({"max_in_flight": 32}));
    for n in 0..128 {
        b.ws.write(format!("{n}.txt"), format!("content of {n}"));
    }
    let address = b.address();
    let ask = |n: usize| {
        let params = json!({"name": "read_file", "arguments": ws(&format!("{n}.txt"))});
        Request::modern(&message("tools/call", params)).send(address)
    };
    let until_served = |n: usize| {
        let mut turned_away = 0;
        loop {
            let answer = ask(n);
            if answer.status == 200 {
                let got = answer.message()["result"]["structuredContent"]["content"].clone();
                assert_eq!(got, format!("content of {n}"));
                return turned_away;
            }
            assert_eq!((answer.status, answer.header("Retry-After")), (503, Some("1")));
            turned_away += 1;
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let turned_away: u64 = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..128)
            .map(|n| scope.spawn(move || (0..5).map(|_| until_served(n)).sum::<u64>()))
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    let served = metric(&b, "mcp_filesystem_calls_total{tool=\"read_file\",outcome=\"success\"}");
    let refused = metric(&b, "mcp_filesystem_http_refused_total{limit=\"in_flight\"}");
    assert_eq!(
        (served, refused),
        (640.0, turned_away as f64),
        "nothing is lost, nothing done twice"
    );
    eventually("all is quiet", || metric(&b, "mcp_filesystem_http_in_flight") == 0.0);
}

/// Where files are scarce, connections do not take the last ones: who comes too late is told so, calls go on.
#[test]
fn connections_leave_descriptors() {
    let config = Config::roots(&["workspace"]);
    let b = HTTP.launch(Workspace::new(), config, |launch| launch.open_files(100));
    let mut held: Vec<TcpStream> = (0..45).map(|_| silent(&b)).collect();
    b.ok("write_file", ws("new.txt").and("content", "x"));
    assert_eq!(b.ok("grep", ws(".").and("pattern", "x"))["total_matches"], 1);
    held.extend((0..5).map(|_| silent(&b)));
    let refused = Request::get("/health").send(b.address());
    assert_eq!((refused.status, refused.header("Retry-After")), (503, Some("5")));
    drop(held);
    eventually("room again", || get(&b, "/health").status == 200);
    works(&b);
}

/// The usual limit of a shell is no limit of the server, which asks for what it may have.
#[test]
fn the_soft_limit_is_raised() {
    let workspace = Workspace::new();
    let config = Config::roots(&["workspace"]).save(&workspace);
    let flags = "--transport http --host 127.0.0.1 --port 0";
    let line = format!("ulimit -Sn 64; exec {BINARY} --config {} {flags}", config.display());
    let mut child = std::process::Command::new("sh")
        .args(["-c", &line])
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let limits = format!("/proc/{}/limits", child.id());
    let soft = || -> Option<u64> {
        let text = std::fs::read_to_string(&limits).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Max open files"))?;
        line.split_whitespace().next()?.parse().ok()
    };
    eventually("it may open more", || soft().is_some_and(|soft| soft > 64));
    child.kill().unwrap();
    child.wait().unwrap();
}
