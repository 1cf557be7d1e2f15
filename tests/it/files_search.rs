//! `search` of toolset `files`.

use crate::files_test;
use crate::harness::files::*;
use crate::harness::*;
use serde_json::{Value, json};

fn look(pattern: &str) -> Value {
    json!({"root_path": ".", "pattern": pattern})
}

fn files(got: &Value) -> Vec<&str> {
    column(&got["matches"], "file")
}

/// The seed's example: grouped by file, the matching line in its context, lines counted from 1.
/// Ledger: D-S01, D-S09, D-S10, D-S11, D-S12, D-S14
files_test!(d_s12_answer_carries_all_fields, |b| {
    b.ws.write(
        "path/to/file1.txt",
        "Line before match\nThis is the matching line\nLine after match\n",
    );
    b.ws.write("path/to/file2.txt", "nothing\nmatching too").write("path/other.txt", "none");
    assert_eq!(
        b.ok("search", json!({"root_path": "path", "pattern": "matching", "context_lines": 1})),
        json!({
            "total_matches": 2, "files_searched": 3, "files_matched": 2,
            "matches": [
                {"file": "path/to/file1.txt", "matches": [{
                    "line_number": 2, "line": "This is the matching line", "context": [
                        {"line_number": 1, "content": "Line before match"},
                        {"line_number": 2, "content": "This is the matching line"},
                        {"line_number": 3, "content": "Line after match"}]}]},
                {"file": "path/to/file2.txt", "matches": [{
                    "line_number": 2, "line": "matching too", "context": [
                        {"line_number": 1, "content": "nothing"},
                        {"line_number": 2, "content": "matching too"}]}]},
            ],
            "truncated": false,
        })
    );
});

/// Without context lines the context is an empty list.
files_test!(d_s13_no_context, |b| {
    b.ws.write("f", "a\nneedle\nb");
    let got = b.ok("search", look("needle"));
    assert_eq!(
        got["matches"][0]["matches"],
        json!([{"line_number": 2, "line": "needle", "context": []}])
    );
});

/// Directory and pattern are required; a file is no place to search in.
files_test!(d_s02_parameters, |b| {
    b.ws.write("f", "x");
    refuses_parameters(b, "search", json!({}), &["root_path is required", "pattern is required"]);
    let message = refuses_parameters(b, "search", look("x").and("root_path", "f"), &["root_path"]);
    assert!(message.starts_with("Path is not a directory"), "{message}");
    refuses(b, "search", look("x").and("root_path", "ghost"), MISSING, "ghost");
});

/// The pattern is a text unless it is called a regular expression.
files_test!(d_s03_regex, |b| {
    b.ws.write("literal", "a.c").write("other", "abc");
    assert_eq!(files(&b.ok("search", look("a.c"))), ["literal"]);
    assert_eq!(files(&b.ok("search", look("a.c").and("regex", true))), ["literal", "other"]);
    refuses_parameters(b, "search", look("(").and("regex", true), &["pattern"]);
    assert_eq!(b.ok("search", look("("))["total_matches"], 0);
});

/// Which files are searched is told by a glob on their names.
files_test!(d_s04_file_pattern, |b| {
    b.ws.write("a.txt", "x").write("sub/b.txt", "x").write("c.md", "x");
    let got = b.ok("search", look("x").and("file_pattern", "*.txt"));
    assert_eq!((files(&got), &got["files_searched"]), (vec!["a.txt", "sub/b.txt"], &json!(2)));
    refuses_parameters(b, "search", look("x").and("file_pattern", "["), &["file_pattern"]);
});

/// Sub-directories, unless told otherwise; links are not followed.
files_test!(d_s05_recursive, |b| {
    b.outside().write("secret", "x");
    b.ws.write("a", "x").write("sub/b", "x").link("out", b.outside().host());
    assert_eq!(files(&b.ok("search", look("x"))), ["a", "sub/b"]);
    assert_eq!(files(&b.ok("search", look("x").and("recursive", false))), ["a"]);
});

/// Case does not matter unless it is told to.
files_test!(d_s06_case, |b| {
    b.ws.write("low", "error: é").write("up", "ERROR: É");
    assert_eq!(files(&b.ok("search", look("Error"))), ["low", "up"]);
    assert_eq!(files(&b.ok("search", look("É"))), ["low", "up"]);
    assert_eq!(files(&b.ok("search", look("ERROR").and("case_sensitive", true))), ["up"]);
});

/// Exactly so many, the first by path, and `truncated`.
/// Ledger: D-S07, D-S10
files_test!(d_s07_max_results, |b| {
    for i in 0..20 {
        b.ws.write(format!("f{i:02}"), "x\n".repeat(10));
    }
    let got = b.ok("search", look("x").and("max_results", 25));
    assert_eq!((&got["total_matches"], &got["truncated"]), (&json!(25), &json!(true)));
    assert_eq!((files(&got), &got["files_matched"]), (vec!["f00", "f01", "f02"], &json!(3)));
    assert_eq!(items(&got["matches"][2]["matches"]).len(), 5);
    assert_eq!(b.ok("search", look("x"))["total_matches"], 100, "the default");
    let all = b.ok("search", look("x").and("max_results", 1000));
    assert_eq!((&all["total_matches"], &all["truncated"]), (&json!(200), &json!(false)));
    assert_eq!(all["files_searched"], 20);
});

/// Larger files are passed over, not counted, and told.
files_test!(d_s08_max_file_size, |b| {
    b.ws.write("small", "needle").write("large", format!("needle{}", "x".repeat(1000)));
    let got = b.ok("search", look("needle").and("max_file_size", 100));
    assert_eq!((files(&got), &got["files_searched"]), (vec!["small"], &json!(1)));
    assert_eq!(got["warning"], "1 files larger than max_file_size were not searched");
    b.ws.write("huge", format!("{}needle\n", "x\n".repeat(5_300_000)));
    assert_eq!(files(&b.ok("search", look("needle"))), ["large", "small"], "10 MB is the default");
});

/// Nothing found is an answer.
files_test!(d_s10_nothing, |b| {
    b.ws.write("f", "x");
    assert_eq!(
        b.ok("search", look("needle")),
        json!({"total_matches": 0, "files_searched": 1, "files_matched": 0, "matches": [], "truncated": false})
    );
});

/// A file that is cut short while it is searched does not end the server, and large files are searched whole.
files_test!(d_s15_truncation_under_search, |b| {
    let line = format!("{}\n", "abcdefgh".repeat(12));
    b.ws.write("large", format!("{}needle\n", line.repeat(90_000)));
    let path = b.ws.path("large");
    let cutter = std::thread::spawn(move || {
        for size in (0..40).rev() {
            std::thread::sleep(std::time::Duration::from_millis(3));
            std::fs::File::options().write(true).open(&path).unwrap().set_len(size << 17).unwrap();
        }
    });
    while !cutter.is_finished() {
        b.ok("search", look("needle"));
    }
    cutter.join().unwrap();
});

/// Binary files are passed over, UTF-16 with its mark is not.
files_test!(d_s16_binary, |b| {
    b.ws.write("binary", b"needle\0").write("text", "needle");
    let utf16: Vec<u8> = "\u{feff}a needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    b.ws.write("utf16", utf16);
    let got = b.ok("search", look("needle"));
    assert_eq!((files(&got), &got["files_searched"]), (vec!["text", "utf16"], &json!(2)));
});

/// Many files are searched side by side, with one and the same answer.
files_test!(d_s17_parallel_and_sorted, |b| {
    for i in 0..600 {
        b.ws.write(format!("d{}/f{i:03}", i % 7), "needle\n");
    }
    let arguments = look("needle").and("max_results", 10_000);
    let first = b.ok("search", arguments.clone());
    let mut sorted = files(&first);
    sorted.sort_unstable();
    assert_eq!((files(&first), first["total_matches"].as_u64()), (sorted, Some(600)));
    for _ in 0..3 {
        assert_eq!(b.ok("search", arguments.clone()), first);
    }
});

/// Hidden files are searched.
files_test!(d_s18_hidden, |b| {
    b.ws.write(".env", "needle").write(".git/config", "needle");
    assert_eq!(files(&b.ok("search", look("needle"))), [".env", ".git/config"]);
});
