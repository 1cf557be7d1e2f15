//! `patch_file`: the seed's scenarios, then every folder of `tests/scenarios/patch`.

use crate::harness::*;
use crate::wire_test;
use serde_json::{Value, json};
use std::path::Path;

/// Arguments of `patch_file`.
fn patch(path: &str, diff: &str) -> Value {
    ws(path).and("patch", diff)
}

const CODE: &str = "package main\n\nfunc add(a, b int) int {\n\treturn a - b\n}\n\nfunc main() {\n\tadd(1, 2)\n}\n";
const FIX: &str = "--- a/code.go\n+++ b/code.go\n@@ -1,5 +1,5 @@\n package main\n \n func add(a, b int) int {\n\
                   -\treturn a - b\n+\treturn a + b\n }\n";

/// A diff that changes one function is applied, tabs and all.
/// Ledger: C-US-004, C-S06, C-FR-008.1, C-FR-008.4
wire_test!(e2e_022_valid_diff, |b| {
    b.ws.write("code.go", CODE);
    let got = b.ok("patch_file", patch("code.go", FIX));
    assert_eq!((&got["path"], &got["hunks_applied"]), (&json!("code.go"), &json!(1)));
    let expected = CODE.replace("a - b", "a + b");
    assert_eq!(b.ok("read_file", ws("code.go"))["content"], expected);
});

/// A hunk that does not match changes nothing.
/// Ledger: C-US-004, C-FR-008.3, C-FR-008.6, C-NFR-015
wire_test!(e2e_023_mismatch_changes_nothing, |b| {
    b.ws.write("code.go", "line A\nline B\nline C\n");
    let diff =
        "--- a/code.go\n+++ b/code.go\n@@ -1,3 +1,3 @@\n line A\n-line X\n+line Y\n line C\n";
    let text = b.refuses(
        "patch_file",
        patch("code.go", diff),
        "patch failed: hunk 1 does not match at line 2",
    );
    assert!(
        text.contains("line X") && text.contains("line B"),
        "expected and found are named: {text}"
    );
    assert_eq!(b.ok("read_file", ws("code.go"))["content"], "line A\nline B\nline C\n");
});

/// A patch against nothing creates the file.
/// Ledger: C-FR-008.2
wire_test!(e2e_024_patch_creates_a_file, |b| {
    let diff = "--- /dev/null\n+++ b/new_file.txt\n@@ -0,0 +1,2 @@\n+first\n+second\n";
    assert_eq!(b.ok("patch_file", patch("new_file.txt", diff))["hunks_applied"], 1);
    assert_eq!(b.ok("read_file", ws("new_file.txt"))["content"], "first\nsecond\n");
});

/// One bad hunk of two undoes the good one, and is named with its line.
wire_test!(c_fr_008_3_all_or_nothing, |b| {
    b.ws.write("f.txt", numbered_lines(60));
    let diff =
        format!("{}@@ -42,1 +42,1 @@\n-line forty-two\n+x\n", replace_line(5, "line 5", "five"));
    b.refuses(
        "patch_file",
        patch("f.txt", &diff),
        "patch failed: hunk 2 does not match at line 42",
    );
});

/// Several hunks are applied and counted.
wire_test!(c_fr_008_1_hunks_are_counted, |b| {
    b.ws.write("f.txt", numbered_lines(60));
    let diff =
        format!("{}@@ -42,1 +42,1 @@\n-line 42\n+forty-two\n", replace_line(5, "line 5", "five"));
    assert_eq!(b.ok("patch_file", patch("f.txt", &diff))["hunks_applied"], 2);
    let expected =
        numbered_lines(60).replace("line 5\n", "five\n").replace("line 42\n", "forty-two\n");
    assert_eq!(b.ws.text("f.txt"), expected);
});

/// An old side that is not empty does not match a file that does not exist.
wire_test!(c_fr_008_2_a_missing_file_is_empty, |b| {
    b.refuses(
        "patch_file",
        patch("ghost.txt", &replace_line(1, "old", "new")),
        "patch failed: hunk 1",
    );
});

/// Parents of a new file are made.
wire_test!(c_fr_008_5_parents_are_made, |b| {
    b.ok("patch_file", patch("new/deep/f.txt", "@@ -0,0 +1 @@\n+content\n"));
    assert_eq!(b.ws.text("new/deep/f.txt"), "content\n");
    b.refuses(
        "patch_file",
        patch("other/deep/f.txt", &replace_line(1, "old", "new")),
        "patch failed",
    );
});

/// Text without hunks is no patch.
wire_test!(c_fr_008_7_no_hunks, |b| {
    b.ws.write("f.txt", "x\n");
    for diff in ["", "hello", "--- a/f.txt\n+++ b/f.txt\n"] {
        b.refuses("patch_file", patch("f.txt", diff), "parse patch: no hunks found in patch");
    }
});

/// Wrong counts and offsets are forgiven where the place is certain, and refused where it is not.
wire_test!(c_fr_008_4_numbers_may_be_wrong, |b| {
    b.ws.write("f.txt", numbered_lines(30)).write("same.txt", "x\ny\nx\ny\nx\ny\n");
    let diff = "@@ -1,99 +1,99 @@\n line 19\n-line 20\n+twenty\n";
    b.ok("patch_file", patch("f.txt", diff));
    assert_eq!(b.ws.text("f.txt"), numbered_lines(30).replace("line 20\n", "twenty\n"));
    b.refuses("patch_file", patch("same.txt", "@@ -90,1 +90,1 @@\n-y\n+z\n"), "patch failed");
});

/// Two files in one patch are refused.
wire_test!(c_fr_008_4_one_file_only, |b| {
    b.ws.write("f.txt", "a\n");
    let two = "--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-a\n+b\n--- a/g.txt\n+++ b/g.txt\n@@ -1 +1 @@\n-a\n+b\n";
    b.refuses("patch_file", patch("f.txt", two), "");
});

/// Line endings, a byte-order mark and the mode of the file survive.
wire_test!(c_fr_008_4_the_file_keeps_its_ways, |b| {
    b.ws.write("crlf.txt", "a\r\nb\r\nc\r\n").chmod("crlf.txt", 0o755);
    b.ok("patch_file", patch("crlf.txt", &replace_line(2, "b", "B")));
    assert_eq!(b.ws.text("crlf.txt"), "a\r\nB\r\nc\r\n");
    assert_eq!(b.ws.mode("crlf.txt"), 0o755);
    b.ws.write("bom.txt", "\u{feff}a\nb\n");
    b.ok("patch_file", patch("bom.txt", &replace_line(1, "a", "A")));
    assert_eq!(b.ws.text("bom.txt"), "\u{feff}A\nb\n");
});

/// Patching through an inner link changes the target; a directory is refused.
wire_test!(c_fr_008_1_links_and_directories, |b| {
    b.ws.write("real.txt", "a\n").link("link.txt", "real.txt").mkdir("folder");
    b.ok("patch_file", patch("link.txt", &replace_line(1, "a", "b")));
    assert!(b.ws.is_link("link.txt"));
    assert_eq!(b.ws.text("real.txt"), "b\n");
    b.refuses("patch_file", patch("folder", &replace_line(1, "a", "b")), "");
});

/// Every folder `before? patch.txt after|error` of `tests/scenarios/patch`, through the front door.
/// Ledger: C-FR-008.4, OQ-003
wire_test!(patch_scenarios, |b| {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/patch");
    let Ok(folders) = std::fs::read_dir(&all) else { return };
    let mut failures = Vec::new();
    for folder in folders.map(|f| f.unwrap().path()).filter(|f| f.is_dir()) {
        if let Err(why) = scenario(b, &folder) {
            failures.push(format!("{}: {why}", folder.file_name().unwrap().display()));
        }
    }
    failures.sort();
    assert!(failures.is_empty(), "{} scenarios failed:\n{}", failures.len(), failures.join("\n"));
});

fn scenario(b: &Bench, folder: &Path) -> Result<(), String> {
    let read = |name: &str| std::fs::read(folder.join(name)).ok();
    let diff =
        String::from_utf8(read("patch.txt").ok_or("no patch.txt")?).map_err(|e| e.to_string())?;
    let name = format!("{}.txt", folder.file_name().unwrap().display());
    let before = read("before");
    if let Some(before) = &before {
        b.ws.write(&name, before);
    }
    let answer = b.call("patch_file", patch(&name, &diff));
    let on_disk = std::fs::read(b.ws.path(&name)).ok();
    let expected = match read("error") {
        Some(sentence) => {
            let sentence = String::from_utf8_lossy(&sentence).trim_end().to_owned();
            if !answer.is_error || !answer.text.starts_with(&sentence) {
                return Err(format!("expected the error {sentence:?}, got {:?}", answer.text));
            }
            before
        }
        None if answer.is_error => return Err(format!("failed: {}", answer.text)),
        None => Some(read("after").ok_or("neither after nor error")?),
    };
    if on_disk == expected {
        return Ok(());
    }
    let show =
        |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|b| String::from_utf8_lossy(b).into_owned());
    Err(format!("expected on disk {:?}, found {:?}", show(&expected), show(&on_disk)))
}
