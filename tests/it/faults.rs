//! An error at every system call in turn: the file is the old or the new one, the answer says so, and the next call works.
//!
//! `make faults` takes every call of every deed with every error and prints the table; the suite takes a part of it.

use crate::harness::strace::{Step, Watched};
use crate::harness::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What the system may say.
const ERRORS: [&str; 3] = ["EIO", "ENOSPC", "EACCES"];

type Tree = BTreeMap<String, String>;

/// What a deed leaves when it fails halfway.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Halfway {
    /// All of the old or all of the new.
    Never,
    /// Each file old or new, the answer says what was done, and nothing is lost.
    FileByFile,
}

/// Something an agent asks for.
struct Deed {
    name: &'static str,
    tool: &'static str,
    arguments: Value,
    halfway: Halfway,
}

fn deed(name: &'static str, tool: &'static str, arguments: Value) -> Deed {
    Deed { name, tool, arguments, halfway: Halfway::Never }
}

fn file_by_file(name: &'static str, tool: &'static str, arguments: Value) -> Deed {
    Deed { name, tool, arguments, halfway: Halfway::FileByFile }
}

fn on_roots() -> Vec<Deed> {
    let put = |path: &str, mode: &str| ws(path).and("content", "new\n").and("mode", mode);
    vec![
        deed("overwrite", "write_file", put("f.txt", "overwrite")),
        deed("append", "write_file", put("f.txt", "append")),
        deed("copy a file", "copy", pair("f.txt", "copied.txt")),
        deed("move a file", "move", pair("f.txt", "moved.txt")),
        deed("write a new file", "write_file", put("new.txt", "overwrite")),
        deed("write into new folders", "write_file", put("a/b/new.txt", "overwrite")),
        deed("create only", "write_file", put("new.txt", "create_only")),
        deed("patch", "patch_file", ws("f.txt").and("patch", "@@ -1 +1 @@\n-old\n+new\n")),
        deed(
            "patch a missing file",
            "patch_file",
            ws("a/b/new.txt").and("patch", "@@ -0,0 +1 @@\n+new\n"),
        ),
        deed("copy into new folders", "copy", pair("f.txt", "a/b/c.txt")),
        deed("copy over a file", "copy", pair("f.txt", "tree/a.txt")),
        deed("copy a tree", "copy", pair("tree", "fresh")),
        file_by_file("copy a tree into another", "copy", pair("tree", "into")),
        deed("move over a file", "move", pair("f.txt", "tree/a.txt")),
        deed("move into new folders", "move", pair("f.txt", "a/b/c.txt")),
        deed("move a tree", "move", pair("tree", "fresh")),
        file_by_file("move to another root", "move", across("workspace", "tree", "other", "tree")),
        deed("remove a file", "remove_file", ws("f.txt")),
        file_by_file("remove a tree", "remove_folder", ws("tree")),
        deed("create a folder", "create_folder", ws("made")),
        deed("create folders", "create_folder", ws("x/y/z")),
        deed("read a file", "read_file", ws("large.txt")),
        deed("hash a file", "hash_file", ws("f.txt").and("algorithm", "sha256")),
        deed("list a folder", "list_folder", ws("into/tree")),
    ]
}

fn in_the_guide() -> Vec<Deed> {
    let document = |verb: &str, name: &str| {
        json!({"category": "lang", "name": name, "content": "new\n",
        "explicit_action": format!("{verb}_DOCUMENT")})
    };
    let mut doomed = document("DELETE", "doc.md");
    doomed.as_object_mut().unwrap().remove("content");
    let flag = json!({"feature_name": "mine", "value": "new"});
    vec![
        deed("set a flag", "guide_set_project_flag", flag.clone()),
        deed("update a document", "guide_update_document", document("UPDATE", "doc.md")),
        deed("set a global flag", "guide_set_feature_flag", flag),
        deed("create a document", "guide_create_document", document("CREATE", "new.md")),
        deed("delete a document", "guide_delete_document", doomed),
    ]
}

/// The files before each deed.
fn prepare(b: &Bench) {
    let roots = Dir::at(b.workspace.all().path("roots"));
    for root in roots.names("") {
        empty(&roots.path(root));
    }
    b.ws.write("f.txt", "old\n")
        .write("tree/a.txt", "tree a\n")
        .write("tree/sub/b.txt", "tree b\n");
    b.ws.link("tree/link", "a.txt").write("into/tree/a.txt", "older\n");
    // Small files are read by the threads of the protocol.
    b.ws.write(".guide/lang/doc.md", "old\n").write("large.txt", "large\n".repeat(12_000));
    b.guidebook().write("config.yaml", "projects: {}\nfeature_flags:\n  mine: old\n");
}

/// Remove all that is in a directory that a server holds open.
fn empty(dir: &std::path::Path) {
    for entry in std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        let is_dir = entry.symlink_metadata().unwrap().is_dir();
        let remove =
            if is_dir { std::fs::remove_dir_all } else { std::fs::remove_file::<&std::path::Path> };
        remove(&entry).unwrap();
    }
}

/// All that a deed may change, and the temporaries there are.
fn look(b: &Bench) -> (Tree, Vec<String>) {
    let mut tree = Dir::at(b.workspace.all().path("roots")).snapshot();
    let settings = b.guidebook().snapshot().into_iter().filter(|(name, _)| name != "config.lock");
    tree.extend(settings.map(|(name, what)| (format!("guide-config/{name}"), what)));
    let (temporaries, tree) =
        tree.into_iter().partition::<Tree, _>(|(name, _)| name.contains(".mcp-fs-"));
    (tree, temporaries.into_keys().collect())
}

/// What the faults of one deed came to.
#[derive(Default)]
struct Tally {
    calls: usize,
    faults: usize,
    errors: usize,
    unknown: usize,
    harmless: usize,
    torn: usize,
    lost: usize,
    /// Each thing that is not as it should be, in words.
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.faults += other.faults;
        self.errors += other.errors;
        self.unknown += other.unknown;
        self.harmless += other.harmless;
        self.torn += other.torn;
        self.lost += other.lost;
        self.wrong.extend(other.wrong);
    }

    fn row(&self, name: &str) {
        let Self { calls, faults, errors, unknown, harmless, torn, lost, .. } = self;
        eprintln!(
            "| {name} | {calls} | {faults} | {errors} | {unknown} | {harmless} | {torn} | {lost} |"
        );
    }

    fn require(&mut self, good: bool, what: &str, case: &str) {
        if !good {
            self.wrong.push(format!("{what}: {case}"));
        }
    }
}

/// One deed, and what it comes to when nothing fails.
struct Trial<'a> {
    watched: &'a Watched,
    deed: &'a Deed,
    old: Tree,
    new: Tree,
    value: Option<Value>,
}

impl<'a> Trial<'a> {
    fn new(watched: &'a Watched, deed: &'a Deed) -> (Self, Vec<Step>) {
        let b = &watched.bench;
        // Once before, so that the thread is there and the guide knows its project.
        prepare(b);
        b.call(deed.tool, deed.arguments.clone());
        prepare(b);
        let old = look(b).0;
        let answer = Mutex::new(None);
        let steps = watched.steps(|| {
            *answer.lock().unwrap() = Some(b.call(deed.tool, deed.arguments.clone()));
        });
        let answer = answer.into_inner().unwrap().unwrap();
        assert!(!answer.is_error, "{}: {}", deed.name, answer.text);
        assert!(!steps.is_empty(), "{}: no system call was seen", deed.name);
        let new = look(b).0;
        let value = (old == new).then_some(answer.structured).flatten();
        (Self { watched, deed, old, new, value }, steps)
    }

    /// Let every step fail once with every error.
    fn run(&self, steps: &[Step], errors: &[&str]) -> Tally {
        let mut tally = Tally { calls: steps.len(), ..Tally::default() };
        for step in steps {
            for error in errors {
                self.fail(step, error, &mut tally);
            }
        }
        tally
    }

    fn fail(&self, step: &Step, error: &str, tally: &mut Tally) {
        let b = &self.watched.bench;
        prepare(b);
        let answer = Mutex::new(None);
        let met = self.watched.failing(step, error, || {
            *answer.lock().unwrap() = Some(b.call(self.deed.tool, self.deed.arguments.clone()));
        });
        let answer = answer.into_inner().unwrap().unwrap();
        if met {
            tally.faults += 1;
            let case = format!("{}, {error} at {}: {}", self.deed.name, step.line, answer.text);
            self.judge(&answer, &case, tally);
            self.goes_on(&case, tally);
        }
    }

    fn judge(&self, answer: &Answer, case: &str, tally: &mut Tally) {
        let (tree, temporaries) = look(&self.watched.bench);
        self.count_torn_and_lost(&tree, case, tally);
        let unknown = answer.text.contains("outcome unknown");
        let contradiction = unknown && answer.text.contains("nothing was changed");
        tally.require(!contradiction, "both known and unknown", case);
        let fits = match (answer.is_error, unknown, self.deed.halfway) {
            (false, ..) => tree == self.new || answer.text.contains("skipped"),
            (true, false, Halfway::Never) => tree == self.old,
            (true, true, Halfway::Never) => tree == self.new || tree == self.old,
            (true, true, Halfway::FileByFile) => true,
            (true, false, Halfway::FileByFile) => {
                tree == self.old || tells_what_was_done(&answer.text)
            }
        };
        tally.require(fits, "the disk is not what the answer says", case);
        let same = self.value.is_none() || answer.is_error || self.value == answer.structured;
        tally.require(same, "another answer than without the fault", case);
        let swept = temporaries.is_empty() || self.are_swept();
        tally.require(swept, "temporaries survive", case);
        match (answer.is_error, unknown) {
            (false, _) => tally.harmless += 1,
            (true, false) => tally.errors += 1,
            (true, true) => tally.unknown += 1,
        }
    }

    /// Each file is the old or the new one, and what both have is there.
    fn count_torn_and_lost(&self, tree: &Tree, case: &str, tally: &mut Tally) {
        let is_file = |what: &&String| !what.ends_with(" directory");
        let known = |name, what| [&self.old, &self.new].iter().any(|t| t.get(name) == Some(what));
        let torn = tree.iter().filter(|(name, what)| is_file(what) && !known(*name, *what)).count();
        let kept = self.old.values().filter(|what| self.new.values().any(|new| new == *what));
        let lost = kept.filter(|what| is_file(what) && !tree.values().any(|t| t == *what)).count();
        tally.require(torn == 0, "torn", case);
        tally.require(lost == 0, "lost", case);
        tally.torn += torn;
        tally.lost += lost;
    }

    /// Whether the next server removes what this one could not.
    fn are_swept(&self) -> bool {
        let b = &self.watched.bench;
        let config = Config::roots(&["workspace"]).with("path", json!(b.ws.host()));
        let config = config.root("other", &["*"]).with("path", json!(b.root("other").host()));
        let next = STDIO.with(config);
        next.ok("list_folder", ws("."));
        let until = Instant::now() + Duration::from_secs(10);
        while !look(b).1.is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        look(b).1.is_empty()
    }

    /// The same deed, on files as they were before, succeeds.
    fn goes_on(&self, case: &str, tally: &mut Tally) {
        prepare(&self.watched.bench);
        let answer = self.watched.bench.call(self.deed.tool, self.deed.arguments.clone());
        tally.require(!answer.is_error, "the next call fails", case);
        let same = look(&self.watched.bench).0 == self.new;
        tally.require(same, "the next call does something else", case);
    }
}

fn tells_what_was_done(text: &str) -> bool {
    ["were removed, the rest", "were copied, the rest", "is complete"]
        .iter()
        .any(|words| text.contains(words))
}

/// Every deed with `FAULTS=all`, else the first few with one error.
fn inject_everywhere(deeds: Vec<Deed>, few: usize, start: impl FnOnce() -> Bench) {
    let Some(mut watched) = Watched::new(start) else { return };
    let all = std::env::var("FAULTS").is_ok_and(|faults| faults == "all");
    let (deeds, errors) =
        if all { (&deeds[..], &ERRORS[..]) } else { (&deeds[..few], &ERRORS[..1]) };
    let mut sum = Tally::default();
    eprintln!(
        "| deed | system calls | faults | answered with an error | outcome unknown | harmless | torn | lost |"
    );
    eprintln!("|---|---|---|---|---|---|---|---|");
    for deed in deeds {
        let (trial, steps) = Trial::new(&watched, deed);
        let tally = trial.run(&steps, errors);
        assert!(
            tally.faults * 10 > steps.len() * errors.len() * 9,
            "{}: faults were not met",
            deed.name
        );
        tally.row(deed.name);
        sum.add(tally);
    }
    sum.row("all");
    assert!(sum.wrong.is_empty(), "{}", sum.wrong.join("\n"));
    assert!(watched.bench.server.is_alive());
}

/// Ledger: C-NFR-014, C-NFR-015
#[test]
fn c_nfr_014_an_error_at_every_system_call() {
    inject_everywhere(on_roots(), 4, || HTTP.with(Config::roots(&["workspace", "other"])));
}

/// Ledger: E-033
#[test]
fn e_033_an_error_at_every_system_call_of_the_guide() {
    inject_everywhere(in_the_guide(), 2, || HTTP.guide());
}

/// What is answered on the spot reads what the kernel holds and nothing else: near names are looked for elsewhere.
#[test]
fn c_nfr_004_a_read_that_fails_lists_nothing_on_the_threads_that_listen() {
    let Some(watched) = Watched::new(|| HTTP.bench()) else { return };
    let b = &watched.bench;
    b.ws.write("small.txt", "content");
    let missing =
        || assert!(b.fails("read_file", ws("smal.txt")).contains("did you mean small.txt?"));
    missing();
    let made = watched.listening(missing);
    assert!(
        made.iter().any(|line| line.starts_with("openat2(")),
        "it was tried on the spot: {made:?}"
    );
    let listings: Vec<_> = made.iter().filter(|line| line.starts_with("getdents64(")).collect();
    assert_eq!(listings, Vec::<&String>::new());
}

/// A file that is extended where it is has its old size after an error, or its new one.
#[test]
fn c_fr_006_4_an_error_while_extending_in_place() {
    let Some(watched) = Watched::new(|| HTTP.bench()) else { return };
    const SIZE: u64 = (16 << 20) + 1;
    let b = &watched.bench;
    let fresh = || std::fs::File::create(b.ws.path("large.log")).unwrap().set_len(SIZE).unwrap();
    let append =
        || b.call("write_file", ws("large.log").and("content", "new\n").and("mode", "append"));
    fresh();
    append();
    fresh();
    for step in watched.steps(|| drop(append())) {
        fresh();
        let answer = Mutex::new(None);
        watched.failing(&step, ERRORS[0], || *answer.lock().unwrap() = Some(append()));
        let answer = answer.into_inner().unwrap().unwrap();
        let size = b.ws.path("large.log").metadata().unwrap().len();
        let expected = if answer.is_error { SIZE } else { SIZE + 4 };
        assert_eq!(size, expected, "{}: {}", step.line, answer.text);
    }
}
