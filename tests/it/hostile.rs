//! Trees that break servers: pipes, loops, locked doors, many files, long lines, deep and odd names.

use crate::harness::*;
use crate::roots_security::every_tool_on;
use crate::wire_test;
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

/// Another user, when the suite runs as root: to root no door is locked.
const NOBODY: u32 = 65534;

fn search(pattern: &str) -> Value {
    ws(".").and("pattern", pattern)
}

/// Every tool answers for a named pipe without waiting for the other end, and none opens it.
wire_test!(c_fr_005_1_a_pipe_blocks_nothing, |b| {
    b.ws.write("inside.txt", "needle\n").write("folder/f.txt", "needle\n").fifo("folder/pipe");
    let start = Instant::now();
    for (tool, arguments) in every_tool_on("workspace", "folder/pipe") {
        let answer = b.call(tool, arguments);
        let may_succeed =
            ["stat_file", "permissions_file", "remove_file", "move", "copy", "grep", "glob"];
        assert!(answer.is_error || may_succeed.contains(&tool), "{tool}: {}", answer.text);
        if !b.ws.has("folder/pipe") {
            b.ws.write("inside.txt", "needle\n").fifo("folder/pipe");
        }
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert_eq!(b.ok("list_folder", ws("folder"))["count"], 2);
    assert_eq!(
        column(&b.ok("grep", search("needle").and("path", "folder"))["matches"], "file"),
        ["folder/f.txt"]
    );
    b.ok("copy", pair("folder", "copied"));
    assert_eq!(b.ws.text("copied/f.txt"), "needle\n");
    b.ok("remove_folder", ws("folder"));
    assert!(!b.ws.has("folder"));
});

/// Loops of links neither stop a walk nor multiply its results.
wire_test!(c_nfr_009_link_loops, |b| {
    b.ws.write("dir/f.txt", "needle\n")
        .link("dir/self", ".")
        .link("dir/up", "..")
        .link("a", "b")
        .link("b", "a");
    assert_eq!(b.ok("grep", search("needle"))["total_matches"], 1);
    let names = ["a", "b", "dir", "dir/f.txt", "dir/self", "dir/up"];
    assert_eq!(column(&b.ok("glob", search("**/*"))["matches"], "path"), names);
    b.ok("copy", pair("dir", "copied"));
    assert_eq!(b.ws.text("copied/f.txt"), "needle\n");
    b.ok("remove_folder", ws("dir"));
    assert_eq!(b.ws.names("."), ["a", "b", "copied"]);
});

/// A server that may not open everything, or nothing if the suite cannot make one.
fn as_nobody(wire: Wire, prepare: impl FnOnce(&Dir)) -> Option<Bench> {
    let reachable = std::process::Command::new("setpriv")
        .args(["--reuid", &NOBODY.to_string(), "--clear-groups", "test", "-x", BINARY])
        .status();
    if rustix::process::getuid().is_root() && !reachable.is_ok_and(|s| s.success()) {
        return None;
    }
    let workspace = Workspace::new();
    prepare(&workspace.root("workspace"));
    if rustix::process::getuid().is_root() {
        let config = Config::roots(&["workspace"]);
        config.save(&workspace);
        workspace.give_to(NOBODY);
    }
    Some(wire.launch(workspace, Config::roots(&["workspace"]), |launch| launch.user(NOBODY)))
}

/// A locked directory and a locked file are skipped by a search and named by everything else.
#[test]
fn c_us_003_locked_doors() {
    for wire in [STDIO, HTTP] {
        let prepare = |dir: &Dir| {
            dir.write("locked/f.txt", "needle\n")
                .write("open/g.txt", "needle\n")
                .write("secret.txt", "needle\n");
            dir.mkdir("frozen").chmod("locked", 0).chmod("secret.txt", 0).chmod("frozen", 0o555);
        };
        let Some(b) = as_nobody(wire, prepare) else { return };
        assert_eq!(column(&b.ok("grep", search("needle"))["matches"], "file"), ["open/g.txt"]);
        let found = b.ok("glob", search("**/*"));
        assert!(column(&found["matches"], "path").contains(&"locked"), "{found}");
        for (tool, arguments) in [
            ("read_file", ws("secret.txt")),
            ("read_file", ws("locked/f.txt")),
            ("list_folder", ws("locked")),
            ("hash_file", ws("secret.txt").and("algorithm", "md5")),
            ("write_file", ws("frozen/new.txt").and("content", "x")),
            ("write_file", ws("frozen/sub/new.txt").and("content", "x")),
            ("create_folder", ws("frozen/new")),
        ] {
            let text = b.fails(tool, arguments);
            assert!(text.to_lowercase().contains("permission denied"), "{tool}: {text}");
        }
        assert_eq!(b.ws.names("frozen"), Vec::<String>::new());
        b.ws.chmod("locked", 0o755);
    }
}

/// Five thousand files, two hundred and fifty-six descriptors.
#[test]
fn c_nfr_005_more_files_than_descriptors() {
    for wire in [STDIO, HTTP] {
        let workspace = Workspace::new();
        let dir = workspace.root("workspace");
        for i in 0..5000 {
            dir.write(format!("d{:02}/f{i:04}.txt", i % 50), "needle\n");
        }
        let b =
            wire.launch(workspace, Config::roots(&["workspace"]), |launch| launch.open_files(256));
        let all = |arguments: Value| arguments.and("max_results", 10_000);
        assert_eq!(b.ok("grep", all(search("needle")))["total_matches"], 5000);
        assert_eq!(b.ok("glob", all(search("**/*.txt")))["total_matches"], 5000);
        b.ok(
            "copy",
            pair(".", "../workspace/no").and("source_path", "d00").and("dest_path", "copied"),
        );
        assert_eq!(b.ws.names("copied").len(), 100);
        for i in 0..50 {
            b.ok("remove_folder", ws(&format!("d{i:02}")));
        }
        assert_eq!(b.ws.names("."), ["copied"]);
        std::thread::scope(|scope| {
            for _ in 0..50 {
                scope.spawn(|| assert_eq!(b.ok("list_folder", ws("copied"))["count"], 100));
            }
        });
    }
}

/// A line of 3 MB is shown around its match, and read only when asked for.
wire_test!(c_fr_016_4_a_line_of_three_megabytes, |b| {
    let line = format!("{}needle{}\n", "x".repeat(1_500_000), "y".repeat(1_500_000));
    b.ws.write("long.txt", format!("before\n{line}after needle\n"));
    let answer = b.call("grep", search("needle").and("context_lines", 1));
    assert!(answer.text.len() < 20_000, "{} bytes", answer.text.len());
    let got = answer.ok();
    assert_eq!(got["total_matches"], 2);
    let shown = text(&got["matches"][0]["line_content"]);
    assert!(shown.contains("xneedley") && shown.chars().count() <= 2100);
    b.fails("read_file", ws("long.txt"));
    let whole = b.ok("read_file", ws("long.txt").and("offset_lines", 2).and("limit_lines", 1));
    assert_eq!(text(&whole["content"]).trim_end().len(), line.len() - 1);
    let diff = "@@ -3 +3 @@\n-after needle\n+patched\n";
    b.ok("patch_file", ws("long.txt").and("patch", diff));
    assert!(b.ws.text("long.txt").ends_with("y\npatched\n"));
});

/// Make `depth` directories of this name inside one another, beyond the longest path.
fn nest(dir: &Dir, name: &str, depth: usize) {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
    let mut at = openat(rustix::fs::CWD, dir.path("").as_path(), flags, Mode::empty()).unwrap();
    for _ in 0..depth {
        mkdirat(&at, name, Mode::from_raw_mode(0o755)).unwrap();
        at = openat(&at, name, flags, Mode::empty()).unwrap();
    }
    let create = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = openat(&at, "bottom.txt", create, Mode::from_raw_mode(0o644)).unwrap();
    rustix::io::write(file, b"needle\n").unwrap();
}

/// Directories nested 1,500 deep are searched, copied and removed, with few descriptors.
#[test]
fn c_fr_010_1_deeply_nested_directories() {
    for wire in [STDIO, HTTP] {
        let workspace = Workspace::new();
        nest(&workspace.root("workspace"), "deep", 1500);
        let b =
            wire.launch(workspace, Config::roots(&["workspace"]), |launch| launch.open_files(256));
        b.ws.write("inside.txt", "x");
        let found = b.ok("grep", search("needle"));
        assert_eq!(found["total_matches"], 1);
        assert!(text(&found["matches"][0]["file"]).ends_with("deep/bottom.txt"));
        assert_eq!(b.ok("glob", search("**/bottom.txt"))["total_matches"], 1);
        let file = text(&found["matches"][0]["file"]).to_owned();
        assert_eq!(
            b.ok("read_file", ws(&file))["content"],
            "needle\n",
            "a result can be read as it is"
        );
        b.ok("copy", pair("deep", "copied"));
        assert_eq!(b.ok("grep", search("needle"))["total_matches"], 2);
        b.ok("remove_folder", ws("deep"));
        b.ok("remove_folder", ws("copied"));
        assert_eq!(b.ws.names("."), ["inside.txt"]);
    }
}

/// Names with newlines, quotes and bytes that are no text are listed, searched, copied and removed.
wire_test!(c_fr_004_2_odd_names, |b| {
    let raw = OsStr::from_bytes(b"not-\xff\xfe-text.txt");
    b.ws.mkdir("odd")
        .write("odd/new\nline.txt", "needle 1\n")
        .write("odd/tab\t\"quote\".txt", "needle 2\n");
    b.ws.write("odd/ leading and trailing ", "needle 3\n").write("odd/-rf", "needle 4\n");
    std::fs::write(b.ws.path("odd").join(raw), "needle 5\n").unwrap();
    let listed = b.ok("list_folder", ws("odd"));
    assert_eq!(listed["count"], 5);
    assert!(column(&listed["entries"], "name").contains(&"new\nline.txt"));
    for name in ["new\nline.txt", "tab\t\"quote\".txt", " leading and trailing ", "-rf"] {
        let path = format!("odd/{name}");
        assert!(text(&b.ok("read_file", ws(&path))["content"]).starts_with("needle"), "{path:?}");
        assert_eq!(b.ok("stat_file", ws(&path))["name"], name);
    }
    assert_eq!(b.ok("grep", search("needle"))["total_matches"], 5);
    assert_eq!(b.ok("glob", search("odd/*"))["total_matches"], 5);
    b.ok("copy", pair("odd", "copied"));
    assert_eq!(std::fs::read(b.ws.path("copied").join(raw)).unwrap(), b"needle 5\n");
    b.ok("remove_folder", ws("odd"));
    assert_eq!(b.ws.names("."), ["copied"]);
});

/// A file that grows and shrinks while it is read, hashed and searched is answered for.
wire_test!(c_nfr_014_a_file_that_changes, |b| {
    b.ws.write("f.txt", "needle\n".repeat(50_000));
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                b.ws.write("f.txt", "needle\n").write("f.txt", "needle\n".repeat(50_000));
            }
        });
        for _ in 0..30 {
            b.ok("read_file", ws("f.txt"));
            b.ok("grep", search("needle").and("max_results", 100_000));
            b.ok("hash_file", ws("f.txt").and("algorithm", "md5"));
            b.ok("read_file", ws("f.txt").and("offset_lines", 10).and("limit_lines", 10));
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
});

/// A root that disappears is a failure of the call, not of the server.
wire_test!(c_fr_018_2_a_root_that_disappears, |b| {
    std::fs::remove_dir(b.ws.path("")).unwrap();
    b.fails("read_file", ws("f.txt"));
    b.fails("write_file", ws("f.txt").and("content", "x"));
    b.ok("list_roots", json!({}));
});
