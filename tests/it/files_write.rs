//! `write` and `mkdir` of toolset `files`.

use crate::files_test;
use crate::harness::files::*;
use crate::harness::*;
use serde_json::{Value, json};

fn put(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

/// Every field of the answer; the bytes are those of this call, the size that of the file.
/// Ledger: D-W01, D-W02, D-W06
files_test!(d_w06_answer_carries_all_fields, |b| {
    let mut got = b.ok("write", put("file.txt", "héllo"));
    assert!(is_timestamp(&got["metadata"]["modified"].take()));
    assert_eq!(
        got,
        json!({"success": true, "path": "file.txt", "bytes_written": 6, "metadata":
            {"path": "file.txt", "modified": null, "size": 6, "mime_type": "text/plain"}})
    );
    let more = b.ok("write", put("file.txt", "!").and("mode", "append"));
    assert_eq!((&more["bytes_written"], &more["metadata"]["size"]), (&json!(1), &json!(7)));
});

/// Path and content are required; an empty content is one.
files_test!(d_w02_required, |b| {
    refuses_parameters(b, "write", json!({}), &["path is required", "content is required"]);
    refuses_parameters(b, "write", p("x"), &["content is required"]);
    assert_eq!(b.ok("write", put("empty", ""))["bytes_written"], 0);
    assert_eq!(b.ws.text("empty"), "");
});

/// Base64 becomes bytes; broken base64 changes nothing.
files_test!(d_w03_encoding, |b| {
    b.ok("write", put("b.bin", "AAH/").and("encoding", "base64"));
    assert_eq!(b.ws.bytes("b.bin"), [0, 1, 255]);
    refuses_parameters(
        b,
        "write",
        put("b.bin", "%%%").and("encoding", "base64"),
        &["content", "base64"],
    );
    refuses_parameters(b, "write", put("b.bin", "x").and("encoding", "utf16"), &["encoding"]);
});

/// `create` and `overwrite` replace, `append` extends, `create_new` only makes.
/// Ledger: D-W04, D-W07
files_test!(d_w04_modes, |b| {
    for mode in ["create", "overwrite", "append", "create_new"] {
        b.ok("write", put(mode, "1").and("mode", mode));
        assert_eq!(b.ws.text(mode), "1", "{mode} makes the file");
    }
    for (mode, expected) in [("create", "2"), ("overwrite", "2"), ("append", "12")] {
        b.ok("write", put(mode, "2").and("mode", mode));
        assert_eq!(b.ws.text(mode), expected, "{mode}");
    }
    b.ok("write", put("overwrite", "3"));
    assert_eq!(b.ws.text("overwrite"), "3", "overwrite is the default");
    refuses(b, "write", put("create_new", "2").and("mode", "create_new"), EXISTS, "create_new");
    refuses_parameters(b, "write", put("x", "2").and("mode", "replace"), &["mode", "create_new"]);
});

/// Missing parents are made only on request.
files_test!(d_w05_make_dirs, |b| {
    let error = refuses(b, "write", put("a/b/c.txt", "x"), MISSING, "a/b/c.txt");
    assert!(text(&error["details"]["hint"]).contains("make_dirs"), "{error}");
    b.ok("write", put("a/b/c.txt", "x").and("make_dirs", true));
    assert_eq!(b.ws.text("a/b/c.txt"), "x");
    b.ok("write", put("a/b/d.txt", "y"));
});

/// A replaced file keeps its mode, and a link its place.
/// Ledger: D-W04, D-P02
files_test!(d_w04_replacing_keeps_the_file, |b| {
    b.ws.write("script.sh", "old").chmod("script.sh", 0o755).link("ln", "script.sh");
    b.ok("write", put("ln", "new"));
    assert_eq!((b.ws.text("script.sh"), b.ws.mode("script.sh")), ("new".into(), 0o755));
    assert!(b.ws.is_link("ln"));
});

/// A directory is not written to.
files_test!(d_w04_path_is_a_directory, |b| {
    b.ws.mkdir("dir");
    for mode in ["overwrite", "append"] {
        refuses_parameters(
            b,
            "write",
            put("dir", "x").and("mode", mode),
            &["Path is not a file", "path"],
        );
    }
    refuses_parameters(b, "write", put(".", "x"), &["Path is not a file"]);
});

/// Without the right to write, nothing begins: neither in a directory nor over a file that is read-only.
/// Ledger: D-W08, D-P08, D-P09
#[test]
fn d_w08_write_access_is_checked_first() {
    for wire in [STDIO, HTTP] {
        let workspace = Workspace::new();
        let dir = workspace.root("workspace");
        dir.write("locked/f.txt", "old").write("locked/sub/g.txt", "g").write("ro.txt", "old");
        dir.write("secret.txt", "s").write("free/x.txt", "x");
        workspace.give_to(4711);
        dir.chmod("locked", 0o555).chmod("ro.txt", 0o444).chmod("secret.txt", 0o000);
        let b = start(wire, workspace, Config::default(), |launch| launch.user(4711));
        for (tool, arguments, path) in [
            ("write", put("locked/new.txt", "x"), "locked/new.txt"),
            ("write", put("locked/f.txt", "x"), "locked/f.txt"),
            ("write", put("ro.txt", "x"), "ro.txt"),
            ("write", put("ro.txt", "x").and("mode", "append"), "ro.txt"),
            ("write", put("locked/a/b.txt", "x").and("make_dirs", true), "locked/a/b.txt"),
            ("mkdir", p("locked/new"), "locked/new"),
            ("delete", p("locked/f.txt"), "locked/f.txt"),
            ("delete", p("locked/sub").and("recursive", true), "locked/sub"),
            ("copy", from_to("free", "locked/copy"), "locked/copy"),
            ("move", from_to("locked/f.txt", "f.txt"), "locked/f.txt"),
            ("move", from_to("free", "locked/free"), "locked/free"),
            ("read", p("secret.txt"), "secret.txt"),
        ] {
            refuses(&b, tool, arguments, DENIED, path);
        }
    }
}

/// A directory with its parents.
/// Ledger: D-M01, D-M02, D-M03
files_test!(d_m03_mkdir, |b| {
    assert_eq!(
        b.ok("mkdir", p("path/to/new_directory")),
        json!({"success": true, "path": "path/to/new_directory"})
    );
    assert!(b.ws.is_dir("path/to/new_directory"));
    refuses_parameters(b, "mkdir", json!({}), &["path is required"]);
});

/// Without `recursive` the parent must be there.
files_test!(d_m02_recursive, |b| {
    let error = refuses(b, "mkdir", p("a/b").and("recursive", false), MISSING, "a/b");
    assert!(text(&error["details"]["hint"]).contains("recursive=true"), "{error}");
    b.ok("mkdir", p("a").and("recursive", false));
    b.ok("mkdir", p("a/b").and("recursive", false));
    assert!(b.ws.is_dir("a/b"));
});

/// A directory that is there is fine, anything else is in the way.
files_test!(d_m04_existing, |b| {
    b.ws.mkdir("dir").write("file", "x");
    for recursive in [true, false] {
        b.ok("mkdir", p("dir").and("recursive", recursive));
        b.ok("mkdir", p(".").and("recursive", recursive));
        refuses(b, "mkdir", p("file").and("recursive", recursive), EXISTS, "file");
        refuses_parameters(
            b,
            "mkdir",
            p("file/below").and("recursive", recursive),
            &["path", "file/below"],
        );
    }
});
