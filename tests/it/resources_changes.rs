//! Changes of files, told to clients of both eras over both transports.

use crate::era_test;
use crate::harness::http::{Request, events, read_head};
use crate::harness::*;
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long a word about a change may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the server says on its own, as it comes.
enum Told {
    Heard(usize),
    Stream(Receiver<Value>),
}

impl Told {
    /// Listen for changes of these addresses, and of the list.
    fn of(b: &Bench, uris: &[&str]) -> Self {
        if b.session.era == Era::Modern {
            return Self::modern(b, uris);
        }
        let told = Self::legacy(b);
        for uri in uris {
            b.session.request("resources/subscribe", json!({"uri": uri})).expect(uri);
        }
        b.session.request("resources/list", json!({})).expect("resources/list");
        told
    }

    fn modern(b: &Bench, uris: &[&str]) -> Self {
        let mut wanted = json!({"resourcesListChanged": true});
        if !uris.is_empty() {
            wanted["resourceSubscriptions"] = json!(uris);
        }
        let listen = b.session.prepare("subscriptions/listen", json!({"notifications": wanted}));
        let told = match &b.session.line {
            Line::Stdio(line) => {
                drop(line.post(&listen));
                Self::Heard(b.session.heard().len())
            }
            Line::Http(line) => Self::stream(&line.request(&listen), b),
        };
        let first = told.next(b, "notifications/subscriptions/acknowledged");
        assert_eq!(first["params"]["notifications"], wanted, "{first}");
        told
    }

    fn legacy(b: &Bench) -> Self {
        match &b.session.line {
            Line::Stdio(_) => Self::Heard(b.session.heard().len()),
            Line::Http(line) => {
                let get = Request { method: "GET", body: Vec::new(), ..line.request(&json!({})) };
                Self::stream(&get.header("Accept", "text/event-stream"), b)
            }
        }
    }

    fn stream(request: &Request, b: &Bench) -> Self {
        let (status, _, body) = read_head(request.open(b.address()));
        assert_eq!(status, 200);
        let (sender, receiver) = channel();
        std::thread::spawn(move || events(body).try_for_each(|event| sender.send(event)));
        Self::Stream(receiver)
    }

    /// The first message of this kind from now on.
    #[track_caller]
    fn next(&self, b: &Bench, method: &str) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let found = match self {
                Self::Heard(from) => {
                    b.session.heard().into_iter().skip(*from).find(|m| m["method"] == method)
                }
                Self::Stream(stream) => stream.try_iter().find(|m| m["method"] == method),
            };
            if let Some(found) = found {
                return found;
            }
            assert!(Instant::now() < until, "never heard {method}: {:?}", b.session.heard());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn updated(b: &Bench, told: &Told) -> String {
    text(&told.next(b, "notifications/resources/updated")["params"]["uri"]).to_owned()
}

/// A file that a tool replaces is told of.
era_test!(d_f01_replaced, Config::roots(&["workspace"]), |b| {
    b.ws.write("src/a.txt", "1").write("src/b.txt", "1");
    let told = Told::of(b, &["mcpfs://workspace/src/a.txt"]);
    b.ok(
        "write_file",
        json!({"root": "workspace", "path": "src/b.txt", "content": "2", "mode": "overwrite"}),
    );
    b.ok(
        "write_file",
        json!({"root": "workspace", "path": "src/a.txt", "content": "2", "mode": "overwrite"}),
    );
    assert_eq!(updated(b, &told), "mcpfs://workspace/src/a.txt");
});

/// So is one that somebody else appends to.
era_test!(d_f01_appended, Config::roots(&["workspace"]), |b| {
    b.ws.write("server.log", "1\n");
    let told = Told::of(b, &["mcpfs://workspace/server.log"]);
    let path = b.ws.path("server.log");
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    std::io::Write::write_all(&mut file, b"2\n").unwrap();
    assert_eq!(updated(b, &told), "mcpfs://workspace/server.log");
});

/// A file that comes changes the list, also in a directory that was not there before.
era_test!(d_f01_list_changed, Config::roots(&["workspace"]), |b| {
    b.ws.write("a.txt", "");
    let told = Told::of(b, &[]);
    b.ok(
        "write_file",
        json!({"root": "workspace", "path": "b.txt", "content": "", "mode": "create_only"}),
    );
    told.next(b, "notifications/resources/list_changed");
});

/// A directory tells when an entry comes or goes.
era_test!(d_f01_directory, Config::roots(&["workspace"]), |b| {
    b.ws.write("dir/a.txt", "");
    let told = Told::of(b, &["mcpfs://workspace/dir"]);
    b.ok("remove_file", json!({"root": "workspace", "path": "dir/a.txt"}));
    assert_eq!(updated(b, &told), "mcpfs://workspace/dir");
});

/// What may not be read can not be watched, nor what lies outside.
#[test]
fn d_f01_no_watch_outside() {
    for wire in [STDIO, HTTP_LEGACY] {
        let config = Config::roots(&["workspace"]).root("shut", &["list_folder"]);
        let b = wire.with(config);
        b.outside().write("secret.txt", "");
        b.root("workspace").link("out", b.outside().path("secret.txt"));
        b.root("shut").write("a.txt", "");
        for uri in ["mcpfs://workspace/out", "mcpfs://workspace/no.txt", "mcpfs://shut/a.txt", "x"]
        {
            let refused = b.session.request("resources/subscribe", json!({"uri": uri}));
            assert_eq!(refused.expect_err(uri).code, -32002);
        }
    }
}

/// An ended subscription is silent.
#[test]
fn d_f01_unsubscribe() {
    let b = STDIO.bench();
    b.ws.write("a.txt", "1").write("b.txt", "1");
    for uri in ["mcpfs://workspace/a.txt", "mcpfs://workspace/b.txt"] {
        b.session.request("resources/subscribe", json!({"uri": uri})).expect(uri);
    }
    let first = json!({"uri": "mcpfs://workspace/a.txt"});
    b.session.request("resources/unsubscribe", first).expect("unsubscribe");
    b.ws.write("a.txt", "2").write("b.txt", "2");
    let told = Told::Heard(0);
    assert_eq!(updated(&b, &told), "mcpfs://workspace/b.txt");
    std::thread::sleep(Duration::from_millis(300));
    assert!(!b.session.heard().iter().any(|m| m["params"]["uri"] == "mcpfs://workspace/a.txt"));
}

/// A server that is told to stop does not wait for those who only listen.
#[test]
fn d_f01_listeners_do_not_keep_the_server() {
    for wire in [HTTP, HTTP_LEGACY] {
        let mut b = wire.bench();
        b.ws.write("a.txt", "1");
        let _told = Told::of(&b, &["mcpfs://workspace/a.txt"]);
        let asked = Instant::now();
        b.server.terminate();
        assert_eq!(b.server.wait().code(), Some(0));
        assert!(asked.elapsed() < Duration::from_secs(8), "{wire:?}: {:?}", asked.elapsed());
    }
}

/// A search that the client cancels while the last files are looked into is on record as cancelled.
#[test]
fn a_cancelled_search_is_on_record() {
    let b = STDIO.bench();
    let line = "the quick brown fox jumps over the lazy dog 1234567\n";
    b.ws.write("deep/0.txt", line.repeat(200_000));
    for number in 1..24 {
        let (from, to) = (b.ws.path("deep/0.txt"), b.ws.path(format!("deep/{number}.txt")));
        std::fs::hard_link(from, to).unwrap();
    }
    let arguments = json!({"root": "workspace", "pattern": r"\w{5,}\s+\w+\s+\d{7}x"});
    let grep = b.session.prepare("tools/call", json!({"name": "grep", "arguments": arguments}));
    drop(b.session.stdio().post(&grep));
    std::thread::sleep(Duration::from_millis(200));
    b.session.notify("notifications/cancelled", json!({"requestId": grep["id"]}));
    let record = b.server.log.call_of("grep");
    assert_eq!((&record["outcome"], &record["code"]), (&json!("error"), &json!("cancelled")));
}
