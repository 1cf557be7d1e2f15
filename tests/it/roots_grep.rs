//! `grep`: patterns, filters, context, safeguards.

use crate::harness::*;
use crate::wire_test;
use serde_json::{Value, json};

/// Arguments of a search of the whole root.
fn find(pattern: &str) -> Value {
    json!({"root": "workspace", "pattern": pattern})
}

/// `file:line` of each match.
fn places(found: &Value) -> Vec<String> {
    let matches = items(&found["matches"]).iter();
    matches.map(|m| format!("{}:{}", text(&m["file"]), number(&m["line_number"]))).collect()
}

/// A match comes with its line and the lines around it.
/// Ledger: C-US-005, C-S07, C-FR-016.3, C-FR-016.4
wire_test!(e2e_048_context_lines, |b| {
    b.ws.write("code.go", numbered_lines(20).replace("line 10\n", "// TODO: fix this\n"));
    let expected = json!({
        "matches": [{
            "file": "code.go",
            "line_number": 10,
            "line_content": "// TODO: fix this",
            "context_before": ["line 8", "line 9"],
            "context_after": ["line 11", "line 12"],
        }],
        "total_matches": 1,
        "truncated": false,
        "timed_out": false,
    });
    let got = b.ok("grep", find("TODO").and("context_lines", 2));
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&got[key], value, "{key}");
    }
});

/// Case does not matter when asked.
/// Ledger: C-S07
wire_test!(e2e_049_case_insensitive, |b| {
    b.ws.write("a.txt", "Error\n").write("b.txt", "error\n").write("c.txt", "ERROR\n");
    assert_eq!(b.ok("grep", find("error").and("case_insensitive", true))["total_matches"], 3);
    assert_eq!(places(&b.ok("grep", find("error"))), ["b.txt:1"], "and does by default");
});

/// A name filter holds at any depth.
/// Ledger: C-S07
wire_test!(e2e_050_file_type_filter, |b| {
    b.ws.write("file.go", "TODO\n").write("file.py", "TODO\n").write("deep/er/file.go", "TODO\n");
    let got = b.ok("grep", find("TODO").and("glob_filter", "*.go"));
    assert_eq!(places(&got), ["deep/er/file.go:1", "file.go:1"]);
    let by_path = b.ok("grep", find("TODO").and("glob_filter", "deep/**/*.go"));
    assert_eq!(places(&by_path), ["deep/er/file.go:1"]);
});

/// Nothing found is a result, not an error.
wire_test!(e2e_051_no_matches, |b| {
    b.ws.write("a.txt", "some text\n");
    let got = b.ok("grep", find("ZZZZUNIQUEZZZZZ"));
    assert_eq!((&got["total_matches"], &got["matches"]), (&json!(0), &json!([])));
    assert_eq!((&got["truncated"], &got["timed_out"]), (&json!(false), &json!(false)));
});

/// A broken pattern is an error with the reason.
/// Ledger: C-US-005, C-FR-016.6
wire_test!(e2e_052_invalid_regex, |b| {
    b.ws.write("a.txt", "[invalid\n");
    let text = b.refuses("grep", find("[invalid"), "invalid pattern: ");
    assert!(text.len() > "invalid pattern: ".len() + 5, "{text}");
});

/// The search stops at `max_results`, with the first of the sorted whole.
/// Ledger: C-S09, C-FR-016.7
wire_test!(e2e_053_max_results, |b| {
    for i in 0..210 {
        b.ws.write(format!("f{i:03}.txt"), "a match here\n");
    }
    let got = b.ok("grep", find("match").and("max_results", 5));
    assert_eq!(
        places(&got),
        ["f000.txt:1", "f001.txt:1", "f002.txt:1", "f003.txt:1", "f004.txt:1"]
    );
    assert_eq!(got["truncated"], true);
    let by_default = b.ok("grep", find("match"));
    assert_eq!(items(&by_default["matches"]).len(), 100);
    assert_eq!(by_default["truncated"], true);
});

/// Reaching `max_results` exactly counts as truncated; one more allowed does not.
wire_test!(c_fr_016_7_exactly_max_results, |b| {
    b.ws.write("f.txt", "x\nx\nx\n");
    assert_eq!(b.ok("grep", find("x").and("max_results", 3))["truncated"], true);
    assert_eq!(b.ok("grep", find("x").and("max_results", 4))["truncated"], false);
});

/// Binary files are left out.
/// Ledger: C-S07, C-FR-016.5
wire_test!(e2e_054_binary_skipped, |b| {
    b.ws.write("binary.bin", b"pattern\0pattern\n").write("text.txt", "pattern\n");
    b.ws.write("late.bin", [b"pattern\n".as_slice(), &[b'a'; 9000], b"\0"].concat());
    assert_eq!(places(&b.ok("grep", find("pattern"))), ["late.bin:1", "text.txt:1"]);
});

/// The seed's flow: alternatives, a filter, context, any case.
wire_test!(c_us_005_search_a_codebase, |b| {
    b.ws.write("a.go", "x\n// todo: a\ny\n")
        .write("b.go", "// FIXME b\n")
        .write("c.py", "# TODO\n");
    let search = find("TODO|FIXME")
        .and("glob_filter", "*.go")
        .and("context_lines", 2)
        .and("case_insensitive", true);
    let got = b.ok("grep", search);
    assert_eq!(places(&got), ["a.go:2", "b.go:1"]);
    assert_eq!(got["matches"][0]["context_before"], json!(["x"]));
    assert_eq!(got["matches"][1]["context_after"], json!([]));
});

/// Context arrays are there without context, and carriage returns are not.
wire_test!(c_fr_016_4_shape_of_a_match, |b| {
    b.ws.write("crlf.txt", "a\r\nneedle\r\nb\r\n");
    let bare = &b.ok("grep", find("needle"))["matches"][0];
    assert_eq!((&bare["context_before"], &bare["context_after"]), (&json!([]), &json!([])));
    assert_eq!(bare["line_content"], "needle");
    let around = &b.ok("grep", find("needle$").and("context_lines", 1))["matches"][0];
    assert_eq!(
        (&around["context_before"], &around["context_after"]),
        (&json!(["a"]), &json!(["b"]))
    );
});

/// Two matches on one line are one result; neighbours share their context.
wire_test!(c_fr_016_4_one_result_per_line, |b| {
    b.ws.write("f.txt", "x x x\ny\nx\n");
    let got = b.ok("grep", find("x").and("context_lines", 1));
    assert_eq!(places(&got), ["f.txt:1", "f.txt:3"]);
    assert_eq!(got["matches"][0]["context_after"], json!(["y"]));
    assert_eq!(got["matches"][1]["context_before"], json!(["y"]));
});

/// Patterns mean what they mean in Go: ASCII classes, quoting, flags, no look-around.
wire_test!(c_fr_016_2_go_patterns, |b| {
    b.ws.write("digits.txt", "7\n\u{663}\n")
        .write("quoted.txt", "a.b\naxb\n")
        .write("word.txt", "caf\u{e9} x\n");
    assert_eq!(places(&b.ok("grep", find(r"^\d$"))), ["digits.txt:1"], "ASCII digits only");
    assert_eq!(places(&b.ok("grep", find(r"\Qa.b\E"))), ["quoted.txt:1"], "quoted text");
    assert_eq!(places(&b.ok("grep", find("(?i)A.B$"))), ["quoted.txt:1", "quoted.txt:2"], "flags");
    assert_eq!(places(&b.ok("grep", find(r"^\w+\s"))), Vec::<String>::new(), "ASCII words only");
    assert_eq!(places(&b.ok("grep", find(r"\p{Greek}|\x{e9}"))), ["word.txt:1"], "Unicode by name");
    b.refuses("grep", find(r"a(?=b)"), "invalid pattern: ");
    b.refuses("grep", find(r"(a)\1"), "invalid pattern: ");
});

/// A directory, a file or nothing as the place to search; results name the path from the root.
wire_test!(c_fr_016_10_where_to_search, |b| {
    b.ws.write("src/a.txt", "x\n").write("src/sub/b.txt", "x\n").write("c.txt", "x\n");
    assert_eq!(
        places(&b.ok("grep", find("x").and("path", "src"))),
        ["src/a.txt:1", "src/sub/b.txt:1"]
    );
    assert_eq!(places(&b.ok("grep", find("x").and("path", "src/a.txt"))), ["src/a.txt:1"]);
    let found = b.ok("grep", find("x").and("path", "src"));
    let first = text(&found["matches"][0]["file"]);
    assert_eq!(b.ok("read_file", ws(first))["content"], "x\n", "a result can be read as it is");
    b.refuses("grep", find("x").and("path", "ghost"), "path not found: ghost");
});

/// Depth 0 is the directory itself, n is n levels below it.
/// Ledger: C-S09
wire_test!(c_fr_016_1_max_depth, |b| {
    b.ws.write("top.txt", "x\n").write("a/one.txt", "x\n").write("a/b/two.txt", "x\n");
    let to = |depth: u64| places(&b.ok("grep", find("x").and("max_depth", depth)));
    assert_eq!(to(0), ["top.txt:1"]);
    assert_eq!(to(1), ["a/one.txt:1", "top.txt:1"]);
    assert_eq!(to(2), ["a/b/two.txt:1", "a/one.txt:1", "top.txt:1"]);
});

/// No link is followed: nothing from outside, nothing twice.
/// Ledger: C-NFR-009
wire_test!(c_fr_016_9_links_are_not_followed, |b| {
    b.outside().write("secret.txt", "needle SECRET\n");
    b.ws.write("dir/real.txt", "needle\n").link("link.txt", "dir/real.txt").link("dir/loop", "..");
    b.ws.link("external", b.outside().path(""))
        .link("external.txt", b.outside().path("secret.txt"));
    assert_eq!(places(&b.ok("grep", find("needle"))), ["dir/real.txt:1"]);
});

/// A time limit of 0 is over at once.
/// Ledger: C-NFR-004
wire_test!(c_fr_016_8_no_time_at_all, |b| {
    b.ws.write("a.txt", "x\n");
    let got = b.ok("grep", find("x").and("timeout_seconds", 0));
    assert_eq!(got["timed_out"], true);
    assert!(number(&got["total_matches"]) <= 1);
});

/// UTF-16 with a byte-order mark is text, although it is full of NULs.
wire_test!(c_fr_016_5_utf_16_is_searched, |b| {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    b.ws.write("wide.txt", [b"\xff\xfe".to_vec(), utf16("first\r\nneedle h\u{e9}re\r\n")].concat());
    let got = b.ok("grep", find("needle"));
    assert_eq!(places(&got), ["wide.txt:2"]);
    assert_eq!(got["matches"][0]["line_content"], "needle h\u{e9}re");
});

/// Everything is searched, hidden and ignored files too, unless the ignore files shall count.
wire_test!(c_fr_016_1_ignore_files, |b| {
    b.ws.write(".gitignore", "ignored.txt\n")
        .write("ignored.txt", "x\n")
        .write(".hidden", "x\n")
        .mkdir(".git");
    b.ws.write("seen.txt", "x\n");
    assert_eq!(places(&b.ok("grep", find("x$"))), [".hidden:1", "ignored.txt:1", "seen.txt:1"]);
    let respectful = places(&b.ok("grep", find("x$").and("respect_gitignore", true)));
    assert!(!respectful.contains(&"ignored.txt:1".to_owned()), "{respectful:?}");
    assert!(respectful.contains(&"seen.txt:1".to_owned()), "{respectful:?}");
});

/// An invalid filter is an error, and so is an unusable number.
wire_test!(c_fr_016_1_bad_filters, |b| {
    b.ws.write("a.txt", "x\n");
    b.refuses("grep", find("x").and("glob_filter", "[x"), "invalid pattern");
    for argument in ["context_lines", "max_results", "timeout_seconds", "max_depth"] {
        let text = b.refuses("grep", find("x").and(argument, -1), "");
        assert!(text.contains(argument), "{text}");
    }
});

/// Bytes that are not UTF-8 do not hide the rest of a file.
wire_test!(c_fr_016_5_latin_1_is_searched, |b| {
    b.ws.write("latin1.txt", b"caf\xe9\nneedle \xe9\n");
    let got = b.ok("grep", find("needle"));
    assert_eq!(places(&got), ["latin1.txt:2"]);
    assert!(text(&got["matches"][0]["line_content"]).starts_with("needle"));
});

/// Twice the same search, twice the same answer, in the order of the paths.
wire_test!(c_fr_016_7_order_is_stable, |b| {
    for i in 0..300 {
        b.ws.write(format!("d{}/f{:02}.txt", i % 7, i % 50), "x\ny\nx\n");
    }
    let search = find("x").and("max_results", 150);
    let first = b.ok("grep", search.clone());
    let places = places(&first);
    let mut sorted = places.clone();
    sorted.sort();
    assert_eq!(places, sorted);
    for _ in 0..5 {
        assert_eq!(b.ok("grep", search.clone()), first);
    }
});
