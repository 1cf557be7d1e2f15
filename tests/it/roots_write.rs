//! `write_file` and `remove_file`.

use crate::harness::*;
use crate::wire_test;
use serde_json::{Value, json};

/// Arguments of `write_file` in a mode.
fn put(path: &str, content: &str, mode: &str) -> Value {
    ws(path).and("content", content).and("mode", mode)
}

/// Overwrite replaces the whole content and reports the bytes written.
/// Ledger: C-S11, C-FR-006.2, C-FR-006.3
wire_test!(e2e_014_overwrite, |b| {
    b.ws.write("existing.txt", "old content, and longer");
    let got = b.ok("write_file", put("existing.txt", "new content", "overwrite"));
    assert_eq!(got, json!({"path": "existing.txt", "size": 11, "mode": "overwrite"}));
    assert_eq!(b.ok("read_file", ws("existing.txt"))["content"], "new content");
});

/// Append adds to the end.
/// Ledger: C-S11, C-FR-006.4
wire_test!(e2e_015_append, |b| {
    b.ws.write("log.txt", "line1\n");
    let got = b.ok("write_file", put("log.txt", "line2\n", "append"));
    assert_eq!((&got["size"], &got["mode"]), (&json!(6), &json!("append")));
    assert_eq!(b.ok("read_file", ws("log.txt"))["content"], "line1\nline2\n");
});

/// `create_only` creates what is not there.
/// Ledger: C-S11
wire_test!(e2e_016_create_only_absent, |b| {
    b.ok("write_file", put("new.txt", "created", "create_only"));
    assert_eq!(b.ok("read_file", ws("new.txt"))["content"], "created");
});

/// `create_only` refuses what is there and leaves it alone.
/// Ledger: C-FR-006.5
wire_test!(e2e_017_create_only_exists, |b| {
    b.ws.write("existing.txt", "as it was");
    let sentence = "file already exists: existing.txt; use overwrite mode to replace";
    b.refuses("write_file", put("existing.txt", "nope", "create_only"), sentence);
    assert_eq!(b.ok("read_file", ws("existing.txt"))["content"], "as it was");
});

/// Missing parents are made.
/// Ledger: C-FR-006.6
wire_test!(e2e_018_parents_are_made, |b| {
    b.ok("write_file", ws("deep/nested/dir/file.txt").and("content", "deep"));
    assert_eq!(b.ok("read_file", ws("deep/nested/dir/file.txt"))["content"], "deep");
});

/// A removed file is gone.
/// Ledger: C-FR-007.1
wire_test!(e2e_019_remove_file, |b| {
    b.ws.write("to_delete.txt", "x");
    let got = b.ok("remove_file", ws("to_delete.txt"));
    assert_eq!(got, json!({"path": "to_delete.txt", "removed": true}));
    assert!(b.fails("stat_file", ws("to_delete.txt")).contains("file not found"));
    assert!(!b.ws.has("to_delete.txt"));
});

/// Removing nothing is an error.
/// Ledger: C-FR-007.3
wire_test!(e2e_020_remove_file_not_found, |b| {
    b.refuses("remove_file", ws("ghost.txt"), "file not found: ghost.txt");
});

/// A directory is not removed as a file.
/// Ledger: C-FR-007.2
wire_test!(e2e_021_remove_file_of_a_directory, |b| {
    b.ws.write("mydir/inside.txt", "x");
    b.refuses("remove_file", ws("mydir"), "path is a directory, use remove_folder instead: mydir");
});

/// An unknown mode names the valid ones, before anything is made.
/// Ledger: C-FR-006.7
wire_test!(e2e_074_invalid_write_mode, |b| {
    let sentence = "invalid write mode: truncate; valid modes: overwrite, append, create_only";
    b.refuses("write_file", put("deep/new.txt", "x", "truncate"), sentence);
    b.refuses("write_file", put("new.txt", "x", "OVERWRITE"), "invalid write mode: OVERWRITE");
});

/// The seed's scenario: a new file with its directory, once.
wire_test!(c_us_003_write_a_new_configuration_file, |b| {
    b.ok("write_file", put("config/app.yaml", "port: 1\n", "create_only"));
    assert_eq!(b.ws.text("config/app.yaml"), "port: 1\n");
    let sentence = "file already exists: config/app.yaml; use overwrite mode to replace";
    b.refuses("write_file", put("config/app.yaml", "port: 2\n", "create_only"), sentence);
});

/// Overwrite is the default, and an empty content is a content.
wire_test!(c_fr_006_1_defaults_and_empty_content, |b| {
    b.ws.write("f.txt", "something");
    let got = b.ok("write_file", ws("f.txt").and("content", ""));
    assert_eq!(got, json!({"path": "f.txt", "size": 0, "mode": "overwrite"}));
    assert_eq!(b.ws.text("f.txt"), "");
    b.ok("write_file", put("appended.txt", "", "append"));
    assert_eq!(b.ws.text("appended.txt"), "");
});

/// The size is in bytes, and the bytes are the text's.
wire_test!(c_fr_006_2_size_is_bytes_written, |b| {
    let content = "é\r\n\u{1F600}\0end";
    let got = b.ok("write_file", ws("f.txt").and("content", content));
    assert_eq!(got["size"], content.len());
    assert_eq!(b.ws.text("f.txt"), content);
    let more = b.ok("write_file", put("f.txt", "xy", "append"));
    assert_eq!(more["size"], 2, "what this call wrote");
});

/// Overwriting makes the file when it is missing, and keeps its mode when it is not.
/// Ledger: C-FR-006.3
wire_test!(c_fr_006_3_overwrite_creates_and_keeps_the_mode, |b| {
    b.ok("write_file", put("new.txt", "x", "overwrite"));
    assert_eq!(b.ws.text("new.txt"), "x");
    b.ws.write("script.sh", "old").chmod("script.sh", 0o750);
    b.ok("write_file", put("script.sh", "new", "overwrite"));
    assert_eq!((b.ws.text("script.sh"), b.ws.mode("script.sh")), ("new".to_owned(), 0o750));
});

/// Append makes the file and its parents.
wire_test!(c_fr_006_4_append_creates, |b| {
    b.ok("write_file", put("a/b/new.log", "first\n", "append"));
    b.ok("write_file", put("a/b/new.log", "second\n", "append"));
    assert_eq!(b.ws.text("a/b/new.log"), "first\nsecond\n");
});

/// `create_only` does not follow or replace a link, dangling or not, nor a directory.
wire_test!(c_fr_006_5_create_only_takes_no_name_that_is_taken, |b| {
    b.ws.write("real.txt", "real")
        .link("link.txt", "real.txt")
        .link("dangling", "missing.txt")
        .mkdir("folder");
    for name in ["link.txt", "dangling", "folder"] {
        b.refuses("write_file", put(name, "x", "create_only"), "");
    }
});

/// A file on the way to the target, and a directory in its place, are errors.
wire_test!(c_fr_006_6_something_else_is_in_the_way, |b| {
    b.ws.write("file", "x").mkdir("folder");
    b.refuses("write_file", put("file/below.txt", "x", "overwrite"), "");
    for mode in ["overwrite", "append", "create_only"] {
        b.refuses("write_file", put("folder", "x", mode), "");
    }
    b.refuses("write_file", put(".", "x", "overwrite"), "");
});

/// Writing through an inner link changes its target and keeps the link.
/// Ledger: C-FR-001.6
wire_test!(c_fr_006_3_writing_through_a_link, |b| {
    b.ws.write("real.txt", "old").link("link.txt", "real.txt");
    b.ok("write_file", put("link.txt", "new", "overwrite"));
    assert!(b.ws.is_link("link.txt"));
    assert_eq!(b.ws.text("real.txt"), "new");
    b.ok("write_file", put("link.txt", "er", "append"));
    assert_eq!(b.ws.text("real.txt"), "newer");
});

/// Removing a link removes the link and not what it leads to.
wire_test!(c_fr_007_4_a_link_is_removed_itself, |b| {
    b.ws.write("target.txt", "kept").mkdir("folder");
    b.ws.link("link", "target.txt").link("folder_link", "folder").link("dangling", "missing");
    for name in ["link", "folder_link", "dangling"] {
        b.ok("remove_file", ws(name));
        assert!(!b.ws.has(name), "{name}");
    }
    assert_eq!(b.ws.text("target.txt"), "kept");
    assert!(b.ws.is_dir("folder"));
});

/// A file of 5 MB is written over either transport.
/// Ledger: C-FR-006.3
wire_test!(c_fr_006_3_a_large_write, |b| {
    let content = "0123456789abcdef".repeat(5 << 16);
    let got = b.ok("write_file", ws("large.txt").and("content", content.clone()));
    assert_eq!(got["size"], content.len());
    assert!(b.ws.text("large.txt") == content);
});
