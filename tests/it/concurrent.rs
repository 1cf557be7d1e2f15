//! Many clients of two servers change the same files at once: nothing is torn, nothing is lost, nothing is twice.
//!
//! `STORM=20 cargo test --release --test it concurrent` does everything twenty times as often.

use crate::harness::http::HttpLine;
use crate::harness::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Clients at once: every other one speaks to the second server.
const CLIENTS: usize = 8;

fn times(usual: usize) -> usize {
    let storm = std::env::var("STORM").ok().and_then(|times| times.parse().ok());
    usual * storm.unwrap_or(1_usize)
}

/// Two processes that serve the same directories.
struct Two {
    b: Bench,
    _second: Server,
    addresses: [SocketAddr; 2],
}

impl Two {
    fn start(roots: &[&str]) -> Self {
        let b = HTTP.with(Config::roots(roots));
        let config = b.workspace.all().path("config.yaml");
        let mut second = Launch::new(&config, Transport::Http).start();
        let addresses = [b.address(), second.address()];
        Self { b, _second: second, addresses }
    }

    /// A client of its own, in one era or the other.
    fn client(&self, number: usize) -> Session {
        let era = if (number / 2).is_multiple_of(2) { Era::Modern } else { Era::Legacy };
        Session::open(Line::Http(HttpLine::new(self.addresses[number % 2], era)), era)
    }

    /// Run `work` for every client at once; what each gives back.
    fn storm<T: Send>(&self, work: impl Fn(usize, &Session) -> T + Sync) -> Vec<T> {
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|number| {
                    let (work, client) = (&work, self.client(number));
                    scope.spawn(move || work(number, &client))
                })
                .collect();
            clients.into_iter().map(|client| client.join().unwrap()).collect()
        })
    }
}

/// Whether a call went well; a failure must be one of these.
#[track_caller]
fn went_well(client: &Session, tool: &str, arguments: Value, excuses: &[&str]) -> bool {
    let answer = client.call(tool, arguments);
    let excused = excuses.iter().any(|excuse| answer.text.contains(excuse));
    assert!(!answer.is_error || excused, "{tool}: {}", answer.text);
    !answer.is_error
}

/// Add one to the number in a file, by its hash or by a patch that names it; whether it was acknowledged.
fn increment(client: &Session, at: &Value, by_patch: bool) -> bool {
    let read = client.call("read_file", at.clone().and("with_hash", true));
    if read.is_error {
        assert!(read.text.contains("not found"), "{}", read.text);
        return false;
    }
    let read = read.ok();
    let number: u64 = text(&read["content"]).trim().parse().expect("a whole number");
    if by_patch {
        let patch = replace_line(1, &format!("{number:06}"), &format!("{:06}", number + 1));
        // A missing file counts as empty, on which the patch does not fit.
        let excuses = ["patch failed", "not found"];
        return went_well(client, "patch_file", at.clone().and("patch", patch), &excuses);
    }
    let new = format!("{:06}\n", number + 1);
    let write = at.clone().and("content", new).and("expected_hash", read["sha256"].clone());
    went_well(client, "write_file", write, &["file has changed since it was read"])
}

/// Every acknowledged increment is in the file, whichever server it went through.
#[test]
fn no_update_is_lost() {
    let two = Two::start(&["workspace"]);
    two.b.ws.write("counter.txt", "000000\n");
    let wanted = times(40);
    let tries = two.storm(|number, client| {
        let mut tries = 0;
        for _ in 0..wanted {
            tries += 1;
            while !increment(client, &ws("counter.txt"), number % 4 == 3) {
                tries += 1;
            }
        }
        tries
    });
    assert_eq!(two.b.ws.text("counter.txt"), format!("{:06}\n", wanted * CLIENTS));
    assert!(tries.iter().sum::<usize>() > wanted * CLIENTS, "nobody met anybody: {tries:?}");
}

/// The line that client `client` adds as its `number`th: long enough to be seen when it is cut.
fn line(client: usize, number: usize) -> String {
    let letter = char::from(b'a' + client as u8);
    format!("{client}:{number}:{}\n", letter.to_string().repeat(1 + number * 997 % 9_000))
}

/// Appended lines are whole, all there, and in the order in which each client added them, from the first one on.
#[test]
fn no_append_is_lost_or_cut() {
    let two = Two::start(&["workspace"]);
    let (files, each) = (times(8), 8);
    for file in 0..files {
        let name = format!("log{file}.txt");
        let start = Barrier::new(CLIENTS);
        two.storm(|client, session| {
            start.wait();
            for number in 0..each {
                let arguments =
                    ws(&name).and("content", line(client, number)).and("mode", "append");
                assert!(went_well(session, "write_file", arguments, &[]));
            }
        });
        let log = two.b.ws.text(&name);
        let mut by_client: BTreeMap<&str, String> = BTreeMap::new();
        for line in log.split_inclusive('\n') {
            *by_client.entry(line.split(':').next().unwrap()).or_default() += line;
        }
        for client in 0..CLIENTS {
            let expected: String = (0..each).map(|number| line(client, number)).collect();
            assert!(
                by_client[&*client.to_string()] == expected,
                "{name}: lines of {client} differ"
            );
        }
        assert_eq!(by_client.len(), CLIENTS, "{name}: lines of nobody");
    }
}

/// A content that tells whether it is whole.
fn whole(number: usize) -> String {
    format!("{number:07}\n").repeat(2_000 + number % 7 * 1_000)
}

fn is_whole(text: &str) -> bool {
    text.lines().next().and_then(|line| line.parse().ok()).is_some_and(|n: usize| text == whole(n))
}

/// While some write, copy and move over a file, who reads it gets one of the contents, and its hash.
#[test]
fn no_read_is_torn() {
    let two = Two::start(&["workspace"]);
    two.b.ws.write("shared.txt", whole(0));
    let done = AtomicBool::new(false);
    let running = AtomicUsize::new(CLIENTS / 2);
    let reads = two.storm(|client, session| {
        let mut reads = 0;
        if client < CLIENTS / 2 {
            for round in 0..times(12) {
                write_over(session, client, round);
            }
            done.store(running.fetch_sub(1, Ordering::SeqCst) == 1, Ordering::SeqCst);
        }
        while !done.load(Ordering::SeqCst) {
            let read = session.call("read_file", ws("shared.txt").and("with_hash", true)).ok();
            assert!(is_whole(text(&read["content"])), "torn: {} bytes", read["size"]);
            assert_eq!(read["sha256"], sha256(text(&read["content"]).as_bytes()));
            reads += 1;
        }
        reads
    });
    assert!(is_whole(&two.b.ws.text("shared.txt")));
    assert!(reads.iter().sum::<usize>() > CLIENTS, "nobody read: {reads:?}");
}

fn write_over(session: &Session, client: usize, round: usize) {
    let number = client * 100_000 + round;
    let own = format!("own{client}.txt");
    let write = |name: &str| ws(name).and("content", whole(number));
    match round % 3 {
        0 => assert!(went_well(session, "write_file", write("shared.txt"), &[])),
        _ => {
            assert!(went_well(session, "write_file", write(&own), &[]));
            let tool = if round % 3 == 1 { "copy" } else { "move" };
            assert!(went_well(session, tool, pair(&own, "shared.txt"), &[]));
        }
    }
}

/// Files that are moved to and fro, within a root and between two, while others count in them: each is there exactly
/// once, with every acknowledged count.
#[test]
fn moved_files_are_there_once() {
    let two = Two::start(&["workspace", "second"]);
    let places = [("workspace", "a"), ("workspace", "b/deep"), ("second", "c")];
    let files = 4;
    for file in 0..files {
        two.b.ws.write(format!("a/{file}.txt"), "000000\n");
    }
    let rounds = times(120);
    let counted = two.storm(|client, session| {
        let mut counted = vec![0; files];
        for round in 0..rounds {
            let file = (client + round) % files;
            let (root, dir) = places[(client * 7 + round) % 3];
            let (to_root, to_dir) = places[(client * 7 + round * 5 + 1) % 3];
            let path = format!("{dir}/{file}.txt");
            if client < CLIENTS / 2 && (root, dir) != (to_root, to_dir) {
                let target = format!("{to_dir}/{file}.txt");
                let arguments = across(root, &path, to_root, &target);
                went_well(session, "move", arguments, &["source file not found"]);
            } else if client >= CLIENTS / 2 {
                counted[file] += u64::from(increment(session, &at(root, &path), round % 2 == 0));
            }
        }
        counted
    });
    for file in 0..files {
        let expected: u64 = counted.iter().map(|counted| counted[file]).sum();
        let paths = places.map(|(root, dir)| two.b.root(root).path(format!("{dir}/{file}.txt")));
        let found: Vec<_> = paths.iter().filter_map(|p| std::fs::read_to_string(p).ok()).collect();
        assert_eq!(found, [format!("{expected:06}\n")], "file {file}");
    }
    assert!(counted.iter().flatten().sum::<u64>() > 0, "nobody counted");
}

/// Of all who make the same file, one does.
#[test]
fn one_creates() {
    let two = Two::start(&["workspace"]);
    for round in 0..times(20) {
        let name = format!("new/{round}.txt");
        let start = Barrier::new(CLIENTS);
        let made = two.storm(|client, session| {
            start.wait();
            let arguments = ws(&name).and("content", client.to_string()).and("mode", "create_only");
            went_well(session, "write_file", arguments, &["file already exists"])
        });
        let winners: Vec<usize> = (0..CLIENTS).filter(|client| made[*client]).collect();
        assert_eq!(winners.len(), 1, "{name}: {made:?}");
        assert_eq!(two.b.ws.text(&name), winners[0].to_string());
    }
}

/// A write that expects a file does not bring it back after it was removed or moved away.
#[test]
fn what_is_gone_stays_gone() {
    let two = Two::start(&["workspace"]);
    // One remover at the other server, one at the same.
    let (writer, removers) = (two.client(0), [two.client(1), two.client(2)]);
    let expected = sha256(b"old\n");
    let mut both = 0;
    for round in 0..times(200) {
        let name = format!("{round}.txt");
        two.b.ws.write(&name, "old\n");
        let (start, remover) = (Barrier::new(2), &removers[round / 2 % 2]);
        let (written, removed) = std::thread::scope(|scope| {
            let write = scope.spawn(|| {
                start.wait();
                let write = ws(&name).and("content", "new\n").and("expected_hash", &*expected);
                went_well(&writer, "write_file", write, &["file has changed"])
            });
            start.wait();
            let removed = match round % 2 {
                0 => went_well(remover, "remove_file", ws(&name), &[]),
                _ => went_well(remover, "move", pair(&name, &format!("moved/{name}")), &[]),
            };
            (write.join().unwrap(), removed)
        });
        assert!(removed && !two.b.ws.has(&name), "{name} came back (written: {written})");
        both += usize::from(written);
    }
    eprintln!("{both} writes came before the end of their file");
}

/// A file that another program keeps locked is not changed, nor waited for without end; others are not held up.
#[test]
fn a_foreign_lock_is_respected() {
    let b = STDIO.bench();
    b.ws.write("locked.txt", "old\n");
    let file = std::fs::File::open(b.ws.path("locked.txt")).unwrap();
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let sentence = "another process keeps the file locked; try again: locked.txt";
    b.refuses("write_file", ws("locked.txt").and("content", "new\n"), sentence);
    assert_eq!(b.ok("read_file", ws("locked.txt"))["content"], json!("old\n"));
    drop(file);
    b.ok("write_file", ws("locked.txt").and("content", "new\n"));
    assert_eq!(b.ws.text("locked.txt"), "new\n");
}
