//! `copy` and `move` of toolset `files`.

use crate::files_test;
use crate::harness::files::*;
use crate::harness::*;
use serde_json::json;

/// A file, and a tree with the sum of its bytes.
/// Ledger: D-C01, D-C02, D-C05
files_test!(d_c05_copy, |b| {
    b.ws.write("a.txt", "12345").write("dir/x", "abc").write("dir/sub/y", "de");
    assert_eq!(
        b.ok("copy", from_to("a.txt", "b.txt")),
        json!({"success": true, "source": "a.txt", "destination": "b.txt", "bytes_copied": 5})
    );
    assert_eq!(
        b.ok("copy", from_to("dir", "tree")),
        json!({"success": true, "source": "dir", "destination": "tree", "bytes_copied": 5})
    );
    assert_eq!((b.ws.text("b.txt"), b.ws.text("tree/sub/y")), ("12345".into(), "de".into()));
    refuses_parameters(b, "copy", json!({}), &["source is required", "destination is required"]);
    refuses(b, "copy", from_to("ghost", "x"), MISSING, "ghost");
});

/// What is there is kept unless `overwrite` is given.
files_test!(d_c03_overwrite, |b| {
    b.ws.write("a", "new").write("b", "old");
    let error = refuses(b, "copy", from_to("a", "b"), EXISTS, "b");
    assert_eq!(error["details"]["hint"], "use overwrite=true to replace it");
    b.ok("copy", from_to("a", "b").and("overwrite", true));
    assert_eq!(b.ws.text("b"), "new");
    refuses_parameters(b, "copy", from_to("a", "a").and("overwrite", true), &["same"]);
});

/// A directory is copied unless `recursive` is off.
files_test!(d_c04_recursive, |b| {
    b.ws.write("dir/x", "abc");
    refuses_parameters(
        b,
        "copy",
        from_to("dir", "copy").and("recursive", false),
        &["source", "recursive=true"],
    );
    b.ws.write("f", "x");
    b.ok("copy", from_to("f", "g").and("recursive", false));
    refuses_parameters(b, "copy", from_to("dir", "dir/inside"), &["inside"]);
    refuses_parameters(b, "copy", from_to(".", "all"), &["inside"]);
});

/// Missing parents of the destination are made.
/// Ledger: D-C06, D-V02
files_test!(d_c06_parents, |b| {
    b.ws.write("a", "x");
    b.ok("copy", from_to("a", "new/deep/b"));
    b.ok("move", from_to("a", "other/deep/c"));
    assert_eq!((b.ws.text("new/deep/b"), b.ws.text("other/deep/c")), ("x".into(), "x".into()));
});

/// A directory over a directory: refused, or merged.
files_test!(d_c07_directory_onto_directory, |b| {
    b.ws.write("from/a", "new")
        .write("from/sub/b", "new")
        .write("to/a", "old")
        .write("to/c", "kept");
    refuses(b, "copy", from_to("from", "to"), EXISTS, "to");
    let got = b.ok("copy", from_to("from", "to").and("overwrite", true));
    assert_eq!((&got["destination"], &got["bytes_copied"]), (&json!("to"), &json!(6)));
    assert_eq!(b.ws.names("to"), ["a", "c", "sub"]);
    assert_eq!((b.ws.text("to/a"), b.ws.text("to/c")), ("new".into(), "kept".into()));
    b.ws.write("file", "x");
    refuses_parameters(
        b,
        "copy",
        from_to("from", "file").and("overwrite", true),
        &["destination", "file"],
    );
    refuses_parameters(
        b,
        "copy",
        from_to("file", "to").and("overwrite", true),
        &["destination", "directory"],
    );
});

/// Links in a tree: kept inside, left out and told where they lead away.
/// Ledger: D-C05, D-P02
files_test!(d_c05_links, |b| {
    b.outside().write("secret", "s");
    b.ws.write("dir/x", "abc").link("dir/in", "x").link("dir/out", b.outside().path("secret"));
    let got = b.ok("copy", from_to("dir", "copy"));
    assert_eq!(items(&got["warnings"]).len(), 1, "{got}");
    assert!(text(&got["warnings"][0]).starts_with("out was not copied"), "{got}");
    assert_eq!(b.ws.names("copy"), ["in", "x"]);
});

/// A rename, of a file and of a directory.
/// Ledger: D-V01, D-V02, D-V03
files_test!(d_v03_move, |b| {
    b.ws.write("path/to/source", "x").write("dir/f", "y").link("ln", "dir/f");
    assert_eq!(
        b.ok("move", from_to("path/to/source", "path/to/destination")),
        json!({"success": true, "source": "path/to/source", "destination": "path/to/destination"})
    );
    b.ok("move", from_to("dir", "renamed"));
    b.ok("move", from_to("ln", "link"));
    assert_eq!(b.ws.text("renamed/f"), "y");
    assert!(b.ws.is_link("link") && !b.ws.has("path/to/source") && !b.ws.has("dir"));
    refuses_parameters(b, "move", json!({}), &["source is required", "destination is required"]);
});

/// What is there is kept unless `overwrite` is given; a thing is not moved onto itself.
files_test!(d_v04_existing, |b| {
    b.ws.write("a", "new").write("b", "old").write("dir/x", "x").write("full/y", "y");
    refuses(b, "move", from_to("a", "b"), EXISTS, "b");
    refuses(b, "move", from_to("dir", "full"), EXISTS, "full");
    refuses(b, "move", from_to("ghost", "x"), MISSING, "ghost");
    refuses_parameters(b, "move", from_to("a", "a"), &["same"]);
    refuses_parameters(b, "move", from_to("a", "./dir/../a"), &["same"]);
    refuses_parameters(b, "move", from_to("dir", "dir/inside"), &["inside"]);
    refuses_parameters(b, "move", from_to(".", "x"), &["root"]);
    b.ok("move", from_to("a", "b").and("overwrite", true));
    assert_eq!(b.ws.text("b"), "new");
    refuses_parameters(b, "move", from_to("dir", "full").and("overwrite", true), &["full"]);
});

/// Between two filesystems a move copies, then removes.
#[test]
fn d_v04_across_devices() {
    let b = serve(STDIO, Config::default(), &[]);
    b.ws.mkdir("mount").write("dir/sub/f", "x");
    let mount = b.ws.path("mount");
    let mounted =
        std::process::Command::new("mount").args(["-t", "tmpfs", "none"]).arg(&mount).status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no right to mount");
        return;
    }
    b.ok("move", from_to("dir", "mount/dir"));
    let (arrived, left) = (b.ws.text("mount/dir/sub/f"), b.ws.has("dir"));
    run("umount", &[mount.to_str().unwrap()]);
    assert_eq!((arrived.as_str(), left), ("x", false));
}
