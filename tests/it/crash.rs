//! A server killed in the middle of its work: every file is the old or the new one, and nothing is left lying about.
//!
//! `KILLS=1000 cargo test --release --test it crash` kills it a thousand times.

use crate::harness::*;
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Files that are written at once.
const FILES: usize = 8;
const SIZE: usize = 60_000;

fn kills() -> usize {
    std::env::var("KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(40)
}

/// A content that tells whether it is whole: one number, over and over, between two marks.
fn content(number: usize) -> String {
    format!("begin {number}\n{}end {number}\n", format!("{number:08}\n").repeat(SIZE / 9))
}

fn is_whole(text: &str) -> bool {
    let number = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("begin "))
        .and_then(|n| n.parse().ok());
    number.is_some_and(|number: usize| text == content(number))
}

/// A number between 0 and `below` that differs from round to round.
fn scattered(round: usize, below: u64) -> u64 {
    (round as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) % below
}

/// Work until the server is gone, noting the last acknowledged write of each file.
fn work(b: &Bench, round: usize, stop: &AtomicBool, acknowledged: &[AtomicUsize]) {
    for step in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let file = step % FILES;
        let number = round * 10_000 + step;
        let name = format!("file{file}.txt");
        let call = match step % 5 {
            0 | 1 => ("write_file", ws(&name).and("content", content(number))),
            2 => ("patch_file", ws("patched.txt").and("patch", rewrite(number))),
            3 => ("copy", pair(&name, "tree/copied.txt")),
            _ => ("move", pair("tree/copied.txt", &format!("moved{file}.txt"))),
        };
        let sent = b.session.request("tools/call", json!({"name": call.0, "arguments": call.1}));
        if sent.is_ok_and(|result| result["isError"] != true) && step % 5 < 2 {
            acknowledged[file].store(number, Ordering::Relaxed);
        }
    }
}

/// A patch that replaces the first line, whatever its number is.
fn rewrite(number: usize) -> String {
    format!("@@ -2,1 +2,2 @@\n steady\n+{number}\n")
}

/// Kill a server at a random moment of its work, again and again.
/// Ledger: C-NFR-014, C-NFR-015
#[test]
fn c_nfr_014_killed_in_the_middle() {
    let mut workspace = Workspace::new();
    let ws = workspace.root("workspace");
    (0..FILES).for_each(|n| _ = ws.write(format!("file{n}.txt"), content(0)));
    let mut written = 0;
    for round in 1..=kills() {
        ws.write("patched.txt", "first\nsteady\nlast\n");
        let b = STDIO.on(workspace, Config::roots(&["workspace"]));
        let stop = AtomicBool::new(false);
        let pid = b.server.pid().to_string();
        let acknowledged: Vec<AtomicUsize> = (0..FILES).map(|_| AtomicUsize::new(0)).collect();
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                // The client gives up with a panic when the server is gone.
                let work = std::panic::AssertUnwindSafe(|| work(&b, round, &stop, &acknowledged));
                std::panic::catch_unwind(work).unwrap_or_default();
            });
            std::thread::sleep(Duration::from_micros(2_000 + scattered(round, 40_000)));
            run("kill", &["-9", &pid]);
            stop.store(true, Ordering::Relaxed);
            worker.join().unwrap_or_default();
        });
        let acknowledged: Vec<usize> =
            acknowledged.iter().map(|n| n.load(Ordering::Relaxed)).collect();
        check(&ws, round, &acknowledged);
        written += acknowledged.iter().filter(|number| **number > 0).count();
        workspace = b.into_workspace();
    }
    assert!(written > kills() / 2, "only {written} writes were acknowledged: nothing was shown");
    nothing_left(workspace, &ws);
}

fn check(ws: &Dir, round: usize, acknowledged: &[usize]) {
    for (file, last) in acknowledged.iter().enumerate() {
        let text = ws.text(format!("file{file}.txt"));
        assert!(is_whole(&text), "round {round}: file{file}.txt is torn ({} bytes)", text.len());
        let number: usize = text.lines().next().unwrap()["begin ".len()..].parse().unwrap();
        assert!(
            number >= *last,
            "round {round}: file{file}.txt holds {number}, but {last} was acknowledged"
        );
    }
    let patched = ws.text("patched.txt");
    assert!(
        patched.starts_with("first\nsteady\n") && patched.ends_with("last\n"),
        "torn: {patched:?}"
    );
    for name in ws.names("").into_iter().filter(|name| name.starts_with("moved")) {
        assert!(is_whole(&ws.text(&name)), "round {round}: {name} is torn");
    }
}

/// The next server cleans up after the killed ones.
fn nothing_left(workspace: Workspace, ws: &Dir) {
    let b = STDIO.on(workspace, Config::roots(&["workspace"]));
    b.ok("list_folder", crate::harness::ws("."));
    let deadline = Instant::now() + Duration::from_secs(10);
    let left =
        || ws.snapshot().into_keys().filter(|name| name.contains(".mcp-fs-")).collect::<Vec<_>>();
    while !left().is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(left(), Vec::<String>::new(), "temporaries survive");
}
