//! `info` of toolset `files`.

use crate::files_test;
use crate::harness::files::*;
use crate::harness::*;
use serde_json::json;

/// Every field of a file.
/// Ledger: D-I01, D-I02, D-I03, D-I04, D-I05, D-I06, D-I07, D-F05
files_test!(d_i03_a_file, |b| {
    b.ws.write("path/to/example.txt", vec![b'x'; 1024]).chmod("path/to/example.txt", 0o644);
    b.ws.touch("path/to/example.txt", 1_712_763_000);
    let mut got = b.ok("info", p("path/to/example.txt"));
    assert!(is_timestamp(&got["created"].take()) && is_timestamp(&got["accessed"].take()));
    assert_eq!(
        got,
        json!({
            "exists": true, "type": "file", "name": "example.txt", "path": "path/to/example.txt",
            "size": 1024, "created": null, "modified": "2024-04-10T15:30:00Z", "accessed": null,
            "permissions": {"readable": true, "writable": true, "executable": false},
            "is_hidden": false, "mime_type": "text/plain",
        })
    );
    refuses_parameters(b, "info", json!({}), &["path is required"]);
});

/// A directory has the size that the system tells; the root is a directory too.
files_test!(d_i04_a_directory, |b| {
    b.ws.mkdir("documents");
    let got = b.ok("info", p("documents"));
    assert_eq!((&got["type"], &got["name"]), (&json!("directory"), &json!("documents")));
    assert!(got["size"].is_u64() && got.get("mime_type").is_none(), "{got}");
    let root = b.ok("info", p(""));
    assert_eq!(
        (&root["type"], &root["name"], &root["path"]),
        (&json!("directory"), &json!("."), &json!("."))
    );
    assert_eq!(root["is_hidden"], false);
});

/// A missing path is an error that answers the question.
files_test!(d_i02_missing, |b| {
    let got = envelope(b, "info", p("ghost.txt"));
    assert_eq!(
        got,
        json!({"exists": false, "path": "ghost.txt", "error": {
            "code": "not_found", "message": "The specified path does not exist",
            "details": {"path": "ghost.txt", "operation": "info"}}})
    );
});

/// The permission bits for the server's user, whatever the superuser may.
files_test!(d_i06_permissions, |b| {
    b.ws.write("f", "x");
    for (mode, expected) in [
        (0o755, [true, true, true]),
        (0o644, [true, true, false]),
        (0o444, [true, false, false]),
        (0o000, [false, false, false]),
        (0o077, [false, false, false]),
    ] {
        b.ws.chmod("f", mode);
        let got = b.ok("info", p("f"))["permissions"].clone();
        let [readable, writable, executable] = expected;
        let wanted = json!({"readable": readable, "writable": writable, "executable": executable});
        assert_eq!(got, wanted, "{mode:o}");
    }
});

/// Hidden is what begins with a dot.
files_test!(d_i07_is_hidden, |b| {
    b.ws.write(".env", "x").write("dir/.git/config", "x");
    for (path, hidden) in
        [(".env", true), ("dir/.git", true), ("dir/.git/config", false), ("dir", false)]
    {
        assert_eq!(b.ok("info", p(path))["is_hidden"], hidden, "{path}");
    }
});

/// A link shows what it leads to under its own name; one that leads nowhere shows itself.
/// Ledger: D-I03, D-P02
files_test!(d_i03_links, |b| {
    b.ws.write("target.txt", "12345").link("ln", "target.txt").link("dangling", "nowhere");
    let got = b.ok("info", p("ln"));
    assert_eq!(
        (&got["name"], &got["type"], &got["size"]),
        (&json!("ln"), &json!("file"), &json!(5))
    );
    assert_eq!(got["is_symlink"], true);
    assert_eq!(b.ok("info", p("dangling"))["type"], "symlink");
});
