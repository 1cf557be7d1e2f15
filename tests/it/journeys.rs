//! The seed's core journeys: several tools in a row, in every combination of transport and era.

use crate::era_test;
use crate::harness::*;
use serde_json::json;

/// Read, patch, read, hash: the last line that the patch replaces gets its newline.
/// Ledger: C-US-001, C-US-004
era_test!(e2e_001_read_modify_verify, Config::roots(&["workspace"]), |b| {
    b.ws.write("hello.txt", "Hello World");
    let read = b.ok("read_file", ws("hello.txt"));
    assert_eq!((&read["content"], &read["size"]), (&json!("Hello World"), &json!(11)));
    let diff = "--- a/hello.txt\n+++ b/hello.txt\n@@ -1 +1 @@\n-Hello World\n+Hello Agent\n";
    assert_eq!(b.ok("patch_file", ws("hello.txt").and("patch", diff))["hunks_applied"], 1);
    assert!(text(&b.ok("read_file", ws("hello.txt"))["content"]).contains("Hello Agent"));
    let hash = b.ok("hash_file", ws("hello.txt").and("algorithm", "sha256"));
    assert_eq!(hash["hash"], "777a72d772bbf2989a81bb2ace58cf36faf9d7e626f9626d9b807b42a6262602");
});

/// Find the roots, write in one, copy to the other, read there.
/// Ledger: C-S04, C-US-006, C-US-009
era_test!(e2e_002_discovery_and_cross_root_copy, Config::roots(&["source", "dest"]), |b| {
    let roots = b.call("list_roots", json!({}));
    assert!(!roots.raw.to_string().contains(b.workspace.all().host()));
    assert_eq!(column(&roots.ok()["roots"], "name"), ["dest", "source"]);
    b.ok("write_file", at("source", "data.txt").and("content", "important data"));
    b.ok("copy", across("source", "data.txt", "dest", "data.txt"));
    assert_eq!(b.ok("read_file", at("dest", "data.txt"))["content"], "important data");
});

/// Search, list, resolve one TODO by a patch, search again.
/// Ledger: C-US-005, C-US-004
era_test!(e2e_003_search_and_patch, Config::roots(&["workspace"]), |b| {
    b.ws.write("main.go", "package main\n// TODO: one\nfunc main() {}\n");
    b.ws.write("pkg/util.go", "package pkg\n\n// TODO: two\nvar x int\n")
        .write("notes.txt", "TODO: not Go\n");
    let search = ws(".").and("pattern", "TODO").and("glob_filter", "*.go").and("context_lines", 1);
    let found = b.ok("grep", search.clone());
    assert_eq!(found["total_matches"], 2);
    assert_eq!(column(&found["matches"], "file"), ["main.go", "pkg/util.go"]);
    assert_eq!(found["matches"][1]["line_number"], 3);
    assert_eq!(found["matches"][1]["context_before"], json!([""]));
    assert_eq!(found["matches"][1]["context_after"], json!(["var x int"]));
    let files = b.ok("glob", json!({"root": "workspace", "pattern": "**/*.go"}));
    assert_eq!(column(&files["matches"], "path"), ["main.go", "pkg/util.go"]);
    let file = text(&found["matches"][1]["file"]);
    let diff = "--- a/pkg/util.go\n+++ b/pkg/util.go\n@@ -1,4 +1,3 @@\n package pkg\n \n-// TODO: two\n var x int\n";
    assert_eq!(b.ok("patch_file", ws(file).and("patch", diff))["hunks_applied"], 1);
    assert_eq!(b.ok("grep", search)["total_matches"], 1);
});
