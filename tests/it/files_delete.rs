//! `delete` of toolset `files`.

use crate::files_test;
use crate::harness::files::*;
use crate::harness::*;
use serde_json::json;

/// A file, an empty directory, a link, each with its type.
/// Ledger: D-X01, D-X02, D-X04
files_test!(d_x04_types, |b| {
    b.ws.write("f.txt", "x").mkdir("empty").write("kept.txt", "k").link("ln", "kept.txt");
    b.ws.link("dangling", "nowhere").fifo("pipe");
    for (path, kind) in [
        ("f.txt", "file"),
        ("empty", "directory"),
        ("ln", "symlink"),
        ("dangling", "symlink"),
        ("pipe", "other"),
    ] {
        assert_eq!(b.ok("delete", p(path)), json!({"success": true, "path": path, "type": kind}));
        assert!(!b.ws.has(path), "{path}");
    }
    assert_eq!(b.ws.text("kept.txt"), "k", "a link is deleted, not its target");
    refuses_parameters(b, "delete", json!({}), &["path is required"]);
});

/// A directory with something in it needs `recursive`; links in it are not followed.
files_test!(d_x02_recursive, |b| {
    b.ws.write("dir/sub/f.txt", "x").link("dir/away", b.outside().host());
    b.outside().write("secret.txt", "s");
    let message = refuses_parameters(b, "delete", p("dir"), &["recursive=true", "dir"]);
    assert!(message.starts_with("Directory not empty"), "{message}");
    refuses_parameters(b, "delete", p("dir").and("force", true), &["recursive=true"]);
    assert_eq!(
        b.ok("delete", p("dir").and("recursive", true)),
        json!({"success": true, "path": "dir", "type": "directory"})
    );
    assert!(!b.ws.has("dir"));
    assert_eq!(b.outside().text("secret.txt"), "s");
});

/// What is missing is an error, or with `force` a success that says so.
files_test!(d_x03_force_on_nothing, |b| {
    refuses(b, "delete", p("ghost"), MISSING, "ghost");
    assert_eq!(
        b.ok("delete", p("ghost").and("force", true)),
        json!({"success": true, "path": "ghost", "warnings": ["path not found: ghost"]})
    );
});

/// `force` removes what it can and names the rest.
/// Ledger: D-X03, D-P08
#[test]
fn d_x03_force_goes_on_after_errors() {
    for wire in [STDIO, HTTP] {
        let workspace = Workspace::new();
        let dir = workspace.root("workspace");
        dir.write("d/a.txt", "a").write("d/locked/b.txt", "b").write("d/z/c.txt", "c");
        workspace.give_to(4711);
        dir.chmod("d/locked", 0o555);
        let b = start(wire, workspace, Config::default(), |launch| launch.user(4711));
        let error = envelope(&b, "delete", p("d/locked").and("recursive", true));
        assert_eq!(error["error"]["code"], "permission_denied", "{error}");
        assert_eq!(
            b.ok("delete", p("d").and("recursive", true).and("force", true)),
            json!({"success": true, "path": "d", "type": "directory",
                   "warnings": ["d/locked/b.txt was not deleted: permission denied"]})
        );
        assert_eq!(
            (b.ws.names("d"), b.ws.text("d/locked/b.txt")),
            (vec!["locked".into()], "b".into())
        );
    }
}

/// `force` never widens the sandbox.
/// Ledger: D-X03, D-P04
files_test!(d_x03_force_stays_inside, |b| {
    b.outside().write("f.txt", "s").mkdir("dir");
    b.ws.link("out", b.outside().host()).write("x", "x");
    for path in ["../../outside/f.txt", "out/f.txt", "out"] {
        let arguments = p(path).and("recursive", true).and("force", true);
        refuses(b, "delete", arguments, OUTSIDE, path);
    }
    let arguments = p(b.outside().host()).and("recursive", true).and("force", true);
    refuses(b, "delete", arguments, OUTSIDE, b.outside().host());
});

/// The root itself stays.
files_test!(d_x05_never_the_root, |b| {
    b.ws.write("f.txt", "x").link("me", ".");
    for path in [".", "", "/..", "sub/..", b.ws.host()] {
        for arguments in [p(path), p(path).and("recursive", true).and("force", true)] {
            let got = envelope(b, "delete", arguments);
            assert!(b.ws.has("f.txt"), "{path:?}: {got}");
        }
    }
    refuses_parameters(b, "delete", p(".").and("recursive", true), &["path", "root directory"]);
});

/// Deeper than a descriptor per level allows.
#[test]
fn d_x02_at_any_depth() {
    for wire in [STDIO, HTTP] {
        let b = start(wire, Workspace::new(), Config::default(), |launch| launch.open_files(64));
        b.ok("mkdir", p(&format!("deep{}", "/d".repeat(400))));
        b.ok("copy", from_to("deep", "copy"));
        for path in ["deep", "copy"] {
            b.ok("delete", p(path).and("recursive", true));
            assert!(!b.ws.has(path));
        }
    }
}
