//! `copy` and `move`, within a root and across.

use crate::harness::*;
use crate::wire_test;
use serde_json::json;

fn two_roots() -> Config {
    Config::roots(&["source", "dest"])
}

/// A copy within a root has the same content.
/// Ledger: C-FR-014.1
wire_test!(e2e_041_copy_in_a_root, |b| {
    b.ws.write("original.txt", "known content");
    let got = b.ok("copy", pair("original.txt", "duplicate.txt"));
    assert_eq!(
        (&got["source"], &got["destination"]),
        (&json!("original.txt"), &json!("duplicate.txt"))
    );
    assert_eq!((&got["is_directory"], &got["size"]), (&json!(false), &json!(13)));
    let read = |path: &str| b.ok("read_file", ws(path))["content"].clone();
    assert_eq!(read("original.txt"), read("duplicate.txt"));
});

/// A copy across roots leaves both.
/// Ledger: C-US-006, C-S10, C-FR-014.2
wire_test!(e2e_042_copy_across_roots, two_roots(), |b| {
    b.root("source").write("file.txt", "content");
    b.ok("copy", across("source", "file.txt", "dest", "file.txt"));
    assert_eq!(b.root("source").text("file.txt"), "content");
    assert_eq!(b.root("dest").text("file.txt"), "content");
});

/// A directory is copied with everything below it.
/// Ledger: C-FR-014.3
wire_test!(e2e_043_copy_a_directory, |b| {
    b.ws.write("project/a.txt", "a").write("project/src/b.txt", "b").mkdir("project/empty");
    b.ws.write("project/run.sh", "#!").chmod("project/run.sh", 0o755);
    let got = b.ok("copy", pair("project", "project-backup"));
    assert_eq!(got["is_directory"], true);
    let found = b.ok("glob", json!({"root": "workspace", "pattern": "project-backup/**/*"}));
    let expected = ["project-backup/a.txt", "project-backup/empty", "project-backup/run.sh"];
    let more = ["project-backup/src", "project-backup/src/b.txt"];
    assert_eq!(column(&found["matches"], "path"), [&expected[..], &more].concat());
    assert_eq!(b.ws.text("project-backup/src/b.txt"), "b");
    assert_eq!(b.ws.mode("project-backup/run.sh"), 0o755);
    assert_eq!(b.ws.text("project/a.txt"), "a");
});

/// Copying nothing is an error of the source.
/// Ledger: C-US-006
wire_test!(e2e_044_copy_source_not_found, |b| {
    b.refuses("copy", pair("missing.txt", "new/copy.txt"), "source file not found");
});

/// A rename keeps the content and frees the old name.
/// Ledger: C-FR-015.1
wire_test!(e2e_045_move_in_a_root, |b| {
    b.ws.write("old_name.txt", "known content");
    let got = b.ok("move", pair("old_name.txt", "new_name.txt"));
    assert_eq!(
        (&got["source"], &got["destination"]),
        (&json!("old_name.txt"), &json!("new_name.txt"))
    );
    assert!(b.fails("stat_file", ws("old_name.txt")).contains("not found"));
    assert_eq!(b.ok("read_file", ws("new_name.txt"))["content"], "known content");
});

/// A move across roots leaves one.
/// Ledger: C-S10, C-FR-015.2, C-FR-015.4
wire_test!(e2e_046_move_across_roots, two_roots(), |b| {
    b.root("source")
        .write("file.txt", "content")
        .write("tree/sub/deep.txt", "deep")
        .chmod("file.txt", 0o640);
    b.ok("move", across("source", "file.txt", "dest", "file.txt"));
    b.ok("move", across("source", "tree", "dest", "tree"));
    assert_eq!(b.root("source").names("."), Vec::<String>::new());
    assert_eq!(b.root("dest").text("file.txt"), "content");
    assert_eq!(b.root("dest").mode("file.txt"), 0o640);
    assert_eq!(b.root("dest").text("tree/sub/deep.txt"), "deep");
});

/// Moving nothing is an error of the source.
wire_test!(e2e_047_move_source_not_found, |b| {
    let text = b.refuses("move", pair("missing.txt", "new.txt"), "source ");
    assert!(text.contains("not found"), "{text}");
});

/// A file at the destination is overwritten by copy and by move.
/// Ledger: C-US-006, C-FR-015.5
wire_test!(c_fr_014_4_a_file_is_overwritten, |b| {
    b.ws.write("a.txt", "new").write("b.txt", "old and longer").write("c.txt", "old");
    b.ok("copy", pair("a.txt", "b.txt"));
    assert_eq!(b.ws.text("b.txt"), "new");
    b.ok("move", pair("a.txt", "c.txt"));
    assert_eq!((b.ws.text("c.txt"), b.ws.has("a.txt")), ("new".to_owned(), false));
});

/// Into a directory: a file and a directory land below it, and the answer says where.
wire_test!(c_fr_014_5_into_a_directory, |b| {
    b.ws.write("f.txt", "file").write("tree/deep.txt", "deep").mkdir("into");
    assert_eq!(b.ok("copy", pair("f.txt", "into"))["destination"], "into/f.txt");
    assert_eq!(b.ok("copy", pair("tree", "into"))["destination"], "into/tree");
    assert_eq!(b.ws.text("into/f.txt"), "file");
    assert_eq!(b.ws.text("into/tree/deep.txt"), "deep");
    b.ws.write("f.txt", "changed");
    b.ok("copy", pair("f.txt", "into"));
    assert_eq!(b.ws.text("into/f.txt"), "changed");
});

/// A move into a directory mirrors the copy.
wire_test!(c_fr_015_5_move_into_a_directory, |b| {
    b.ws.write("f.txt", "file").write("tree/deep.txt", "deep").mkdir("into");
    assert_eq!(b.ok("move", pair("f.txt", "into"))["destination"], "into/f.txt");
    b.ok("move", pair("tree", "into"));
    assert_eq!(b.ws.text("into/tree/deep.txt"), "deep");
    assert_eq!(b.ws.names("."), ["into"]);
});

/// Parents of the destination are made.
wire_test!(c_fr_014_6_parents_are_made, |b| {
    b.ws.write("f.txt", "x").write("tree/g.txt", "y");
    b.ok("copy", pair("f.txt", "new/deep/f.txt"));
    b.ok("copy", pair("tree", "other/deep/tree"));
    assert_eq!(b.ws.text("new/deep/f.txt"), "x");
    assert_eq!(b.ws.text("other/deep/tree/g.txt"), "y");
});

/// Links in a copied tree: one within the tree stays a link, one to a file elsewhere inside becomes that
/// file, every other is left out and reported. Nothing from outside is ever copied.
/// Ledger: OQ-004, C-NFR-009
wire_test!(c_fr_014_7_links_in_a_copied_tree, |b| {
    b.outside().write("secret.txt", "SECRET").write("dir/more.txt", "SECRET");
    b.ws.write("tree/a.txt", "a").write("elsewhere.txt", "inside").write("folder/f.txt", "f");
    b.ws.link("tree/within", "a.txt")
        .link("tree/to_file", "../elsewhere.txt")
        .link("tree/to_folder", "../folder");
    b.ws.link("tree/external", b.outside().path("secret.txt"))
        .link("tree/external_dir", b.outside().path("dir"));
    b.ws.link("tree/dangling", "nowhere");
    let got = b.ok("copy", pair("tree", "copy"));
    assert!(b.ws.is_link("copy/within"));
    assert_eq!(b.ws.text("copy/within"), "a");
    assert!(!b.ws.is_link("copy/to_file"));
    assert_eq!(b.ws.text("copy/to_file"), "inside");
    assert_eq!(b.ws.names("copy"), ["a.txt", "to_file", "within"]);
    let skipped = got["skipped"].to_string();
    for name in ["to_folder", "external", "external_dir", "dangling"] {
        assert!(skipped.contains(name), "{name} is not reported: {got}");
    }
    assert!(!format!("{:?}", b.root("workspace").snapshot()).contains("SECRET"));
});

/// A directory does not go into itself, a file not onto itself.
wire_test!(c_fr_014_8_not_into_itself, |b| {
    b.ws.write("tree/sub/f.txt", "x").write("f.txt", "kept").link("alias", "tree");
    for (from, to) in
        [("tree", "tree"), ("tree", "tree/sub"), ("tree", "tree/new"), ("tree", "alias/sub")]
    {
        b.refuses("copy", pair(from, to), "");
        b.refuses("move", pair(from, to), "");
    }
    for same in ["f.txt", "./tree/../f.txt"] {
        b.refuses("copy", pair("f.txt", same), "");
        b.call("move", pair("f.txt", same));
        assert_eq!(b.ws.text("f.txt"), "kept");
    }
});

/// A rename within a root keeps the inode.
wire_test!(c_fr_015_3_a_rename_is_a_rename, |b| {
    b.ws.write("f.txt", "x").write("tree/g.txt", "y");
    let (file, tree) = (b.ws.inode("f.txt"), b.ws.inode("tree"));
    b.ok("move", pair("f.txt", "g.txt"));
    b.ok("move", pair("tree", "wood"));
    assert_eq!((b.ws.inode("g.txt"), b.ws.inode("wood")), (file, tree));
});

/// Moving a link moves the link, and the root does not move.
wire_test!(c_fr_015_6_links_and_the_root, |b| {
    b.ws.write("target.txt", "kept").link("link", "target.txt").mkdir("into");
    b.ok("move", pair("link", "moved"));
    assert!(b.ws.is_link("moved") && !b.ws.has("link"));
    assert_eq!(b.ws.text("target.txt"), "kept");
    for path in [".", "", "/"] {
        b.refuses("move", pair(path, "into/root"), "");
    }
});

/// A directory does not replace a file.
wire_test!(c_fr_014_4_a_directory_does_not_replace_a_file, |b| {
    b.ws.write("tree/f.txt", "x").write("file", "kept");
    b.refuses("copy", pair("tree", "file"), "");
    b.refuses("move", pair("tree", "file"), "");
});

/// A link given as the source is followed.
wire_test!(c_fr_001_2_copy_of_a_link, |b| {
    b.ws.write("target.txt", "content").link("link", "target.txt");
    b.ok("copy", pair("link", "copied.txt"));
    assert_eq!(b.ws.text("copied.txt"), "content");
});

/// A large file is copied whole, across roots.
wire_test!(c_fr_014_1_a_large_copy, two_roots(), |b| {
    let bytes: Vec<u8> = (0..20_000_000_u32).map(|i| (i % 251) as u8).collect();
    b.root("source").write("large.bin", &bytes);
    assert_eq!(
        b.ok("copy", across("source", "large.bin", "dest", "large.bin"))["size"],
        bytes.len()
    );
    assert!(b.root("dest").bytes("large.bin") == bytes);
});
