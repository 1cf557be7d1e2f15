//! Mounts inside a root belong to it: the tools work on them, and no way leads out of them either.

use crate::harness::*;
use crate::roots_security::every_tool_on;

const OUTSIDE: &str = "path resolves outside root boundary";

/// A server on a root in which something is mounted; unmounted before the directories are removed.
struct Mounted {
    _mount: Mount,
    bench: Bench,
}

impl Mounted {
    /// An empty filesystem at `mnt`.
    fn tmpfs(wire: Wire) -> Option<Self> {
        let workspace = Workspace::new();
        let dir = Dir::at(workspace.root("workspace").mkdir("mnt").path("mnt"));
        let mount = Mount::tmpfs(&dir, 1 << 10)?;
        Some(Self { _mount: mount, bench: wire.on(workspace, Config::roots(&["workspace"])) })
    }

    /// What is at `from` outside, at `to` inside.
    fn bound(wire: Wire, from: &str, to: &str) -> Option<Self> {
        let workspace = Workspace::new();
        workspace.outside().write("folder/f.txt", "bound\n");
        let inside = workspace.root("workspace");
        match from.ends_with(".txt") {
            true => inside.write(to, ""),
            false => inside.mkdir(to),
        };
        let mount = Mount::bind(&Dir::at(inside.path(to)), &workspace.outside().path(from))?;
        Some(Self { _mount: mount, bench: wire.on(workspace, Config::roots(&["workspace"])) })
    }
}

/// No way out of the root leads through a mount.
#[test]
fn c_nfr_010_no_way_out_through_a_mount() {
    for wire in [STDIO, HTTP] {
        let Some(mounted) = Mounted::tmpfs(wire) else { return };
        let b = &mounted.bench;
        b.outside().write("secret.txt", "SECRET");
        b.ws.write("inside.txt", "inside").link("mnt/out", b.outside().path(""));
        b.ws.link("mnt/up", "../../../outside").link("mnt/magic", "/proc/self/root");
        let ways = ["mnt/out/secret.txt", "mnt/up/secret.txt", "mnt/magic/etc/passwd"];
        for path in [&ways[..], &["mnt/../../../outside/secret.txt", "mnt/out/new.txt"]].concat() {
            for (tool, arguments) in every_tool_on("workspace", path) {
                b.refuses(tool, arguments, OUTSIDE);
            }
        }
    }
}

/// Every tool works inside of a mount and across its edge.
#[test]
fn c_fr_001_mounts_belong_to_the_root() {
    for wire in [STDIO, HTTP] {
        let Some(mounted) = Mounted::tmpfs(wire) else { return };
        let b = &mounted.bench;
        b.ok("write_file", ws("mnt/sub/f.txt").and("content", "needle\n"));
        b.ok("write_file", ws("mnt/sub/f.txt").and("content", "needle\n").and("mode", "append"));
        b.ok(
            "patch_file",
            ws("mnt/sub/f.txt").and("patch", "@@ -1,2 +1,2 @@\n needle\n-needle\n+thread\n"),
        );
        assert_eq!(b.ok("read_file", ws("mnt/sub/f.txt"))["content"], "needle\nthread\n");
        let found = b.ok("grep", ws(".").and("pattern", "needle"));
        assert_eq!(column(&found["matches"], "file"), ["mnt/sub/f.txt"]);
        assert_eq!(b.ok("glob", ws(".").and("pattern", "**/*.txt"))["total_matches"], 1);
        b.ok("copy", pair("mnt/sub", "copied"));
        b.ok("move", pair("copied/f.txt", "mnt/back.txt"));
        b.ok("move", pair("mnt/sub", "moved"));
        b.ws.link("link.txt", "mnt/back.txt");
        assert_eq!(b.ok("read_file", ws("link.txt"))["content"], "needle\nthread\n");
        assert_eq!(
            (b.ws.names("mnt"), b.ws.names("moved")),
            (vec!["back.txt".into()], vec!["f.txt".into()])
        );
    }
}

/// A mount is emptied like any folder; the mount point itself stays, and the answer says why.
#[test]
fn c_fr_012_removing_a_mount() {
    for wire in [STDIO, HTTP] {
        let Some(mounted) = Mounted::tmpfs(wire) else { return };
        let b = &mounted.bench;
        b.ws.write("mnt/sub/f.txt", "x").write("mnt/g.txt", "x");
        let text = b.fails("remove_folder", ws("mnt"));
        assert_eq!(
            text,
            "the path is in use by the system (a mount point?): mnt; 3 entries were removed, the rest is still there (root: workspace)"
        );
        assert_eq!(b.ws.names("mnt"), Vec::<String>::new());
        assert!(b.fails("move", pair("mnt", "elsewhere")).contains("a mount point?"));
    }
}

/// A directory from elsewhere that is mounted into a root was put there by the operator: it is part of the root.
#[test]
fn c_fr_001_a_bound_directory() {
    for wire in [STDIO, HTTP] {
        let Some(mounted) = Mounted::bound(wire, "folder", "bound") else { return };
        let b = &mounted.bench;
        assert_eq!(b.ok("read_file", ws("bound/f.txt"))["content"], "bound\n");
        b.ok("write_file", ws("bound/new.txt").and("content", "new\n"));
        assert_eq!(b.outside().names("folder"), ["f.txt", "new.txt"]);
        for path in ["bound/../../outside", "bound/../../../outside/folder/f.txt"] {
            b.refuses("stat_file", ws(path), OUTSIDE);
        }
    }
}

/// A single file that is mounted can not be replaced: the answer says so, and adding to it works.
#[test]
fn c_fr_006_a_bound_file() {
    for wire in [STDIO, HTTP] {
        let Some(mounted) = Mounted::bound(wire, "folder/f.txt", "f.txt") else { return };
        let b = &mounted.bench;
        let busy = "the path is in use by the system (a mount point?): f.txt";
        b.refuses("write_file", ws("f.txt").and("content", "new\n"), busy);
        b.refuses("patch_file", ws("f.txt").and("patch", "@@ -1 +1 @@\n-bound\n+new\n"), busy);
        b.refuses("remove_file", ws("f.txt"), busy);
        b.ok("write_file", ws("f.txt").and("content", "more\n").and("mode", "append"));
        assert_eq!(b.outside().text("folder/f.txt"), "bound\nmore\n");
        assert_eq!(b.ws.names(""), ["f.txt"]);
    }
}
