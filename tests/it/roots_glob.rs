//! `glob`: patterns, expressions, filters, safeguards.

use crate::harness::*;
use crate::wire_test;
use serde_json::{Value, json};

/// Arguments of a search by pattern.
fn by_pattern(pattern: &str) -> Value {
    json!({"root": "workspace", "pattern": pattern})
}

/// Arguments of a search by expression.
fn by_regex(regex: &str) -> Value {
    json!({"root": "workspace", "regex": regex})
}

fn paths(b: &Bench, arguments: Value) -> Vec<String> {
    column(&b.ok("glob", arguments)["matches"], "path").into_iter().map(str::to_owned).collect()
}

/// A pattern without a slash is about the top level.
/// Ledger: C-S08, C-FR-017.2
wire_test!(e2e_055_pattern, |b| {
    b.ws.write("a.go", "1").write("b.go", "22").write("c.txt", "3").write("sub/d.go", "4");
    let got = b.ok("glob", by_pattern("*.go"));
    assert_eq!(column(&got["matches"], "path"), ["a.go", "b.go"]);
    assert_eq!(
        (&got["total_matches"], &got["truncated"], &got["timed_out"]),
        (&json!(2), &json!(false), &json!(false))
    );
    let second = &got["matches"][1];
    assert_eq!((&second["type"], &second["size"]), (&json!("file"), &json!(2)));
    assert!(is_timestamp(&second["modified_at"]));
});

/// An expression is looked for in the path.
/// Ledger: C-S08, C-FR-017.11
wire_test!(e2e_056_regex, |b| {
    b.ws.write("test_1.go", "").write("test_2.go", "").write("main.go", "");
    assert_eq!(paths(b, by_regex(r"test_\d+\.go")), ["test_1.go", "test_2.go"]);
});

/// `**` is any number of directories.
/// Ledger: C-FR-017.4
wire_test!(e2e_057_doublestar, |b| {
    b.ws.write("src/a.go", "")
        .write("src/pkg/b.go", "")
        .write("src/pkg/sub/c.go", "")
        .write("src/no.txt", "");
    assert_eq!(paths(b, by_pattern("**/*.go")), ["src/a.go", "src/pkg/b.go", "src/pkg/sub/c.go"]);
});

/// Only files, when only files are asked for.
/// Ledger: C-FR-017.9
wire_test!(e2e_058_type_filter, |b| {
    b.ws.write("f.txt", "").mkdir("dir").link("link", "f.txt");
    assert_eq!(paths(b, by_pattern("*").and("type_filter", "file")), ["f.txt"]);
    assert_eq!(paths(b, by_pattern("*").and("type_filter", "directory")), ["dir"]);
    assert_eq!(paths(b, by_pattern("*").and("type_filter", "symlink")), ["link"]);
    assert_eq!(paths(b, by_pattern("*").and("type_filter", "all")), ["dir", "f.txt", "link"]);
    assert_eq!(paths(b, by_pattern("*")), ["dir", "f.txt", "link"]);
});

/// Nothing found is a result.
wire_test!(e2e_059_no_matches, |b| {
    b.ws.write("a.txt", "");
    let got = b.ok("glob", by_pattern("*.xyz"));
    assert_eq!((&got["total_matches"], &got["matches"]), (&json!(0), &json!([])));
});

/// Pattern and expression exclude each other, and one is needed.
/// Ledger: C-FR-017.3
wire_test!(e2e_060_exactly_one_of_pattern_and_regex, |b| {
    let sentence = "exactly one of pattern or regex must be provided";
    b.refuses("glob", by_pattern("*.go").and("regex", r".*\.go"), sentence);
    b.refuses("glob", json!({"root": "workspace"}), sentence);
});

/// A broken expression is an error with the reason.
wire_test!(e2e_076_invalid_regex, |b| {
    b.ws.write("a.txt", "");
    let text = b.refuses("glob", by_regex("[unclosed"), "invalid ");
    assert!(text.len() > 20, "{text}");
});

/// A broken pattern is an error too, not an empty result.
wire_test!(c_fr_017_10_invalid_pattern, |b| {
    b.ws.write("a.txt", "");
    b.refuses("glob", by_pattern("[x"), "invalid pattern");
});

/// An unknown type lists the known ones.
wire_test!(c_fr_017_9_invalid_type_filter, |b| {
    let text = b.refuses("glob", by_pattern("*").and("type_filter", "socket"), "");
    assert!(["file", "directory", "symlink", "all"].iter().all(|t| text.contains(t)), "{text}");
});

/// `**` is no directory too, stands anywhere and more than once.
wire_test!(c_fr_017_4_doublestar_everywhere, |b| {
    b.ws.write("top.go", "")
        .write("src/a/x/b/deep.go", "")
        .write("src/a/near.go", "")
        .write("s/one.go", "");
    assert_eq!(
        paths(b, by_pattern("**/*.go")),
        ["s/one.go", "src/a/near.go", "src/a/x/b/deep.go", "top.go"]
    );
    assert_eq!(paths(b, by_pattern("src/**/b/**/*.go")), ["src/a/x/b/deep.go"]);
    assert_eq!(paths(b, by_pattern("s/*.go")), ["s/one.go"]);
    let below = ["src/a", "src/a/near.go", "src/a/x", "src/a/x/b", "src/a/x/b/deep.go"];
    assert_eq!(paths(b, by_pattern("src/**/*")), below);
    assert_eq!(paths(b, by_pattern("s?c")), ["src"]);
    assert_eq!(paths(b, by_pattern("{s,src}")), ["s", "src"]);
});

/// The pattern is about the path below the searched directory, the result about the path below the root.
wire_test!(c_fr_017_2_paths_go_straight_into_other_tools, |b| {
    b.ws.write("src/a.go", "content").write("src/pkg/b.go", "");
    let got = paths(b, by_pattern("*.go").and("path", "src"));
    assert_eq!(got, ["src/a.go"]);
    assert_eq!(b.ok("read_file", ws(&got[0]))["content"], "content");
    assert_eq!(paths(b, by_regex(r"^pkg/").and("path", "src")), ["src/pkg/b.go"]);
    b.refuses("glob", by_pattern("*").and("path", "ghost"), "path not found: ghost");
});

/// Results are sorted by path, and a limit takes the first of the sorted whole.
/// Ledger: C-S09, C-FR-017.6
wire_test!(c_fr_017_5_sorted_and_limited, |b| {
    for i in 0..150 {
        b.ws.write(format!("d{}/f{i:03}.txt", i % 3), "");
    }
    let all = by_pattern("**/*.txt");
    let by_default = b.ok("glob", all.clone());
    assert_eq!(items(&by_default["matches"]).len(), 100);
    assert_eq!(by_default["truncated"], true);
    let whole = paths(b, all.clone().and("max_results", 1000));
    assert_eq!(whole.len(), 150);
    assert!(whole.is_sorted(), "sorted by path");
    assert_eq!(paths(b, all.and("max_results", 7)), &whole[..7]);
});

/// Reaching the limit exactly counts as truncated.
wire_test!(c_fr_017_6_exactly_max_results, |b| {
    b.ws.write("a", "").write("b", "");
    assert_eq!(b.ok("glob", by_pattern("*").and("max_results", 2))["truncated"], true);
    assert_eq!(b.ok("glob", by_pattern("*").and("max_results", 3))["truncated"], false);
});

/// Depth 0 is the directory itself.
/// Ledger: C-S09
wire_test!(c_fr_017_1_max_depth, |b| {
    b.ws.write("top", "").write("a/one", "").write("a/b/two", "");
    let to = |depth: u64| {
        paths(b, by_pattern("**/*").and("type_filter", "file").and("max_depth", depth))
    };
    assert_eq!(to(0), ["top"]);
    assert_eq!(to(1), ["a/one", "top"]);
    assert_eq!(to(2), ["a/b/two", "a/one", "top"]);
});

/// A time limit of 0 is over at once.
/// Ledger: C-NFR-004
wire_test!(c_fr_017_7_no_time_at_all, |b| {
    b.ws.write("a.txt", "");
    assert_eq!(b.ok("glob", by_pattern("*").and("timeout_seconds", 0))["timed_out"], true);
});

/// Linked directories are listed as links and not entered.
/// Ledger: C-NFR-009
wire_test!(c_fr_017_8_links_are_not_entered, |b| {
    b.outside().write("secret.txt", "");
    b.ws.write("real/f.txt", "")
        .link("loop", ".")
        .link("alias", "real")
        .link("external", b.outside().path(""));
    assert_eq!(paths(b, by_pattern("**/*")), ["alias", "external", "loop", "real", "real/f.txt"]);
    let got = b.ok("glob", by_pattern("alias"));
    assert_eq!(got["matches"][0]["type"], "symlink");
});

/// Expressions mean what they mean in Go.
wire_test!(c_fr_017_11_regex_is_unanchored, |b| {
    b.ws.write("deep/test_1.go", "").write("deep/test_\u{663}.go", "");
    assert_eq!(paths(b, by_regex(r"test_\d+")), ["deep/test_1.go"]);
    assert_eq!(paths(b, by_regex("^deep$")), ["deep"]);
});

/// Two directories are compared in two calls: the same names with the same hashes are the same files.
wire_test!(hashes_of_what_was_found, |b| {
    b.ws.write("left/a.txt", "same").write("left/sub/b.txt", "old").mkdir("left/empty");
    b.ws.write("right/a.txt", "same").write("right/sub/b.txt", "new").link("right/l", "a.txt");
    b.outside().write("out.txt", "out");
    b.ws.link("right/out", b.outside().path("out.txt"));
    let hashes = |path: &str| {
        let wanted = json!({"root": "workspace", "path": path, "pattern": "**", "with_hash": true});
        let found = b.ok("glob", wanted);
        let found = items(&found["matches"]).iter();
        let pairs = found.map(|m| (text(&m["path"]).to_owned(), m.get("sha256").cloned()));
        pairs.collect::<Vec<_>>()
    };
    let hash = |content: &str| Some(json!(sha256(content.as_bytes())));
    let expected = [
        ("left/a.txt", hash("same")),
        ("left/empty", None),
        ("left/sub", None),
        ("left/sub/b.txt", hash("old")),
    ];
    assert_eq!(hashes("left"), expected.map(|(path, hash)| (path.to_owned(), hash)));
    let expected = [
        ("right/a.txt", hash("same")),
        ("right/l", None),
        ("right/out", None),
        ("right/sub", None),
        ("right/sub/b.txt", hash("new")),
    ];
    assert_eq!(hashes("right"), expected.map(|(path, hash)| (path.to_owned(), hash)));
    let top =
        b.ok("glob", json!({"root": "workspace", "pattern": "left/*.txt", "with_hash": true}));
    assert_eq!(top["matches"][0]["sha256"], json!(sha256(b"same")));
    let plain = b.ok("glob", json!({"root": "workspace", "pattern": "left/*.txt"}));
    assert_eq!(plain["matches"][0].get("sha256"), None);
});

/// What the operator hides is not hashed either, and a time limit is kept.
wire_test!(
    hashes_within_the_rules,
    Config::roots(&["workspace"]).with("deny", json!(["*.key"])),
    |b| {
        b.ws.write("a.txt", "a").write("b.key", "b");
        let wanted = json!({"root": "workspace", "pattern": "*", "with_hash": true});
        let found = b.ok("glob", wanted.clone());
        assert_eq!(column(&found["matches"], "path"), ["a.txt"]);
        let late = b.ok("glob", wanted.and("timeout_seconds", 0));
        assert_eq!(late["timed_out"], true);
    }
);

/// A hash tells of the content: the root must allow `hash_file` for it.
/// Ledger: C-FR-002.1
wire_test!(
    c_fr_002_1_hashes_where_they_are_allowed,
    Config::default().root("workspace", &["glob", "stat_file"]),
    |b| {
        b.ws.write("a.txt", "a");
        let sentence = "tool hash_file not allowed on root workspace";
        let glob = json!({"root": "workspace", "pattern": "*"});
        b.ok("glob", glob.clone());
        b.refuses("glob", glob.and("with_hash", true), sentence);
        b.ok("stat_file", ws("a.txt"));
        b.refuses("stat_file", ws("a.txt").and("with_hash", true), sentence);
    }
);
