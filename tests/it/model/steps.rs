//! The steps of a sequence: what can be asked of the server, made up at random.

use super::tree::Tree;
use crate::harness::random::Random;
use crate::harness::{And, pair, ws};
use serde_json::Value;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Overwrite,
    Append,
    CreateOnly,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Self::Overwrite => "overwrite",
            Self::Append => "append",
            Self::CreateOnly => "create_only",
        }
    }
}

/// What a change expects the file to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    Anything,
    WhatIsThere,
    SomethingElse,
}

/// From where to where.
#[derive(Clone, Debug)]
pub struct Pair {
    pub source: String,
    pub dest: String,
}

/// What to look for, and where.
#[derive(Clone, Debug)]
pub struct Search {
    pub path: String,
    pub pattern: &'static str,
}

/// The names of one sequence: some of all.
pub fn names(random: &mut Random) -> Vec<&'static str> {
    (0..3 + random.below(3)).map(|_| random.pick(&NAMES)).collect()
}

/// One call. Nothing in it depends on what came before, so that any of them can be left out.
#[derive(Clone, Debug)]
pub enum Step {
    Write {
        path: String,
        content: String,
        mode: Mode,
        expect: Expect,
    },
    /// Replace this line of the file as it is then; `None` is a patch that fits nowhere.
    Patch {
        path: String,
        line: Option<usize>,
        new: String,
        expect: Expect,
    },
    RemoveFile(String),
    RemoveFolder(String),
    CreateFolder(String),
    List(String),
    Read(String),
    Stat(String),
    Hash(String),
    Glob(Search),
    Grep(Search),
    Copy(Pair),
    Move(Pair),
}

/// Few names, so that they meet: with blanks, marks, the same letter written in two ways, and what looks like syntax.
const NAMES: [&str; 11] = [
    "a",
    "b",
    "A",
    "two words",
    "c.txt",
    "d.txt",
    "\u{e9}",
    "e\u{301}",
    "\u{65e5}\u{672c}",
    ".hidden",
    "%2e*[x]",
];

impl Step {
    /// The `number`th step.
    pub fn random(random: &mut Random, names: &[&str], number: usize) -> Self {
        let path = path(random, names);
        match random.below(24) {
            0..5 => Self::Write {
                path,
                content: content(random, number),
                mode: mode(random),
                expect: expect(random),
            },
            5..8 => {
                let line = (!random.once_in(4)).then(|| random.below(8));
                Self::Patch {
                    path,
                    line,
                    new: format!("line {number} patched"),
                    expect: expect(random),
                }
            }
            8 => Self::RemoveFile(path),
            9 => Self::RemoveFolder(path),
            10..12 => Self::CreateFolder(path),
            12 => Self::List(path),
            13 => Self::Read(path),
            14 => Self::Stat(path),
            15 => Self::Hash(path),
            16 => {
                Self::Glob(Search { path, pattern: random.pick(&["**/*", "*", "**/*.txt", "*/*"]) })
            }
            17 => Self::Grep(Search {
                path,
                pattern: random.pick(&["line", "patched", "1", "\u{e9}"]),
            }),
            18..21 => Self::Copy(Pair { source: path, dest: self::path(random, names) }),
            _ => Self::Move(Pair { source: path, dest: self::path(random, names) }),
        }
    }

    /// The tool and its arguments, on the tree as it is.
    pub fn call(&self, tree: &Tree) -> (&'static str, Value) {
        let all = |search: &Search| {
            ws(&search.path).and("pattern", search.pattern).and("max_results", 1_000_000)
        };
        match self {
            Self::Write { path, content, mode, expect } => {
                let write = ws(path).and("content", &**content).and("mode", mode.name());
                ("write_file", expecting(write, tree, path, *expect))
            }
            Self::Patch { path, line, new, expect } => {
                let patch = ws(path).and("patch", tree.patch_text(path, *line, new));
                ("patch_file", expecting(patch, tree, path, *expect))
            }
            Self::RemoveFile(path) => ("remove_file", ws(path)),
            Self::RemoveFolder(path) => ("remove_folder", ws(path)),
            Self::CreateFolder(path) => ("create_folder", ws(path)),
            Self::List(path) => ("list_folder", ws(path)),
            Self::Read(path) => ("read_file", ws(path).and("with_hash", true)),
            Self::Stat(path) => ("stat_file", ws(path)),
            Self::Hash(path) => ("hash_file", ws(path).and("algorithm", "sha256")),
            Self::Glob(search) => ("glob", all(search)),
            Self::Grep(search) => ("grep", all(search)),
            Self::Copy(Pair { source, dest }) => ("copy", pair(source, dest)),
            Self::Move(Pair { source, dest }) => ("move", pair(source, dest)),
        }
    }
}

fn expecting(arguments: Value, tree: &Tree, path: &str, expect: Expect) -> Value {
    match tree.expected_hash(path, expect) {
        Some(hash) => arguments.and("expected_hash", hash),
        None => arguments,
    }
}

fn path(random: &mut Random, names: &[&str]) -> String {
    if random.once_in(20) {
        return random.pick(&[".", "", "/", "..", "a/../..", "./"]).to_owned();
    }
    let depth = [1, 1, 1, 2, 2, 3][random.below(6)];
    let names: Vec<&str> = (0..depth).map(|_| random.pick(names)).collect();
    let path = names.join("/");
    match random.below(12) {
        0 => format!("/{path}"),
        1 => format!("./{path}/"),
        2 => format!("nowhere/../{path}"),
        3 => path.replace('/', "//"),
        _ => path,
    }
}

/// Some lines, no two of which are alike anywhere; the last may lack its end.
fn content(random: &mut Random, number: usize) -> String {
    let lines = random.below(5);
    let text: String = (0..lines).map(|at| format!("line {number}.{at} \u{e9}\n")).collect();
    match random.once_in(4) {
        true => text.trim_end_matches('\n').to_owned(),
        false => text,
    }
}

fn mode(random: &mut Random) -> Mode {
    match random.below(4) {
        0 => Mode::Append,
        1 => Mode::CreateOnly,
        _ => Mode::Overwrite,
    }
}

fn expect(random: &mut Random) -> Expect {
    match random.below(6) {
        0 => Expect::WhatIsThere,
        1 => Expect::SomethingElse,
        _ => Expect::Anything,
    }
}
