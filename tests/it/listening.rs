//! Nothing is missed between the word that a client is heard and the first change, and nothing is watched for nobody.

use crate::harness::http::{Request, events, read_head};
use crate::harness::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Subscriptions that are each followed by a change at once.
const ROUNDS: usize = 200;
/// How long a word about a change may take.
const PATIENCE: Duration = Duration::from_secs(30);

fn uri(round: usize) -> String {
    format!("mcpfs://workspace/{round}/a.txt")
}

/// A directory of its own for each: a watch that is there already would hide that another comes late.
fn prepare(b: &Bench) {
    for round in 0..ROUNDS {
        b.ws.write(format!("{round}/a.txt"), "1");
    }
}

fn change(b: &Bench, round: usize) {
    // Some are written to, some replaced, some go: each is a change.
    match round % 3 {
        0 => drop(b.ws.write(format!("{round}/a.txt"), "2")),
        1 => std::fs::rename(b.ws.path(format!("{round}/a.txt")), b.ws.path(format!("{round}/b")))
            .expect("rename"),
        _ => std::fs::remove_file(b.ws.path(format!("{round}/a.txt"))).expect("remove"),
    }
}

/// The addresses that the client was told of, until all were.
#[track_caller]
fn all_are_told(mut heard: impl FnMut() -> Vec<Value>) {
    let all: BTreeSet<String> = (0..ROUNDS).map(uri).collect();
    let (mut told, until) = (BTreeSet::new(), Instant::now() + PATIENCE);
    while told != all {
        let updates =
            heard().into_iter().filter(|m| m["method"] == "notifications/resources/updated");
        told.extend(updates.map(|m| text(&m["params"]["uri"]).to_owned()));
        let missing: Vec<_> = all.difference(&told).collect();
        assert!(Instant::now() < until, "{} never told: {missing:?}", missing.len());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Wait until no directory is watched any more.
#[track_caller]
fn nothing_is_watched(b: &Bench) {
    let until = Instant::now() + PATIENCE;
    while b.server.watches() > 0 {
        assert!(Instant::now() < until, "{} directories are watched still", b.server.watches());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn listen(b: &Bench, round: usize) -> Value {
    let wanted = json!({"notifications": {"resourceSubscriptions": [uri(round)]}});
    b.session.prepare("subscriptions/listen", wanted)
}

fn subscribe_and_change(b: &Bench) {
    for round in 0..ROUNDS {
        b.session.request("resources/subscribe", json!({"uri": uri(round)})).expect("subscribe");
        change(b, round);
    }
}

fn unsubscribe(b: &Bench) {
    assert!(b.server.watches() > 0);
    unsubscribe_all(b);
}

fn unsubscribe_all(b: &Bench) {
    for round in 0..ROUNDS {
        b.session.request("resources/unsubscribe", json!({"uri": uri(round)})).expect("an answer");
    }
    nothing_is_watched(b);
}

#[test]
fn a_change_at_once_is_told_stdio_legacy() {
    let b = STDIO.bench();
    prepare(&b);
    subscribe_and_change(&b);
    all_are_told(|| b.session.heard());
    unsubscribe(&b);
}

#[test]
fn a_change_at_once_is_told_http_legacy() {
    let b = HTTP_LEGACY.bench();
    prepare(&b);
    let Line::Http(line) = &b.session.line else { panic!("HTTP") };
    let get = Request { method: "GET", body: Vec::new(), ..line.request(&json!({})) };
    let (socket, heard) = (get.header("Accept", "text/event-stream").open(b.address()), channel());
    follow(socket, heard.0);
    subscribe_and_change(&b);
    all_are_told(|| heard.1.try_iter().collect());
    unsubscribe(&b);
}

#[test]
fn a_change_at_once_is_told_stdio_modern() {
    let b = STDIO_MODERN.bench();
    prepare(&b);
    let mut ids = Vec::new();
    for round in 0..ROUNDS {
        let message = listen(&b, round);
        drop(b.session.stdio().post(&message));
        let id = &message["id"];
        let is_heard = || b.session.heard().iter().any(|m| acknowledges(m, id));
        let until = Instant::now() + PATIENCE;
        while !is_heard() {
            assert!(Instant::now() < until, "never acknowledged");
        }
        change(&b, round);
        ids.push(id.clone());
    }
    all_are_told(|| b.session.heard());
    for id in ids {
        b.session.notify("notifications/cancelled", json!({"requestId": id}));
    }
    nothing_is_watched(&b);
}

fn acknowledges(message: &Value, id: &Value) -> bool {
    message["method"] == "notifications/subscriptions/acknowledged"
        && message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == *id
}

#[test]
fn a_change_at_once_is_told_http_modern() {
    let b = HTTP.bench();
    prepare(&b);
    let Line::Http(line) = &b.session.line else { panic!("HTTP") };
    let (sender, heard) = channel();
    let mut sockets = Vec::new();
    for round in 0..ROUNDS {
        let socket = line.request(&listen(&b, round)).open(b.address());
        sockets.push(socket.try_clone().expect("a second handle"));
        let first = follow(socket, sender.clone());
        assert_eq!(first.recv().unwrap()["method"], "notifications/subscriptions/acknowledged");
        change(&b, round);
    }
    all_are_told(|| heard.try_iter().collect());
    for socket in sockets {
        socket.shutdown(std::net::Shutdown::Both).expect("hang up");
    }
    nothing_is_watched(&b);
}

/// Read the events of a stream in the background; the first comes back by itself.
fn follow(socket: TcpStream, to: Sender<Value>) -> Receiver<Value> {
    let (first, came) = channel();
    std::thread::spawn(move || {
        let (status, _, body) = read_head(socket);
        assert_eq!(status, 200);
        let mut events = events(body);
        let Some(event) = events.next() else { return };
        drop(to.send(event.clone()));
        drop(first.send(event));
        drop(events.try_for_each(|event| to.send(event)));
    });
    came
}

/// Who leaves before an answer has come leaves no watch behind either.
#[test]
fn a_listener_that_leaves_at_once_is_forgotten() {
    let b = STDIO_MODERN.bench();
    prepare(&b);
    for round in 0..ROUNDS {
        let message = listen(&b, round);
        drop(b.session.stdio().post(&message));
        b.session.notify("notifications/cancelled", json!({"requestId": message["id"]}));
    }
    b.ok("stat_file", ws("0/a.txt"));
    nothing_is_watched(&b);
    let b = STDIO.bench();
    prepare(&b);
    for round in 0..ROUNDS {
        let message = b.session.prepare("resources/subscribe", json!({"uri": uri(round)}));
        drop(b.session.stdio().post(&message));
        b.session.notify("notifications/cancelled", json!({"requestId": message["id"]}));
    }
    // What came too late to be taken back was begun, and ends like any other.
    unsubscribe_all(&b);
}

/// A new file at once changes the list, and who no longer listens costs nothing.
#[test]
fn the_list_changes_at_once() {
    for wire in [STDIO_MODERN, HTTP] {
        let b = wire.bench();
        b.ws.write("deep/er/a.txt", "1");
        let wanted = json!({"notifications": {"resourcesListChanged": true}});
        let message = b.session.prepare("subscriptions/listen", wanted);
        let (sender, heard) = channel();
        let socket = match &b.session.line {
            Line::Stdio(line) => {
                drop(line.post(&message));
                while !b.session.heard().iter().any(|m| acknowledges(m, &message["id"])) {}
                None
            }
            Line::Http(line) => {
                let socket = line.request(&message).open(b.address());
                let copy = socket.try_clone().expect("a second handle");
                follow(socket, sender).recv().unwrap();
                Some(copy)
            }
        };
        b.ws.write("deep/er/b.txt", "1");
        let until = Instant::now() + PATIENCE;
        let mut told: Vec<Value> = Vec::new();
        while !told.iter().any(|m| m["method"] == "notifications/resources/list_changed") {
            assert!(Instant::now() < until, "{wire:?}: never told");
            told.extend(heard.try_iter().chain(b.session.heard()));
        }
        match socket {
            Some(socket) => socket.shutdown(std::net::Shutdown::Both).expect("hang up"),
            None => {
                b.session.notify("notifications/cancelled", json!({"requestId": message["id"]}))
            }
        }
        nothing_is_watched(&b);
    }
}
