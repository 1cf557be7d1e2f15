//! Time and rate of toolset `files`.

use crate::files_test;
use crate::harness::files::*;
use crate::harness::*;
use crate::http_support::call_as;
use crate::limits::{SLOW_PATTERN, slow_tree};
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A call that takes too long ends with what was done; the next one is served.
/// Ledger: D-012, D-P06
#[test]
fn d_012_a_search_ends_in_time() {
    for wire in [STDIO, HTTP] {
        let b = serve(wire, Config::default(), &["--request-timeout", "1"]);
        slow_tree(&b.ws);
        let begin = Instant::now();
        let arguments = json!({"root_path": ".", "pattern": SLOW_PATTERN, "regex": true, "max_file_size": 100_000_000});
        let error = envelope(&b, "search", arguments)["error"].clone();
        let took = begin.elapsed();
        assert!(took > Duration::from_millis(900) && took < Duration::from_secs(8), "{took:?}");
        assert_eq!((&error["code"], &error["details"]["path"]), (&json!("timeout"), &json!(".")));
        let message = text(&error["message"]);
        assert!(message.starts_with("the time limit was reached: "), "{message}");
        assert!(text(&error["details"]["hint"]).contains("--request-timeout"), "{error}");
        b.ok("info", p("a_first.txt"));
    }
}

/// The limit comes from the configuration as well.
/// Ledger: D-012, D-P06
#[test]
fn d_012_from_the_configuration() {
    let b = serve(HTTP, Config::default().set("request_timeout_seconds", json!(1)), &[]);
    slow_tree(&b.ws);
    let arguments = json!({"root_path": ".", "pattern": SLOW_PATTERN, "regex": true, "max_file_size": 100_000_000});
    assert_eq!(envelope(&b, "search", arguments)["error"]["code"], "timeout");
}

/// A copy that is out of time leaves nothing at a new place, and tells how much it merged into an old one.
/// Ledger: D-012, D-P06
#[test]
fn d_012_a_copy_tells_how_far_it_came() {
    let b = serve(STDIO, Config::default(), &["--request-timeout", "1"]);
    slow_tree(&b.ws);
    let error = envelope(&b, "copy", from_to("slow", "new"))["error"].clone();
    assert_eq!(error["code"], "timeout", "{error}");
    assert_eq!(error["message"], "the time limit was reached: nothing was copied");
    assert_eq!(b.ws.names("."), ["a_first.txt", "slow"], "no trace is left");
    b.ws.mkdir("old");
    let error =
        envelope(&b, "copy", from_to("slow", "old").and("overwrite", true))["error"].clone();
    let copied = b.ws.names("old").len();
    let state = format!("the time limit was reached: {copied} files were copied, the rest was not");
    assert_eq!((&error["code"], &error["message"]), (&json!("timeout"), &json!(state)));
}

/// A deletion that is out of time tells how many entries are gone.
/// Ledger: D-012, D-P06
#[test]
fn d_012_a_deletion_tells_how_far_it_came() {
    let b = serve(STDIO, Config::default(), &["--request-timeout", "1"]);
    let (directories, each) = (8, 25_000);
    for directory in 0..directories {
        let first = format!("d/{directory}/f");
        b.ws.write(&first, "x");
        for i in 1..each {
            std::fs::hard_link(b.ws.path(&first), b.ws.path(format!("{first}{i}"))).unwrap();
        }
    }
    let answer = b.call("delete", p("d").and("recursive", true));
    let all = directories * (each + 1) + 1;
    if !answer.is_error {
        assert!(!b.ws.has("d"), "a fast disk is done in time");
        return;
    }
    let body: serde_json::Value = serde_json::from_str(&answer.text).unwrap();
    let left = b.ws.names("d").into_iter().map(|name| 1 + b.ws.names(format!("d/{name}")).len());
    let gone = all - 1 - left.sum::<usize>();
    let state =
        format!("the time limit was reached: {gone} entries were removed, the rest is still there");
    assert_eq!(
        (&body["error"]["code"], &body["error"]["message"]),
        (&json!("timeout"), &json!(state))
    );
}

/// A disk that does not answer: a filesystem whose server never says a word.
struct DeadMount {
    path: std::path::PathBuf,
    _device: std::fs::File,
}

impl DeadMount {
    /// `None` where mounting is not allowed.
    fn at(path: std::path::PathBuf) -> Option<Self> {
        use std::os::fd::AsRawFd;
        let device = std::fs::File::options().read(true).write(true).open("/dev/fuse").ok()?;
        let options = format!("fd={},rootmode=40000,user_id=0,group_id=0", device.as_raw_fd());
        let options = std::ffi::CString::new(options).unwrap();
        let flags = rustix::mount::MountFlags::empty();
        rustix::mount::mount("dead", &path, "fuse", flags, options.as_c_str()).ok()?;
        Some(Self { path, _device: device })
    }
}

impl Drop for DeadMount {
    fn drop(&mut self) {
        let flags = rustix::mount::UnmountFlags::DETACH | rustix::mount::UnmountFlags::FORCE;
        let _ = rustix::mount::unmount(&self.path, flags);
    }
}

/// A call that hangs in the kernel is answered, and others go on meanwhile.
/// Ledger: D-012, D-P06
#[test]
fn d_p06_a_dead_disk_does_not_hold_the_answer() {
    for wire in [STDIO, HTTP] {
        let workspace = Workspace::new();
        let dir = workspace.root("workspace");
        dir.mkdir("dead").write("f.txt", "x");
        let Some(mount) = DeadMount::at(dir.path("dead")) else {
            eprintln!("skipped: no right to mount");
            return;
        };
        let b = start(wire, workspace, Config::default(), |l| l.args(&["--request-timeout", "1"]));
        for (tool, arguments, state) in [
            ("read", p("dead/f.txt"), "nothing was changed"),
            (
                "write",
                p("dead/f.txt").and("content", "x"),
                "whether the change was made is not known",
            ),
        ] {
            let begin = Instant::now();
            let error = envelope(&b, tool, arguments)["error"].clone();
            assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
            assert_eq!(
                (&error["code"], &error["details"]["path"]),
                (&json!("timeout"), &json!("dead/f.txt"))
            );
            assert!(text(&error["message"]).ends_with(state), "{error}");
        }
        assert_eq!(b.ok("read", p("f.txt"))["content"], "x");
        drop(mount);
    }
}

fn three() -> Config {
    Config::default().set("rate_limit", json!({"calls_per_second": 1, "burst": 3}))
}

/// Too many calls at once are refused, with the time to come back, and nothing is done.
files_test!(d_p07_rate_limit, three(), |b| {
    b.ws.write("f.txt", "x");
    for _ in 0..3 {
        b.ok("read", p("f.txt"));
    }
    let error = envelope(b, "delete", p("f.txt"))["error"].clone();
    assert_eq!(
        (&error["code"], &error["details"]["path"]),
        (&json!("rate_limited"), &json!("f.txt"))
    );
    assert_eq!(error["message"], "rate limit exceeded; retry in 1 s");
    let wait = error["details"]["retry_after_seconds"].as_f64().unwrap();
    assert!(wait > 0.0 && wait <= 1.0, "{error}");
    std::thread::sleep(Duration::from_secs_f64(wait));
    assert_eq!(b.ok("read", p("f.txt"))["content"], "x");
    b.server.log.wait_for("a warning", |line| line["level"] == "WARN" && line["refused"] == true);
});

/// The holder of each token has a quota of its own, though both come from one address.
/// Ledger: D-P07
#[test]
fn d_p07_counted_by_token() {
    let token = |name: &str| json!({"name": name, "sha256": sha256(name.as_bytes())});
    let b = serve(HTTP, three().set("http", json!({"tokens": [token("one"), token("two")]})), &[]);
    for name in ["one", "two"] {
        let refused: Vec<bool> =
            (0..4).map(|_| call_as(&b, name, "info", p(".")).is_error).collect();
        assert_eq!(refused, [false, false, false, true], "{name}");
    }
}

/// The sentence of `roots`, where a limit holds only if the operator sets one.
/// Ledger: D-P07
#[test]
fn d_p07_roots_are_limited_on_request_only() {
    let limited = HTTP.with(three().root("workspace", &["*"]));
    let outcomes: Vec<bool> =
        (0..5).map(|_| limited.call("list_folder", ws(".")).is_error).collect();
    assert_eq!(outcomes[..4], [false, false, false, true]);
    let sentence = limited.fails("list_folder", ws("."));
    assert_eq!(sentence, "rate limit exceeded; retry in 1 s");
}

/// Over HTTP a runaway client of `files` is stopped even without any configuration, and a diligent one is not.
/// Ledger: D-P07
#[test]
fn d_p07_generous_by_default() {
    let b = serve(HTTP, Config::default(), &[]);
    for _ in 0..200 {
        b.ok("info", p("."));
    }
    let (begin, calls, refused) = (Instant::now(), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let session = b.another_session();
                while begin.elapsed() < Duration::from_secs(8) && refused.load(Relaxed) == 0 {
                    calls.fetch_add(1, Relaxed);
                    refused.fetch_add(session.call("info", p(".")).is_error.into(), Relaxed);
                }
            });
        }
    });
    // 1,000 at once and 200 each second are granted; a slow machine may not get further.
    let granted = 1_000 + 200 * (begin.elapsed().as_secs() + 1);
    assert!(refused.load(Relaxed) > 0 || calls.load(Relaxed) <= granted, "{calls:?} of {granted}");
}
