//! Rules that a machine can keep: generated pages are current, every source file says what it is and stays short.

use std::path::{Path, PathBuf};
use std::process::Command;

const BEGIN: &str = "<!-- begin: mcp-filesystem ";
const END: &str = "<!-- end -->";
/// Pages with generated parts. `UPDATE_DOCS=1` writes them anew.
const PAGES: [&str; 8] = [
    "README.md",
    "CLAUDE.md",
    ".agent_docs/mcp-filesystem.md",
    "docs/functionalities.md",
    "docs/reference/roots.md",
    "docs/reference/files.md",
    "docs/reference/guide.md",
    "docs/reference/command-line.md",
];
/// Lines a source file may have.
const LONGEST: usize = 500;

fn project(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// What the binary prints for these arguments.
fn printed(arguments: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_mcp-filesystem"))
        .args(arguments.split_whitespace())
        .env_clear()
        .env("COLUMNS", "100")
        .output()
        .expect("run the binary");
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    if arguments.starts_with("tools") {
        text
    } else {
        format!("```text\n{}\n```\n", text.trim_end())
    }
}

/// The page with every part between the marks as the binary prints it now.
fn renewed(page: &str) -> String {
    let mut new = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (arguments, old) = after.split_once(" -->\n").expect("the mark is closed");
        let (_, behind) = old.split_once(END).expect("the part is closed");
        let part = printed(arguments);
        new += &format!("{before}{BEGIN}{arguments} -->\n\n{}\n\n{END}", part.trim());
        rest = behind;
    }
    new + rest
}

/// Pages that are generated from the definitions say what the definitions say now.
/// Ledger: C-DOC-10, C-NFR-025
#[test]
fn generated_pages_are_current() {
    for name in PAGES {
        let page = std::fs::read_to_string(project(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let new = renewed(&page);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(project(name), &new).unwrap();
        } else {
            assert!(page == new, "{name} is stale: run `make docs`");
        }
    }
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every source file opens with what it is, and none grows past what one can hold in mind.
#[test]
fn every_file_says_what_it_is_and_stays_short() {
    let mut found = Vec::new();
    sources(&project("src"), &mut found);
    ["tests", "benches", "examples"].iter().for_each(|name| sources(&project(name), &mut found));
    assert!(found.len() > 50, "looked in the wrong place");
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//!"), "{} does not open with //!", path.display());
        assert!(
            text.lines().count() <= LONGEST,
            "{} is longer than {LONGEST} lines",
            path.display()
        );
    }
}
