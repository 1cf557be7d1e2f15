//! Nothing is lost or torn: kills, readers and rivals during a write.

use crate::harness::*;
use crate::wire_test;
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// A server killed in the middle of a write leaves the old or the new content, whole.
/// Ledger: OQ-002
#[test]
fn c_nfr_014_killed_while_writing() {
    let (old, new) = ("old ".repeat(2_000_000), "new ".repeat(2_000_000));
    for delay in (0..60).step_by(4) {
        let mut b = STDIO.bench();
        b.ws.write("f.txt", &old);
        let arguments = ws("f.txt").and("content", new.clone());
        let call =
            b.session.prepare("tools/call", json!({"name": "write_file", "arguments": arguments}));
        let answer = b.session.stdio().post(&call);
        std::thread::sleep(Duration::from_millis(delay));
        b.server.child.kill().unwrap();
        b.server.wait();
        let found = b.ws.text("f.txt");
        assert!(found == old || found == new, "torn after {delay} ms: {} bytes", found.len());
        if answer.recv_timeout(Duration::from_secs(1)).is_ok() {
            assert!(found == new, "acknowledged and lost");
        }
    }
}

/// Whoever reads during overwrites sees one whole content or another.
wire_test!(c_nfr_014_readers_see_whole_files, |b| {
    b.ws.write("f.txt", "a".repeat(300_000));
    let done = AtomicBool::new(false);
    let reads = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut reads = 0;
            while !done.load(Ordering::Relaxed) {
                let text = b.ws.bytes("f.txt");
                assert!(
                    text.len() == 300_000 && text.iter().all(|c| *c == text[0]),
                    "a torn file was seen"
                );
                reads += 1;
            }
            reads
        });
        for letter in ["b", "c"].repeat(15) {
            b.ok("write_file", ws("f.txt").and("content", letter.repeat(300_000)));
        }
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap()
    });
    assert!(reads > 0);
});

/// Of many who create one file, one succeeds, and the content is its own.
wire_test!(c_fr_006_5_create_only_has_one_winner, |b| {
    for round in 0..10 {
        let path = format!("new{round}.txt");
        let winners = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for i in 0..10 {
                let arguments = ws(&path)
                    .and("content", format!("{i}").repeat(5000))
                    .and("mode", "create_only");
                let winners = &winners;
                scope.spawn(move || match b.call("write_file", arguments) {
                    answer if answer.is_error => {
                        assert!(answer.text.starts_with("file already exists: "), "{}", answer.text)
                    }
                    _ => drop(winners.fetch_add(1, Ordering::Relaxed)),
                });
            }
        });
        assert_eq!(winners.into_inner(), 1);
        let text = b.ws.text(&path);
        assert!(text.len() == 5000 && text.bytes().all(|c| c == text.as_bytes()[0]));
    }
});

/// Of many who append, none is lost and no line is mixed.
wire_test!(c_fr_006_4_appends_do_not_mix, |b| {
    std::thread::scope(|scope| {
        for i in 0..20 {
            let line = format!("{}\n", format!("{i:02}").repeat(2000));
            let arguments = ws("log.txt").and("content", line).and("mode", "append");
            scope.spawn(move || (0..5).for_each(|_| drop(b.ok("write_file", arguments.clone()))));
        }
    });
    let text = b.ws.text("log.txt");
    assert_eq!(text.lines().count(), 100);
    for line in text.lines() {
        assert!(
            line.len() == 4000 && line.as_bytes().chunks(2).all(|c| c == &line.as_bytes()[..2]),
            "{line:.40}"
        );
    }
});

/// Two servers on one directory that add to one file lose nothing to each other.
#[test]
fn c_fr_006_4_appends_of_two_servers() {
    let one = STDIO.bench();
    let config = Config::roots(&["workspace"]).with("path", json!(one.ws.host()));
    let two = STDIO.with(config);
    one.ws.write("log.txt", "");
    std::thread::scope(|scope| {
        for (who, b) in [("one", &one), ("two", &two)] {
            let add =
                move |n| ws("log.txt").and("content", format!("{who} {n}\n")).and("mode", "append");
            scope.spawn(move || (0..50).for_each(|n| drop(b.ok("write_file", add(n)))));
        }
    });
    let text = one.ws.text("log.txt");
    let of = |who: &str| text.lines().filter(|l| l.starts_with(who)).map(str::to_owned).collect();
    let all = |who: &str| (0..50).map(|n| format!("{who} {n}")).collect::<Vec<_>>();
    let found: [Vec<String>; 2] = [of("one"), of("two")];
    assert_eq!(found, [all("one"), all("two")]);
    assert_eq!(text.lines().count(), 100);
}

/// A file too large to be copied each time is extended where it is, as is one that someone keeps locked.
wire_test!(c_fr_006_4_appending_in_place, |b| {
    b.ws.write("large.log", vec![b'x'; (16 << 20) + 1]).write("locked.log", "one\n");
    let held = std::fs::File::open(b.ws.path("locked.log")).unwrap();
    held.lock().unwrap();
    for name in ["large.log", "locked.log"] {
        let (inode, size) = (b.ws.inode(name), b.ws.bytes(name).len());
        b.ok("write_file", ws(name).and("content", "more\n").and("mode", "append"));
        assert_eq!(b.ws.inode(name), inode, "{name} is another file");
        let text = b.ws.text(name);
        assert!(text.len() == size + 5 && text.ends_with("more\n"), "{name}: {}", text.len());
    }
});

/// Of many who patch one file at once, none is lost.
/// Ledger: C-FR-008.3
wire_test!(c_nfr_015_patches_are_not_lost, |b| {
    b.ws.write("f.txt", numbered_lines(40));
    std::thread::scope(|scope| {
        for i in (1..=40).step_by(2) {
            scope.spawn(move || {
                let diff = replace_line(i, &format!("line {i}"), &format!("patched {i}"));
                b.ok("patch_file", ws("f.txt").and("patch", diff));
            });
        }
    });
    let text = b.ws.text("f.txt");
    assert_eq!(text.lines().count(), 40);
    let patched = text.lines().filter(|l| l.starts_with("patched")).count();
    assert_eq!(patched, 20, "every patch fits, so every patch is in:\n{text}");
});

/// No temporary file stays behind, after success or failure.
wire_test!(c_nfr_014_no_debris, |b| {
    b.ws.write("f.txt", "one\n").mkdir("folder");
    b.ok("write_file", ws("f.txt").and("content", "one\n"));
    b.ok("write_file", ws("g.txt").and("content", "one\n").and("mode", "create_only"));
    b.fails("write_file", ws("g.txt").and("content", "two\n").and("mode", "create_only"));
    b.ok("patch_file", ws("f.txt").and("patch", replace_line(1, "one", "two")));
    b.fails("patch_file", ws("f.txt").and("patch", replace_line(1, "one", "two")));
    b.ok("copy", pair("f.txt", "h.txt"));
    b.fails("write_file", ws("folder").and("content", "x"));
    assert_eq!(b.ws.names("."), ["f.txt", "folder", "g.txt", "h.txt"]);
});
