//! `list` of toolset `files`.

use crate::files_test;
use crate::harness::files::*;
use crate::harness::*;
use serde_json::{Value, json};

fn tree(b: &Bench) {
    b.ws.write("a.txt", "0123456789").write("b.md", "x").write(".hidden", "h");
    b.ws.write("sub/c.txt", "c").write("sub/.deep/d.txt", "d").write(".dir/e.txt", "e");
    for name in ["a.txt", "b.md", ".hidden", "sub", ".dir"] {
        b.ws.touch(name, 1_712_763_000);
    }
}

fn paths(b: &Bench, arguments: Value) -> Vec<String> {
    let got = b.ok("list", arguments);
    column(&got["entries"], "path").into_iter().map(str::to_owned).collect()
}

/// The seed's example: every field of a file and of a directory, nothing else.
/// Ledger: D-L01, D-L07, D-L08, D-L09, D-L10
files_test!(d_l07_entries_carry_all_fields, |b| {
    b.ws.write("path/to/example.txt", vec![b'x'; 1024]).mkdir("path/to/documents");
    b.ws.touch("path/to/example.txt", 1_712_763_000).touch("path/to/documents", 1_712_664_000);
    assert_eq!(
        b.ok("list", p("path/to")),
        json!({"entries": [
            {"name": "documents", "path": "path/to/documents", "type": "directory",
             "modified": "2024-04-09T12:00:00Z", "is_hidden": false},
            {"name": "example.txt", "path": "path/to/example.txt", "type": "file", "size": 1024,
             "modified": "2024-04-10T15:30:00Z", "is_hidden": false},
        ]})
    );
});

/// `path` is required; `""`, `.` and the absolute path of the root are the root.
files_test!(d_l02_path, |b| {
    tree(b);
    refuses_parameters(b, "list", json!({}), &["path is required"]);
    let expected = ["a.txt", "b.md", "sub"];
    for path in ["", ".", "./", "sub/..", b.ws.host()] {
        assert_eq!(paths(b, p(path)), expected, "{path:?}");
    }
});

/// A pattern is matched on the name; directories are filtered as well, but walked.
files_test!(d_l03_pattern, |b| {
    tree(b);
    assert_eq!(paths(b, p(".").and("pattern", "*.txt")), ["a.txt"]);
    let recursive = p(".").and("recursive", true);
    assert_eq!(paths(b, recursive.clone().and("pattern", "*.txt")), ["a.txt", "sub/c.txt"]);
    assert_eq!(paths(b, recursive.and("pattern", "sub/*.txt")), ["sub/c.txt"]);
    assert_eq!(paths(b, p(".").and("pattern", "*.{md,txt}")), ["a.txt", "b.md"]);
    assert_eq!(paths(b, p(".").and("pattern", "*")), ["a.txt", "b.md", "sub"]);
});

/// Nested entries only when asked for; links are shown and not followed.
/// Ledger: D-L04, D-L09
files_test!(d_l04_recursive, |b| {
    tree(b);
    b.ws.link("loop", ".").link("sub/away", b.outside().host());
    b.ws.fifo("pipe");
    b.outside().write("secret.txt", "s");
    assert_eq!(paths(b, p(".")), ["a.txt", "b.md", "loop", "pipe", "sub"]);
    let got = b.ok("list", p(".").and("recursive", true));
    assert_eq!(
        column(&got["entries"], "path"),
        ["a.txt", "b.md", "loop", "pipe", "sub", "sub/away", "sub/c.txt"]
    );
    assert_eq!(
        column(&got["entries"], "type"),
        ["file", "file", "symlink", "other", "directory", "symlink", "file"]
    );
});

/// Hidden entries only when asked for; what is in a hidden directory is hidden with it.
files_test!(d_l05_include_hidden, |b| {
    tree(b);
    assert_eq!(paths(b, p(".").and("recursive", true)), ["a.txt", "b.md", "sub", "sub/c.txt"]);
    let all = p(".").and("recursive", true).and("include_hidden", true);
    let expected = [
        ".dir",
        ".dir/e.txt",
        ".hidden",
        "a.txt",
        "b.md",
        "sub",
        "sub/.deep",
        "sub/.deep/d.txt",
        "sub/c.txt",
    ];
    assert_eq!(paths(b, all.clone()), expected);
    let entries = b.ok("list", all)["entries"].clone();
    let hidden: Vec<&str> = items(&entries)
        .iter()
        .filter(|entry| entry["is_hidden"] == true)
        .map(|entry| text(&entry["name"]))
        .collect();
    assert_eq!(hidden, [".dir", ".hidden", ".deep"]);
    assert_eq!(paths(b, p(".dir")), [".dir/e.txt"], "a hidden directory that is named is listed");
});

/// Without metadata there is no size and no time, but still a type.
files_test!(d_l06_metadata, |b| {
    tree(b);
    assert_eq!(
        b.ok("list", p("sub").and("metadata", false)),
        json!({"entries": [{"name": "c.txt", "path": "sub/c.txt", "type": "file", "is_hidden": false}]})
    );
});

/// Sorted by path, without the directory itself, and the same every time.
files_test!(d_l11_order, |b| {
    for name in ["b/x", "a.txt", "a/z", "a-b", "a/b/c", "B"] {
        b.ws.write(name, "x");
    }
    let expected = ["B", "a", "a-b", "a.txt", "a/b", "a/b/c", "a/z", "b", "b/x"];
    for _ in 0..3 {
        assert_eq!(paths(b, p(".").and("recursive", true)), expected);
    }
});

/// A file is not listed.
files_test!(d_l12_path_is_a_file, |b| {
    tree(b);
    let message = refuses_parameters(b, "list", p("a.txt"), &["path", "a.txt"]);
    assert!(message.starts_with("Path is not a directory"), "{message}");
    refuses(b, "list", p("ghost"), MISSING, "ghost");
});

/// A broken glob is told, by the name of its parameter.
files_test!(d_l13_invalid_glob, |b| {
    refuses_parameters(b, "list", p(".").and("pattern", "["), &["pattern"]);
});

/// A tree that is too much for one answer is clipped and says so; one directory never is.
/// Ledger: D-P05
files_test!(d_l04_budget, Config::default().set("max_answer_bytes", json!(20_000)), |b| {
    for i in 0..500 {
        b.ws.write(format!("big/file{i:04}.txt"), "x");
    }
    assert_eq!(items(&b.ok("list", p("big"))["entries"]).len(), 500);
    let got = b.ok("list", p(".").and("recursive", true));
    let (shown, truncated) = (items(&got["entries"]).len(), &got["truncated"]);
    assert!(shown > 50 && shown < 200 && truncated == true, "{shown} {truncated}");
    let warning = text(&got["warnings"][0]);
    assert!(warning.starts_with(&format!("{} further entries", 501 - shown)), "{warning}");
});
