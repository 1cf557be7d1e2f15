//! A directory on the path is swapped with a link to the outside, over and over, while every tool goes
//! through it: nothing outside is ever read, made, changed or removed.

use crate::harness::*;
use crate::wire_test;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often each operation is tried.
const TRIES: usize = 200;
/// What stands outside, and must not come in.
const SECRET: &str = "OUTSIDE";

/// `p/x` is a directory at one moment and a link to the outside at the next.
struct Arena<'b> {
    b: &'b Bench,
    /// The inner directory, whatever its name is at the moment.
    inner: PathBuf,
    _held: std::fs::File,
    succeeded: BTreeMap<&'static str, usize>,
    refused: usize,
}

impl<'b> Arena<'b> {
    fn new(b: &'b Bench) -> Self {
        let outside = b.outside();
        for name in ["f.txt", "victim.txt", "patched.txt", "moved.txt", "outside-only.txt"] {
            outside.write(name, format!("{SECRET} {name}\n"));
        }
        outside.write("folder/kept.txt", SECRET).write("tree/kept.txt", SECRET);
        b.ws.write("p/x/f.txt", "inside\n")
            .write("p/x/patched.txt", "inside\n")
            .write("source.txt", "inside\n");
        b.ws.write("p/x/tree/in.txt", "inside\n").link("p/link", outside.path(""));
        let held = std::fs::File::open(b.ws.path("p/x")).unwrap();
        let inner = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
        Self { b, inner, _held: held, succeeded: BTreeMap::new(), refused: 0 }
    }

    /// Make a call and judge it: a failure says nothing of the outside, a success is counted.
    fn attempt(&mut self, what: &'static str, tool: &str, arguments: Value) -> Option<Value> {
        let answer = self.b.call(tool, arguments);
        assert!(
            !answer.raw.to_string().contains(SECRET),
            "{what} brought the outside in: {}",
            answer.text
        );
        assert!(
            !answer.text.contains("outside-only"),
            "{what} shows outside names: {}",
            answer.text
        );
        if answer.is_error {
            self.refused += 1;
            return None;
        }
        *self.succeeded.entry(what).or_default() += 1;
        Some(answer.ok())
    }

    fn refill(&self) {
        std::fs::write(self.inner.join("victim.txt"), "inside\n").unwrap();
        std::fs::write(self.inner.join("moved.txt"), "inside\n").unwrap();
        std::fs::create_dir_all(self.inner.join("folder/sub")).unwrap();
        std::fs::write(self.inner.join("folder/sub/f.txt"), "inside\n").unwrap();
    }

    /// Nothing from outside stands inside, leaving out what `skip` begins: while the attack runs, our own
    /// look at the arena goes through the link as well.
    fn check_copies(&self, skip: Option<&str>) {
        let mut inside = self.b.ws.snapshot();
        inside.retain(|name, _| skip.is_none_or(|skip| !name.starts_with(skip)));
        let leaked: Vec<_> = inside
            .iter()
            .filter(|(_, what)| what.contains(SECRET) && !what.contains("link"))
            .collect();
        assert!(leaked.is_empty(), "the outside was copied in: {leaked:?}");
    }

    /// At least some of every operation got through, or the test has shown nothing.
    fn check_successes(&self, expected: &[&str]) {
        for what in expected {
            assert!(
                self.succeeded.get(what).is_some_and(|n| *n > 0),
                "{what} never succeeded: {:?}",
                self.succeeded
            );
        }
    }
}

/// Run `body` while the two names are exchanged without pause; the outside must be the same after it.
fn under_attack(b: &Bench, body: impl FnOnce(&mut Arena)) {
    let mut arena = Arena::new(b);
    let before = b.outside().snapshot();
    let (dir, link) = (b.ws.path("p/x"), b.ws.path("p/link"));
    let done = AtomicBool::new(false);
    let swaps = std::thread::scope(|scope| {
        let attacker = scope.spawn(|| {
            let mut swaps = 0_u64;
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).expect("exchange");
                swaps += 1;
                std::thread::yield_now();
            }
            swaps
        });
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(&mut arena)));
        done.store(true, Ordering::Relaxed);
        let swaps = attacker.join().unwrap();
        outcome.map(|()| swaps).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    assert!(
        swaps > 1000 && arena.refused > 10,
        "no attack: {swaps} exchanges, {} refusals",
        arena.refused
    );
    assert_same_tree(&before, &b.outside().snapshot());
    arena.check_copies(None);
}

/// Reading: files, listings, searches, metadata, hashes.
/// Ledger: C-NFR-006, C-NFR-009, C-FR-001.1
wire_test!(c_nfr_006_reading_under_attack, |b| {
    let secret_hash = sha256(format!("{SECRET} f.txt\n").as_bytes());
    under_attack(b, |arena| {
        for _ in 0..TRIES {
            if let Some(read) = arena.attempt("read", "read_file", ws("p/x/f.txt")) {
                assert_eq!(read["content"], "inside\n");
            }
            arena.attempt("range", "read_file", ws("p/x/f.txt").and("limit_lines", 1));
            arena.attempt("list", "list_folder", ws("p/x"));
            arena.attempt("grep", "grep", ws("p").and("pattern", "inside|OUTSID[E]"));
            arena.attempt("grep below", "grep", ws("p/x").and("pattern", "inside|OUTSID[E]"));
            arena.attempt("glob", "glob", ws("p/x").and("pattern", "**/*"));
            if let Some(stat) = arena.attempt("stat", "stat_file", ws("p/x/f.txt")) {
                assert_eq!(stat["size"], "inside\n".len());
            }
            if let Some(hash) =
                arena.attempt("hash", "hash_file", ws("p/x/f.txt").and("algorithm", "sha256"))
            {
                assert_ne!(hash["hash"], secret_hash);
            }
            arena.attempt("permissions", "permissions_file", ws("p/x/f.txt"));
        }
        let expected =
            ["read", "range", "list", "grep", "grep below", "glob", "stat", "hash", "permissions"];
        arena.check_successes(&expected);
    });
});

/// Writing: every mode, patches, directories.
/// Ledger: C-NFR-006, C-FR-001.6
wire_test!(c_nfr_006_writing_under_attack, |b| {
    under_attack(b, |arena| {
        for i in 0..TRIES {
            let text =
                |path: String, mode: &str| ws(&path).and("content", "inside\n").and("mode", mode);
            arena.attempt("write", "write_file", text("p/x/w.txt".to_owned(), "overwrite"));
            arena.attempt("overwrite", "write_file", text("p/x/f.txt".to_owned(), "overwrite"));
            arena.attempt("append", "write_file", text("p/x/a.txt".to_owned(), "append"));
            arena.attempt("create", "write_file", text(format!("p/x/c{i}.txt"), "create_only"));
            arena.attempt(
                "create below",
                "write_file",
                text(format!("p/x/n{i}/c.txt"), "create_only"),
            );
            let diff = if i % 2 == 0 {
                "@@ -1 +1 @@\n-inside\n+INSIDE\n"
            } else {
                "@@ -1 +1 @@\n-INSIDE\n+inside\n"
            };
            arena.attempt("patch", "patch_file", ws("p/x/patched.txt").and("patch", diff));
            arena.attempt("mkdir", "create_folder", ws(&format!("p/x/d{i}/e")));
        }
        arena.check_successes(&[
            "write",
            "overwrite",
            "append",
            "create",
            "create below",
            "patch",
            "mkdir",
        ]);
    });
});

/// Removing and moving away.
/// Ledger: C-NFR-009, C-FR-010.5
wire_test!(c_nfr_009_removing_under_attack, |b| {
    under_attack(b, |arena| {
        for i in 0..TRIES {
            arena.refill();
            arena.attempt("remove file", "remove_file", ws("p/x/victim.txt"));
            arena.attempt("remove folder", "remove_folder", ws("p/x/folder"));
            arena.attempt("move out", "move", pair("p/x/moved.txt", &format!("moved{i}.txt")));
        }
        arena.check_successes(&["remove file", "remove folder", "move out"]);
    });
});

/// Copying and moving, from and to.
/// Ledger: C-NFR-009, C-FR-014.7, C-FR-015.6
wire_test!(c_nfr_009_copying_under_attack, |b| {
    under_attack(b, |arena| {
        for i in 0..TRIES {
            arena.attempt("copy out", "copy", pair("p/x/f.txt", &format!("copy{i}.txt")));
            arena.attempt("copy in", "copy", pair("source.txt", &format!("p/x/copy{i}.txt")));
            arena.attempt("copy tree", "copy", pair("p/x/tree", &format!("tree{i}")));
            arena.attempt("copy parent", "copy", pair("p", &format!("whole{i}")));
            b.ws.write("movable.txt", "inside\n");
            arena.attempt("move in", "move", pair("movable.txt", &format!("p/x/moved{i}.txt")));
            if i % 20 == 19 {
                arena.check_copies(Some("p/"));
                (0..=i).for_each(|n| {
                    std::fs::remove_dir_all(b.ws.path(format!("whole{n}"))).unwrap_or_default()
                });
            }
        }
        arena.check_successes(&["copy out", "copy in", "copy tree", "copy parent", "move in"]);
    });
});

/// The same path, quiet again, works: the arena itself is sound.
wire_test!(c_nfr_006_the_arena_is_sound, |b| {
    let mut arena = Arena::new(b);
    assert!(arena.attempt("read", "read_file", ws("p/x/f.txt")).is_some());
    assert_eq!(b.ok("list_folder", ws("p"))["entries"][0]["target_type"], json!("external"));
    assert!(arena.attempt("read", "read_file", ws("p/link/f.txt")).is_none());
});
