//! A server killed in the middle of its work: every file is the old or the new one, and nothing is left lying about.
//!
//! `make kills` kills it a thousand times, and says what that showed.

use crate::harness::*;
use serde_json::{Value, json};
use std::sync::Mutex;
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

/// The numbers of the contents that a file holds one after the other, or `None` where one of them is torn.
fn numbers(text: &str) -> Option<Vec<usize>> {
    let (mut rest, mut found) = (text, Vec::new());
    while !rest.is_empty() {
        let number = rest.strip_prefix("begin ")?.lines().next()?.parse().ok()?;
        rest = rest.strip_prefix(content(number).as_str())?;
        found.push(number);
    }
    Some(found)
}

/// The one number that a file holds.
#[track_caller]
fn number(ws: &Dir, name: &str) -> usize {
    let text = ws.text(name);
    match numbers(&text).as_deref() {
        Some([number]) => *number,
        _ => panic!("{name} is torn: {} bytes", text.len()),
    }
}

/// A number between 0 and `below` that differs from round to round.
fn scattered(round: usize, below: u64) -> u64 {
    (round as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) % below
}

/// The last acknowledged number of each file, and every one that was added to the log.
#[derive(Default)]
struct Acknowledged {
    files: [AtomicUsize; FILES],
    log: Mutex<Vec<usize>>,
}

impl Acknowledged {
    fn file(&self, file: usize) -> usize {
        self.files[file].load(Ordering::Relaxed)
    }

    /// Writes that were acknowledged: those that a kill could have lost.
    fn count(&self) -> usize {
        let files = (0..FILES).filter(|file| self.file(*file) > 0).count();
        files + self.log.lock().unwrap().len()
    }
}

/// Let `step` run again and again, and kill the server at a random moment after the first.
fn kill_while(b: &Bench, round: usize, step: impl Fn(usize) + Sync) {
    let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let steps = || {
        for n in (0..).take_while(|_| !stop.load(Ordering::Relaxed)) {
            step(n);
            done.store(n + 1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            // The client gives up with a panic when the server is gone.
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(steps)).unwrap_or_default();
        });
        let until = Instant::now() + Duration::from_secs(5);
        while done.load(Ordering::Relaxed) == 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_micros(scattered(round, 40_000)));
        run("kill", &["-9", &b.server.pid().to_string()]);
        stop.store(true, Ordering::Relaxed);
        worker.join().unwrap_or_default();
    });
}

/// Whether the call was answered with success.
fn succeeds(b: &Bench, tool: &str, arguments: Value) -> bool {
    let sent = b.session.request("tools/call", json!({"name": tool, "arguments": arguments}));
    sent.is_ok_and(|result| result["isError"] != true)
}

fn change_a_file(b: &Bench, round: usize, step: usize, acknowledged: &Acknowledged) {
    let (file, number) = (step % FILES, round * 10_000 + step);
    let name = format!("file{file}.txt");
    let (tool, arguments) = match step % 6 {
        0 | 1 => ("write_file", ws(&name).and("content", content(number))),
        2 => ("patch_file", ws("patched.txt").and("patch", rewrite(number))),
        3 => ("copy", pair(&name, "tree/copied.txt")),
        4 => ("move", pair("tree/copied.txt", &format!("moved{file}.txt"))),
        _ => ("write_file", ws("log.txt").and("content", content(number)).and("mode", "append")),
    };
    match (succeeds(b, tool, arguments), step % 6) {
        (true, 0 | 1) => acknowledged.files[file].store(number, Ordering::Relaxed),
        (true, 5) => acknowledged.log.lock().unwrap().push(number),
        _ => {}
    }
}

/// A patch that adds a line after the second one, whatever that is.
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
        ws.write("patched.txt", "first\nsteady\nlast\n").write("log.txt", content(0));
        let b = STDIO.on(workspace, Config::roots(&["workspace"]));
        let acknowledged = Acknowledged::default();
        kill_while(&b, round, |step| change_a_file(&b, round, step, &acknowledged));
        check_files(&ws, &acknowledged);
        check_log(&ws, &acknowledged.log.lock().unwrap());
        written += acknowledged.count();
        workspace = b.into_workspace();
    }
    assert!(written > kills() / 2, "only {written} writes were acknowledged: nothing was shown");
    nothing_left(&ws, &STDIO.on(workspace, Config::roots(&["workspace"])), "list_folder");
    eprintln!("files: {} kills, {written} writes acknowledged, 0 torn, 0 lost", kills());
}

fn check_files(ws: &Dir, acknowledged: &Acknowledged) {
    for file in 0..FILES {
        let (found, last) = (number(ws, &format!("file{file}.txt")), acknowledged.file(file));
        assert!(found >= last, "file{file}.txt holds {found}, but {last} was acknowledged");
    }
    let patched = ws.text("patched.txt");
    assert!(
        patched.starts_with("first\nsteady\n") && patched.ends_with("last\n"),
        "torn: {patched:?}"
    );
    for name in ws.names("").into_iter().filter(|name| name.starts_with("moved")) {
        number(ws, &name);
    }
}

/// All that was added and acknowledged is there, in order, and at most the one that was under way.
fn check_log(ws: &Dir, acknowledged: &[usize]) {
    let text = ws.text("log.txt");
    let found = numbers(&text).unwrap_or_else(|| panic!("log.txt is torn: {} bytes", text.len()));
    let expected: Vec<usize> = [&[0], acknowledged].concat();
    let one_more = found.len() <= expected.len() + 1;
    assert!(found.starts_with(&expected) && one_more, "{found:?} where {expected:?} was told");
}

/// Contents that are added in one call: much, so that kills meet the writing.
const AT_ONCE: usize = 10;

/// What is added is there as a whole or not at all.
#[test]
fn c_nfr_014_killed_while_appending() {
    let mut workspace = Workspace::new();
    let ws = workspace.root("workspace");
    let mut written = 0;
    for round in 1..=kills() {
        ws.write("log.txt", content(0));
        let b = STDIO.on(workspace, Config::roots(&["workspace"]));
        let acknowledged = AtomicUsize::new(0);
        kill_while(&b, round, |step| {
            let more = content(step).repeat(AT_ONCE);
            let arguments =
                crate::harness::ws("log.txt").and("content", more).and("mode", "append");
            acknowledged.fetch_add(succeeds(&b, "write_file", arguments).into(), Ordering::Relaxed);
        });
        workspace = b.into_workspace();
        let text = ws.text("log.txt");
        let found = numbers(&text).filter(|found| found.len() % AT_ONCE == 1);
        let found = found.unwrap_or_else(|| panic!("log.txt is torn: {} bytes", text.len()));
        let (told, there) = (acknowledged.into_inner(), found.len() / AT_ONCE);
        assert!((told..=told + 1).contains(&there), "{there} are there, {told} were acknowledged");
        written += told;
    }
    nothing_left(&ws, &STDIO.on(workspace, Config::roots(&["workspace"])), "list_folder");
    eprintln!("append: {} kills, {written} writes acknowledged, 0 torn, 0 lost", kills());
}

fn change_the_guide(b: &Bench, round: usize, step: usize, acknowledged: &Acknowledged) {
    let (file, number) = (step % FILES, round * 10_000 + step);
    let document = |verb: &str, name: String| {
        json!({"category": "lang", "name": name,
        "content": content(number), "explicit_action": format!("{verb}_DOCUMENT")})
    };
    let (tool, arguments) = match step % 4 {
        0 | 1 => ("guide_set_project_flag", flag(file, number)),
        2 => ("guide_update_document", document("UPDATE", format!("doc{file}.md"))),
        _ => ("guide_create_document", document("CREATE", format!("new{number}.md"))),
    };
    match (succeeds(b, tool, arguments), step % 4) {
        (true, 0..=2) => acknowledged.files[file].store(number, Ordering::Relaxed),
        (true, _) => acknowledged.log.lock().unwrap().push(number),
        _ => {}
    }
}

fn flag(file: usize, number: usize) -> Value {
    json!({"feature_name": format!("flag{file}"), "value": number.to_string()})
}

/// The same for the flags and documents of the guide.
/// Ledger: E-033
#[test]
fn e_033_the_guide_killed_in_the_middle() {
    let mut workspace = Workspace::new();
    let ws = workspace.root("workspace");
    (0..FILES).for_each(|n| _ = ws.write(format!(".guide/lang/doc{n}.md"), content(0)));
    let mut written = 0;
    for round in 1..=kills() {
        let b = STDIO.guide_on(workspace, |launch| launch);
        let acknowledged = Acknowledged::default();
        kill_while(&b, round, |step| change_the_guide(&b, round, step, &acknowledged));
        workspace = b.into_workspace();
        check_documents(&ws, &acknowledged);
        let b = STDIO.guide_on(workspace, |launch| launch);
        check_flags(&b, &acknowledged);
        written += acknowledged.count();
        workspace = b.into_workspace();
    }
    assert!(written > kills() / 2, "only {written} writes were acknowledged: nothing was shown");
    let b = STDIO.guide_on(workspace, |launch| launch);
    nothing_left(&ws, &b, "guide_list_project_flags");
    b.value("set_project_flag", flag(0, 0));
    assert_eq!(b.guidebook().names(""), ["config.lock", "config.yaml"], "temporaries survive");
    eprintln!("guide: {} kills, {written} writes acknowledged, 0 torn, 0 lost", kills());
}

fn check_documents(ws: &Dir, acknowledged: &Acknowledged) {
    for file in (0..FILES).filter(|file| file % 4 == 2) {
        let (found, last) =
            (number(ws, &format!(".guide/lang/doc{file}.md")), acknowledged.file(file));
        assert!(found >= last, "doc{file}.md holds {found}, but {last} was acknowledged");
    }
    for made in acknowledged.log.lock().unwrap().iter() {
        assert_eq!(number(ws, &format!(".guide/lang/new{made}.md")), *made);
    }
    for name in ws.names(".guide/lang").into_iter().filter(|name| name.starts_with("new")) {
        number(ws, &format!(".guide/lang/{name}"));
        std::fs::remove_file(ws.path(format!(".guide/lang/{name}"))).unwrap();
    }
}

/// The next server reads every flag: what was acknowledged, or a later value.
fn check_flags(b: &Bench, acknowledged: &Acknowledged) {
    let flags = b.value("list_project_flags", json!({"active": false}));
    for file in (0..FILES).filter(|file| file % 4 < 2) {
        let found = flags[format!("flag{file}")].as_str().map_or(0, |n| n.parse().unwrap());
        let last = acknowledged.file(file);
        assert!(found >= last, "flag{file} is {found}, but {last} was acknowledged");
    }
}

/// The next server cleans up after the killed ones.
fn nothing_left(ws: &Dir, b: &Bench, tool: &str) {
    b.call(tool, if tool == "list_folder" { crate::harness::ws(".") } else { json!({}) });
    let deadline = Instant::now() + Duration::from_secs(10);
    let left =
        || ws.snapshot().into_keys().filter(|name| name.contains(".mcp-fs-")).collect::<Vec<_>>();
    while !left().is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(left(), Vec::<String>::new(), "temporaries survive");
}
