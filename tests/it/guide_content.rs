//! `get_content`: expressions, categories, collections, formats, limits.

use crate::guide_test;
use crate::harness::*;
use serde_json::{Value, json};

fn library(b: &Bench) {
    b.ws.write(".guide/lang/python.md", "PY\n")
        .write(".guide/lang/java.md", "JAVA\n")
        .write(".guide/lang/rust.txt", "RUST\n")
        .write(".guide/docs/api.md", "API\n")
        .write(".guide/docs/v1/api.md", "API 1\n")
        .write(".guide/guidelines/all.md", "ALL\n");
}

fn labels(content: &Value) -> Vec<String> {
    let lines = text(content).lines().filter_map(|l| l.strip_prefix("--- ")?.strip_suffix(" ---"));
    lines.map(str::to_owned).collect()
}

/// The short form is the two arguments.
/// Ledger: E-060
guide_test!(e_060_slash_is_two_arguments, |b| {
    library(b);
    let short = b.told("get_content", json!({"expression": "lang/python"}));
    let long = b.told("get_content", json!({"expression": "lang", "pattern": "python"}));
    assert_eq!(short, long);
    assert_eq!(short, json!({"success": true, "value": "PY\n"}));
});

/// Several patterns: any of them, in their order.
/// Ledger: E-061, E-064
guide_test!(e_061_several_patterns, |b| {
    library(b);
    assert_eq!(
        content_of(b, "lang/python+java+rust"),
        "--- lang/python.md ---\nPY\n\n--- lang/java.md ---\nJAVA\n\n--- lang/rust.txt ---\nRUST\n"
    );
    assert_eq!(labels(&content_of(b, "lang/rust+java")), ["lang/rust.txt", "lang/java.md"]);
});

/// Several categories, in their order.
/// Ledger: E-062
guide_test!(e_062_several_categories, |b| {
    library(b);
    let content = content_of(b, "lang/python,docs/api,guidelines");
    assert_eq!(labels(&content), ["lang/python.md", "docs/api.md", "guidelines/all.md"]);
    let content = content_of(b, " guidelines , docs/api ,, lang/python ");
    assert_eq!(labels(&content), ["guidelines/all.md", "docs/api.md", "lang/python.md"]);
    let told = b.told("get_content", json!({"expression": "lang,docs", "pattern": "python+api"}));
    assert_eq!(labels(&told["value"]), ["lang/python.md", "docs/api.md"]);
});

/// One document comes as it is; several each under its name.
/// Ledger: E-064
guide_test!(e_064_formats, |b| {
    b.ws.write(".guide/one/a.md", "no newline")
        .write(".guide/two/a", "A")
        .write(".guide/two/b", "B");
    assert_eq!(content_of(b, "one"), "no newline");
    assert_eq!(content_of(b, "two"), "--- two/a ---\nA\n--- two/b ---\nB");
    b.ws.write(".guide/one/empty", "");
    assert_eq!(content_of(b, "one/empty"), "");
});

/// A document is given once, however often it is named.
/// Ledger: E-061
guide_test!(e_061_each_document_once, |b| {
    library(b);
    b.ws.link(".guide/lang/snake.md", "python.md");
    let content = content_of(b, "lang/python,lang/p*+snake,lang");
    assert_eq!(labels(&content), ["lang/python.md", "lang/java.md", "lang/rust.txt"]);
    assert_eq!(content_of(b, "lang/snake"), "PY\n", "a link within the category is followed");
});

/// Unknown names, empty and malformed expressions.
/// Ledger: E-063, E-066
guide_test!(e_063_unknown_names, |b| {
    library(b);
    b.ws.write("secret/key.txt", "KEY").write(".guide/file.md", "F").write(".guide/.hidden/a", "A");
    for name in ["nope", "..", ".", ".hidden", "file.md", "../secret", "__x", "lang\\x"] {
        let told = b.failure("get_content", json!({"expression": name}), "not_found");
        let name = name.split('/').next().unwrap();
        assert_eq!(told["error"], json!(format!("Category '{name}' not found in project")));
    }
    for empty in ["", " ", ",", " , "] {
        let told = b.failure("get_content", json!({"expression": empty}), "validation");
        assert_eq!(told["error"], "expression cannot be empty");
    }
    let told = b.failure("get_content", json!({"expression": "/x"}), "validation");
    assert_eq!(told["error"], "empty category/collection name in expression: '/x'");
    let told = b.failure("get_content", json!({"expression": "lang/[z"}), "validation");
    assert!(told["error_data"].to_string().contains("invalid pattern"), "{told}");
    assert_eq!(content_of(b, "lang/"), content_of(b, "lang"));
});

/// Nothing fits: success that says so.
/// Ledger: E-065
guide_test!(e_065_no_match, |b| {
    library(b);
    for arguments in
        [json!({"expression": "lang/zzz"}), json!({"expression": "lang", "pattern": "zzz"})]
    {
        assert_eq!(
            b.told("get_content", arguments),
            json!({
                "success": true,
                "value": "No matching content found for 'lang/zzz'",
                "instruction": "Present this error to the user so they can correct the pattern. Do NOT attempt corrective action.",
            })
        );
    }
    b.ws.mkdir(".guide/empty");
    assert_eq!(content_of(b, "empty"), "No matching content found for 'empty'");
});

/// A name without extension: itself first, then with any extension; deeper only where the pattern says so.
/// Ledger: E-067
guide_test!(e_067_extensions_and_globs, |b| {
    b.ws.write(".guide/c/python", "0")
        .write(".guide/c/python.md", "1")
        .write(".guide/c/python.md.mustache", "2");
    b.ws.write(".guide/c/pythonic.md", "x")
        .write(".guide/c/sub/python.md", "3")
        .write(".guide/c/sub/deep/x.md", "4");
    let cases: [(&str, &[&str]); 6] = [
        ("c/python", &["c/python", "c/python.md", "c/python.md.mustache"]),
        ("c/python.md", &["c/python.md", "c/python.md.mustache"]),
        ("c/python*", &["c/python", "c/python.md", "c/python.md.mustache", "c/pythonic.md"]),
        ("c/sub/*", &["c/sub/python.md"]),
        ("c/sub/**/*.md", &["c/sub/deep/x.md", "c/sub/python.md"]),
        ("c/**/python", &["c/python", "c/python.md", "c/python.md.mustache", "c/sub/python.md"]),
    ];
    for (expression, expected) in cases {
        let content = content_of(b, expression);
        let found =
            if expected.len() == 1 { vec![expected[0].to_owned()] } else { labels(&content) };
        assert_eq!(found, expected, "{expression}");
    }
    assert_eq!(content_of(b, "c/sub/python"), "3");
});

/// Depth, number, and names that are passed over.
/// Ledger: E-068
guide_test!(e_068_limits, |b| {
    for i in 0..105 {
        b.ws.write(format!(".guide/many/{i:03}.md"), format!("{i}"));
    }
    let told = b.told("get_content", json!({"expression": "many"}));
    let found = labels(&told["value"]);
    assert_eq!(
        (found.len(), found[0].as_str(), found[99].as_str()),
        (100, "many/000.md", "many/099.md")
    );
    let warning = "many/**/* matches 105 documents; only the first 100 are given";
    assert_eq!(told["warnings"], json!([warning]));
    b.ws.write(".guide/deep/1/2/3/4/5/6/7/8/in.md", "IN");
    b.ws.write(".guide/deep/1/2/3/4/5/6/7/8/9/out.md", "OUT");
    b.ws.write(".guide/deep/.hidden.md", "H").write(".guide/deep/__private.md", "P");
    b.ws.write(".guide/deep/__cache__/x.md", "C").write(".guide/deep/.git/x.md", "G");
    assert_eq!(content_of(b, "deep"), "IN");
    assert_eq!(content_of(b, "deep/__private"), "No matching content found for 'deep/__private'");
});

/// What does not fit into an answer is named; what is no text is passed over.
/// Ledger: E-068
guide_test!(e_068_size, |b| {
    b.ws.write(".guide/big/a.md", "A").write(".guide/big/b.md", "x".repeat(2 << 20));
    b.ws.write(".guide/big/c.png", [0xff, 0xfe, 0x00]).write(".guide/big/d.md", "D");
    let told = b.told("get_content", json!({"expression": "big"}));
    assert_eq!(told["value"], "--- big/a.md ---\nA\n--- big/d.md ---\nD");
    assert_eq!(
        told["warnings"],
        json!([
            "big/c.png was passed over: it is not UTF-8 text",
            "these documents do not fit into one answer, ask for them one by one: big/b.md",
        ])
    );
    let told = b.failure("get_content", json!({"expression": "big/b"}), "validation");
    assert!(text(&told["error"]).starts_with("document too large for one answer"), "{told}");
});

/// Every sub-directory is a category; the configuration adds others, and collections of them.
/// Ledger: E-063, E-069
guide_test!(e_069_categories_and_collections, |b| {
    library(b);
    b.ws.write(".guide/shared/style/x.md", "STYLE\n").write(".guide/shared/style/y.txt", "Y\n");
    b.guidebook().write(
        "config.yaml",
        "projects:\n  workspace:\n    categories:\n      style: {dir: shared/style, patterns: ['*.md'], description: ours}\n      gone: {dir: not/there}\n      out: {dir: ../secret}\n    collections:\n      all: {categories: [style, lang], description: everything}\n      lang2: {categories: [lang/python+java]}\n      none: {categories: []}\n      broken: {categories: [nope]}\n      docs: {categories: [lang]}\n",
    );
    assert_eq!(content_of(b, "style"), "STYLE\n");
    assert_eq!(content_of(b, "style/y"), "Y\n", "patterns that are given go before the usual ones");
    assert_eq!(
        labels(&content_of(b, "all")),
        ["style/x.md", "lang/java.md", "lang/python.md", "lang/rust.txt"]
    );
    assert_eq!(labels(&content_of(b, "lang2")), ["lang/python.md", "lang/java.md"]);
    assert_eq!(content_of(b, "all/rust"), "RUST\n");
    assert_eq!(labels(&content_of(b, "docs")).len(), 3, "a collection goes before a category");
    assert_eq!(content_of(b, "gone"), "No matching content found for 'gone'");
    assert_eq!(content_of(b, "none"), "No matching content found for 'none'");
    b.failure("get_content", json!({"expression": "broken"}), "not_found");
    b.failure("get_content", json!({"expression": "out"}), "validation");
});

/// Links that leave the category, or the project, give nothing.
/// Ledger: E-068
guide_test!(e_068_links_that_leave, |b| {
    library(b);
    b.outside().write("secret.md", "SECRET").write("dir/secret.md", "SECRET");
    b.ws.write("README.md", "README");
    b.ws.link(".guide/lang/out.md", b.outside().path("secret.md"));
    b.ws.link(".guide/lang/up.md", "../../README.md");
    b.ws.link(".guide/lang/dir", b.outside().path("dir"));
    b.ws.link(".guide/away", b.outside().path("dir"));
    assert_eq!(labels(&content_of(b, "lang")), ["lang/java.md", "lang/python.md", "lang/rust.txt"]);
    for expression in ["lang/out", "lang/up", "lang/dir/secret", "lang/**/secret*"] {
        let nothing = format!("No matching content found for '{expression}'");
        assert_eq!(content_of(b, expression), json!(nothing));
    }
    b.failure("get_content", json!({"expression": "away"}), "not_found");
});

/// The documents may be in a directory of their own.
/// Ledger: E-069
#[test]
fn e_069_a_docroot_of_its_own() {
    let workspace = Workspace::new();
    let docroot = workspace.outside();
    docroot.write("lang/a.md", "A");
    let b = HTTP.guide_on(workspace, |launch| launch.args(&["--docroot", docroot.host()]));
    assert_eq!(content_of(&b, "lang"), "A");
    let told = b.told(
        "create_document",
        json!({"category": "new", "name": "b.md", "content": "B", "explicit_action": "CREATE_DOCUMENT"}),
    );
    assert_eq!(told["value"]["path"], "new/b.md");
    assert_eq!(docroot.text("new/b.md"), "B");
    assert!(!b.ws.has(".guide"));
}

/// A category that is a link out of the documents is none, for reading and for writing.
/// Ledger: E-069
guide_test!(e_069_a_linked_category_leads_nowhere, |b| {
    b.ws.write("src/main.txt", "CODE").write(".guide/lang/a.md", "A").link(".guide/lnk", "../src");
    let read = b.told("get_content", json!({"expression": "lnk"}));
    assert!(!read.to_string().contains("CODE"), "{read}");
    let consent = json!({"category": "lnk", "name": "main.txt", "content": "x",
                         "explicit_action": "UPDATE_DOCUMENT"});
    assert_eq!(b.told("update_document", consent)["success"], false);
    assert_eq!(b.ws.text("src/main.txt"), "CODE");
});
