//! What the tests of the HTTP server share: requests with tokens, raw sockets, patience with an end.

use crate::harness::http::{Request, Response};
use crate::harness::*;
use serde_json::{Value, json};
use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How long anything here may take before the test fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A modern request of `method`.
pub fn message(method: &str, params: Value) -> Value {
    wire::request(Era::Modern, 1, method, params)
}

/// A modern request, with this bearer token.
pub fn bearing(token: &str, method: &str, params: Value) -> Request<'static> {
    let request = Request::modern(&message(method, params));
    request.header("Authorization", &format!("Bearer {token}"))
}

/// Call a tool with a token.
#[track_caller]
pub fn call_as(b: &Bench, token: &str, tool: &str, arguments: Value) -> Answer {
    let params = json!({"name": tool, "arguments": arguments});
    let response = bearing(token, "tools/call", params).send(b.address());
    assert_eq!(response.status, 200, "{tool}: {}", response.text());
    Answer::new(tool, response.message()["result"].clone())
}

/// The names in `tools/list` for the holder of a token.
pub fn tools_of(b: &Bench, token: &str) -> Vec<String> {
    let list = bearing(token, "tools/list", json!({})).send(b.address()).message();
    column(&list["result"]["tools"], "name").into_iter().map(str::to_owned).collect()
}

/// `GET` of a path without any token.
pub fn get(b: &Bench, path: &str) -> Response {
    Request::get(path).send(b.address())
}

/// A connected socket that has not said anything.
pub fn silent(b: &Bench) -> TcpStream {
    let socket = TcpStream::connect(b.address()).expect("connect");
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}

/// Read until the server closes the connection; how long that took and what came.
#[track_caller]
pub fn until_closed(mut socket: TcpStream) -> (Duration, String) {
    let start = Instant::now();
    let mut all = Vec::new();
    match socket.read_to_end(&mut all) {
        Ok(_) => {}
        Err(e) if e.kind() == ErrorKind::ConnectionReset => {}
        Err(e) => panic!("the server did not close: {e}"),
    }
    (start.elapsed(), String::from_utf8_lossy(&all).into_owned())
}

/// A figure of `/metrics`: the value of the sample that starts with `name`.
pub fn metric(b: &Bench, name: &str) -> f64 {
    let page = get(b, "/metrics").text();
    let line =
        page.lines().find(|line| line.strip_prefix(name).is_some_and(|l| l.starts_with(' ')));
    line.and_then(|line| line.rsplit(' ').next()).map_or(0.0, |value| value.parse().unwrap())
}

/// Wait until something holds.
#[track_caller]
pub fn eventually(what: &str, holds: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
