//! A request whose answer comes after requests of the server, which the client answers meanwhile.

use super::Session;
use super::http::{HttpLine, events, read_head};
use super::session::Line;
use super::wire::{Reply, answers, reply_of};
use serde_json::Value;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// How long a call may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(90);

/// The client's response to a message of the server, if it gives one.
pub type Answering<'a> = &'a mut dyn FnMut(&Value) -> Option<Value>;

/// Send a request and wait for its answer, answering what the server asks meanwhile.
pub fn exchange(session: &Session, message: &Value, answering: Answering<'_>) -> Reply {
    match &session.line {
        Line::Stdio(_) => on_pipes(session, message, answering),
        Line::Http(line) => on_stream(line, message, answering),
    }
}

/// Watch for requests of the server while the answer is on its way.
fn on_pipes(session: &Session, message: &Value, answering: Answering<'_>) -> Reply {
    let line = session.stdio();
    let mut handled = line.heard().len();
    let answer = line.post(message);
    let until = Instant::now() + PATIENCE;
    loop {
        match answer.recv_timeout(Duration::from_millis(2)) {
            Ok(answer) => return reply_of(&answer, 200),
            Err(RecvTimeoutError::Disconnected) => panic!("the server went away"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        assert!(Instant::now() < until, "no answer to {message}");
        let heard = line.heard();
        for request in &heard[handled..] {
            if let Some(response) = answering(request) {
                line.write(response.to_string().as_bytes());
            }
        }
        handled = heard.len();
    }
}

fn on_stream(line: &HttpLine, message: &Value, answering: Answering<'_>) -> Reply {
    let (status, headers, body) = read_head(line.request(message).open(line.address));
    assert_eq!(status, 200, "{headers:?}");
    for event in events(body) {
        if answers(&event, &message["id"]) {
            return reply_of(&event, status);
        }
        if let Some(response) = answering(&event) {
            line.notify(&response);
        }
    }
    panic!("the stream ended without an answer");
}
