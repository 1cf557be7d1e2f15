//! `create_folder` and `remove_folder`.

use crate::harness::*;
use crate::wire_test;
use serde_json::json;

/// A directory is made with its parents.
/// Ledger: C-FR-009.1, C-FR-009.2
wire_test!(e2e_025_create_nested_folders, |b| {
    assert_eq!(b.ok("create_folder", ws("a/b/c")), json!({"path": "a/b/c", "created": true}));
    let listed = b.ok("list_folder", ws("a/b"));
    assert_eq!(
        (&listed["entries"][0]["name"], &listed["entries"][0]["type"]),
        (&json!("c"), &json!("directory"))
    );
});

/// Making what is there succeeds and keeps what is in it.
/// Ledger: C-FR-009.3
wire_test!(e2e_026_create_existing_folder, |b| {
    b.ws.write("existing_dir/kept.txt", "x");
    assert_eq!(b.ok("create_folder", ws("existing_dir"))["created"], true);
    assert_eq!(b.ws.text("existing_dir/kept.txt"), "x");
    b.ok("create_folder", ws("."));
});

/// A file in the way is an error, at the end of the path and in the middle.
/// Ledger: C-FR-009.4
wire_test!(e2e_027_create_folder_over_a_file, |b| {
    b.ws.write("conflict", "x");
    b.refuses("create_folder", ws("conflict"), "path exists as a file: conflict");
    b.refuses("create_folder", ws("conflict/below"), "");
});

/// A directory goes with everything in it.
/// Ledger: C-US-007, C-FR-010.1
wire_test!(e2e_028_remove_folder_recursively, |b| {
    b.ws.write("dir/a.txt", "x")
        .write("dir/sub/deep/b.txt", "y")
        .mkdir("dir/empty")
        .write("kept.txt", "z");
    assert_eq!(b.ok("remove_folder", ws("dir")), json!({"path": "dir", "removed": true}));
    assert!(b.fails("stat_file", ws("dir")).contains("not found"));
    assert_eq!(b.ws.names("."), ["kept.txt"]);
});

/// The root itself stays, however it is spelled.
/// Ledger: C-US-007, C-FR-010.2
wire_test!(e2e_029_remove_folder_refuses_the_root, |b| {
    b.ws.write("sub/kept.txt", "x");
    for path in ["", ".", "/", "sub/..", "./", "missing/.."] {
        b.refuses("remove_folder", ws(path), "cannot remove root directory");
    }
});

/// A missing directory is an error.
/// Ledger: C-US-007, C-FR-010.3
wire_test!(e2e_030_remove_folder_not_found, |b| {
    b.refuses("remove_folder", ws("nonexistent"), "directory not found: nonexistent");
});

/// A file is not removed as a directory.
/// Ledger: C-FR-010.4
wire_test!(e2e_031_remove_folder_of_a_file, |b| {
    b.ws.write("not_a_dir.txt", "x");
    b.refuses(
        "remove_folder",
        ws("not_a_dir.txt"),
        "path is a file, use remove_file instead: not_a_dir.txt",
    );
});

/// A link to a directory is not a directory to remove.
wire_test!(c_fr_010_4_a_link_is_not_a_folder, |b| {
    b.ws.write("real/kept.txt", "x").link("link", "real");
    let text = b.refuses("remove_folder", ws("link"), "path is a symlink");
    assert!(text.contains("use remove_file"), "{text}");
});

/// Links in a removed tree go; what they lead to stays, inside and outside the root.
/// Ledger: C-FR-010.5, C-NFR-009
wire_test!(e2e_069_remove_folder_with_outside_links, |b| {
    b.outside().write("precious.txt", "kept").write("sub/more.txt", "kept too");
    b.ws.write("dir/file.txt", "x").write("elsewhere/kept.txt", "x");
    b.ws.link("dir/escape", b.outside().path(""))
        .link("dir/file_escape", b.outside().path("precious.txt"));
    b.ws.link("dir/inner", "../elsewhere").link("dir/dangling", "nowhere").link("dir/loop", "loop");
    let outside = b.outside().snapshot();
    assert_eq!(b.ok("remove_folder", ws("dir"))["removed"], true);
    assert_same_tree(&outside, &b.outside().snapshot());
    assert_eq!(b.ws.names("."), ["elsewhere"]);
    assert_eq!(b.ws.names("elsewhere"), ["kept.txt"]);
});

/// Paths through inner links are followed up to the last component.
/// Ledger: C-FR-001.2
wire_test!(c_fr_009_2_folders_below_a_link, |b| {
    b.ws.mkdir("real").link("alias", "real");
    b.ok("create_folder", ws("alias/made"));
    assert!(b.ws.is_dir("real/made"));
    b.ok("remove_folder", ws("alias/made"));
    assert!(!b.ws.has("real/made") && b.ws.is_link("alias"));
});
