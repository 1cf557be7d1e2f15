//! What must not be reached, by any tool: `..`, links, encodings, NUL, denied tools and paths.

use crate::harness::*;
use crate::roots_list::ALL_TOOLS;
use crate::wire_test;
use serde_json::{Value, json};

const OUTSIDE: &str = "path resolves outside root boundary";

/// Every tool, on one path, in each place where it takes a path.
pub fn every_tool_on(root: &str, path: &str) -> Vec<(&'static str, Value)> {
    let diff = "@@ -0,0 +1 @@\n+written\n";
    vec![
        ("list_folder", at(root, path)),
        ("read_file", at(root, path)),
        ("write_file", at(root, path).and("content", "written")),
        ("write_file", at(root, path).and("content", "written").and("mode", "append")),
        ("write_file", at(root, path).and("content", "written").and("mode", "create_only")),
        ("remove_file", at(root, path)),
        ("patch_file", at(root, path).and("patch", diff)),
        ("create_folder", at(root, path)),
        ("remove_folder", at(root, path)),
        ("stat_file", at(root, path)),
        ("hash_file", at(root, path).and("algorithm", "sha256")),
        ("permissions_file", at(root, path)),
        ("copy", across(root, path, root, "copied")),
        ("copy", across(root, "inside.txt", root, path)),
        ("move", across(root, path, root, "moved")),
        ("move", across(root, "inside.txt", root, path)),
        ("grep", at(root, path).and("pattern", "SECRET")),
        ("glob", at(root, path).and("pattern", "**/*")),
    ]
}

/// A secret outside, links to it inside, and a sibling whose name begins like the root's.
fn with_ways_out(b: &Bench) {
    b.outside().write("secret.txt", "SECRET").write("dir/deep.txt", "SECRET");
    b.root("workspace-evil").write("secret.txt", "SECRET");
    b.ws.write("inside.txt", "inside").mkdir("sub");
    b.ws.link("escape", b.outside().path("")).link("escape_file", b.outside().path("secret.txt"));
    b.ws.link("chain1", "chain2").link("chain2", "sub/chain3").link("sub/chain3", "../escape");
    b.ws.link("sibling", "../workspace-evil")
        .link("up", "..")
        .link("dangling", b.outside().path("new.txt"));
    b.ws.link("magic", "/proc/self/root").link("loop_a", "loop_b").link("loop_b", "loop_a");
}

/// Dots do not lead out.
/// Ledger: C-US-011, C-FR-001.1, C-NFR-007
wire_test!(e2e_063_traversal_by_dots, |b| {
    b.refuses("read_file", ws("../../etc/passwd"), OUTSIDE);
});

/// A link does not lead out.
/// Ledger: C-US-011, C-NFR-007
wire_test!(e2e_064_escape_by_link, |b| {
    b.ws.link("escape", "/tmp");
    b.refuses("list_folder", ws("escape"), OUTSIDE);
});

/// A link that stays inside is followed: relative, absolute, through the root's own parent, in a chain.
/// Ledger: C-FR-001.2
wire_test!(e2e_065_links_inside_are_followed, |b| {
    b.ws.write("sub/real.txt", "the real one").link("link.txt", "sub/real.txt");
    b.ws.link("absolute.txt", b.ws.path("sub/real.txt"))
        .link("around.txt", "../workspace/sub/real.txt");
    b.ws.link("chain.txt", "link.txt").link("folder", b.ws.path("sub"));
    for path in ["link.txt", "absolute.txt", "around.txt", "chain.txt", "folder/real.txt"] {
        assert_eq!(b.ok("read_file", ws(path))["content"], "the real one", "{path}");
    }
});

/// No tool, in no argument, follows any of the ways out, and nothing changes anywhere.
/// Ledger: C-S02, C-FR-001.1, C-FR-001.7, C-NFR-006, C-NFR-010, C-FR-014.7, C-FR-015.6
wire_test!(c_s03_every_tool_every_way_out, |b| {
    with_ways_out(b);
    let ways = [
        "..",
        "../x",
        "../../../../../../etc/passwd",
        "sub/../../outside/secret.txt",
        "escape/secret.txt",
    ];
    let links = [
        "escape/new.txt",
        "chain1/secret.txt",
        "sibling/secret.txt",
        "up/outside/secret.txt",
        "escape/dir",
    ];
    let finals = ["escape_file", "dangling", "magic/etc/passwd", "escape", "chain1"];
    for path in [&ways[..], &links, &finals].concat() {
        for (tool, arguments) in every_tool_on("workspace", path) {
            let text = b.refuses(tool, arguments, OUTSIDE);
            assert!(!text.contains("SECRET"), "{tool} {path}: {text}");
        }
    }
});

/// A circular link is refused as such.
wire_test!(c_nfr_010_circular_link, |b| {
    with_ways_out(b);
    for (tool, arguments) in every_tool_on("workspace", "loop_a/x") {
        b.refuses(tool, arguments, OUTSIDE);
    }
    let text = b.refuses("read_file", ws("loop_a"), OUTSIDE);
    assert!(text.contains("circular link"), "{text}");
});

/// Confinement goes by components, not by the letters of a prefix.
wire_test!(c_fr_001_3_a_sibling_with_the_same_prefix, |b| {
    with_ways_out(b);
    b.refuses("read_file", ws("../workspace-evil/secret.txt"), OUTSIDE);
    b.refuses("read_file", ws("sibling/secret.txt"), OUTSIDE);
});

/// `..` is resolved, not refused: what ends inside is fine, even over a name that does not exist.
wire_test!(c_fr_001_4_dots_inside_are_fine, |b| {
    b.ws.write("x.txt", "x").mkdir("a/b");
    for path in [
        "a/../x.txt",
        "a/b/../../x.txt",
        "missing/../x.txt",
        "./x.txt",
        "a//..//x.txt",
        "a/./../x.txt",
    ] {
        assert_eq!(b.ok("read_file", ws(path))["content"], "x", "{path}");
    }
});

/// A leading slash is the root, as in a chroot.
wire_test!(c_fr_001_1_a_leading_slash_is_the_root, |b| {
    b.ws.write("etc/motd", "ours");
    assert_eq!(b.ok("read_file", ws("/etc/motd"))["content"], "ours");
    b.refuses("read_file", ws("/etc/passwd"), "file not found: ");
    b.refuses("read_file", ws("/../etc/passwd"), OUTSIDE);
});

/// A root given as a link is resolved at the start.
#[test]
fn c_fr_001_5_a_root_may_be_a_link() {
    for wire in [STDIO, HTTP] {
        let workspace = Workspace::new();
        workspace.root("real").write("f.txt", "found");
        workspace.all().link("alias", "roots/real");
        let config =
            Config::roots(&["workspace"]).with("path", json!(workspace.all().path("alias")));
        let b = wire.on(workspace, config);
        assert_eq!(b.ok("read_file", ws("f.txt"))["content"], "found");
        b.ok("write_file", ws("new/g.txt").and("content", "x"));
        assert_eq!(b.root("real").text("new/g.txt"), "x");
    }
}

/// What does not exist yet is judged by what does: new places inside are made, through links out they are not.
wire_test!(c_fr_001_6_new_paths, |b| {
    with_ways_out(b);
    b.ok("write_file", ws("new/deep/file.txt").and("content", "x"));
    for path in ["escape/new.txt", "escape/a/b/c.txt", "dangling", "dangling/x"] {
        for mode in ["overwrite", "append", "create_only"] {
            b.refuses("write_file", ws(path).and("content", "x").and("mode", mode), OUTSIDE);
        }
        b.refuses("create_folder", ws(path), OUTSIDE);
        b.refuses("patch_file", ws(path).and("patch", "@@ -0,0 +1 @@\n+x\n"), OUTSIDE);
        b.refuses("copy", pair("inside.txt", path), OUTSIDE);
        b.refuses("move", pair("inside.txt", path), OUTSIDE);
    }
});

fn with_read_only() -> Config {
    Config::roots(&["source"])
        .root("readonly", &["list_folder", "read_file"])
        .root("restricted", &["list_folder"])
}

/// A tool that is not on the list of a root does not run there.
/// Ledger: C-US-010, C-FR-002.0, C-FR-002.1, C-FR-002.4
wire_test!(e2e_066_tool_not_allowed, with_read_only(), |b| {
    b.root("readonly").write("app.yaml", "as it was");
    let arguments = at("readonly", "app.yaml").and("content", "changed");
    b.refuses("write_file", arguments, "tool write_file not allowed on root readonly");
    assert_eq!(b.ok("read_file", at("readonly", "app.yaml"))["content"], "as it was");
});

/// The source of a copy has to allow it, before any path is looked at.
/// Ledger: C-US-006, C-FR-002.5, C-FR-014.2
wire_test!(e2e_067_copy_denied_by_source, with_read_only(), |b| {
    b.root("restricted").write("f.txt", "x");
    for path in ["f.txt", "missing", "../x"] {
        let sentence = "tool copy not allowed on root restricted";
        b.refuses("copy", across("restricted", path, "source", "f.txt"), sentence);
    }
    b.refuses(
        "move",
        across("restricted", "f.txt", "source", "f.txt"),
        "tool move not allowed on root restricted",
    );
});

/// So does the destination.
/// Ledger: C-US-006, C-FR-002.5, C-FR-015.2
wire_test!(e2e_068_copy_denied_by_destination, with_read_only(), |b| {
    b.root("source").write("f.txt", "x");
    b.refuses(
        "copy",
        across("source", "f.txt", "readonly", "f.txt"),
        "tool copy not allowed on root readonly",
    );
    b.refuses(
        "move",
        across("source", "f.txt", "readonly", "f.txt"),
        "tool move not allowed on root readonly",
    );
    let both = across("readonly", "f.txt", "restricted", "f.txt");
    b.refuses("copy", both, "tool copy not allowed on root readonly");
});

/// The order of the checks: the root, then the tool, then the path.
wire_test!(c_fr_002_3_root_then_tool_then_path, with_read_only(), |b| {
    b.refuses(
        "write_file",
        at("nonexistent", "../x").and("content", "x"),
        "unknown root: nonexistent",
    );
    b.refuses(
        "write_file",
        at("readonly", "../x").and("content", "x"),
        "tool write_file not allowed on root readonly",
    );
    b.refuses(
        "write_file",
        json!({"root": "readonly"}),
        "tool write_file not allowed on root readonly",
    );
    b.refuses("read_file", at("readonly", "../x"), OUTSIDE);
});

/// Each of the 14 names opens exactly its own tool.
wire_test!(c_m06_each_name_opens_one_tool, every_root_one_tool(), |b| {
    for allowed in ALL_TOOLS {
        b.root(allowed).write("inside.txt", "x");
        for (tool, arguments) in every_tool_on(allowed, "inside.txt") {
            let answer = b.call(tool, arguments);
            let denied = format!("tool {tool} not allowed on root {allowed}");
            assert_eq!(
                answer.text.starts_with(&denied),
                tool != allowed,
                "{tool} on {allowed}: {}",
                answer.text
            );
        }
    }
});

fn every_root_one_tool() -> Config {
    ALL_TOOLS.iter().fold(Config::default(), |config, tool| config.root(tool, &[tool]))
}

/// A NUL in any path of any tool is refused.
/// Ledger: C-NFR-010
wire_test!(e2e_070_nul_in_a_path, |b| {
    b.ws.write("inside.txt", "x").write("file", "x");
    for path in ["file\0.txt", "\0", "file\0"] {
        for (tool, arguments) in every_tool_on("workspace", path) {
            b.refuses(tool, arguments, "path contains null bytes");
        }
    }
});

/// Percent signs are only percent signs.
/// Ledger: C-NFR-010
wire_test!(e2e_071_percent_encoding_is_literal, |b| {
    b.refuses("read_file", ws("%2e%2e%2fetc%2fpasswd"), "file not found: ");
    b.refuses("read_file", ws("%252e%252e/etc/passwd"), "file not found: ");
    b.refuses("read_file", ws("..\\..\\etc\\passwd"), "file not found: ");
    b.ws.write("%2e%2e%2fetc", "a file of that name");
    assert_eq!(b.ok("read_file", ws("%2e%2e%2fetc"))["content"], "a file of that name");
});

/// A path too long for the system is a failure like any other.
wire_test!(c_nfr_010_long_paths, |b| {
    b.ws.write("inside.txt", "x");
    for path in ["x".repeat(300), "x/".repeat(3000), "../".repeat(3000)] {
        for (tool, arguments) in every_tool_on("workspace", &path) {
            let makes_parents = ["create_folder", "write_file", "patch_file", "copy", "move"];
            if !makes_parents.contains(&tool) {
                b.call(tool, arguments);
            }
        }
    }
    assert!(b.call("read_file", ws(&"x".repeat(300))).is_error);
    b.refuses("read_file", ws(&"../".repeat(3000)), OUTSIDE);
});

fn with_denied_paths() -> Config {
    Config::roots(&["workspace"]).with("deny", json!(["**/*.pem", "private/**"]))
}

/// Denied paths are not read, written, found or removed, not by a link either.
wire_test!(c_s02_denied_paths, with_denied_paths(), |b| {
    b.ws.write("key.pem", "SECRET")
        .write("private/f.txt", "SECRET")
        .write("sub/deep.pem", "SECRET");
    b.ws.write("inside.txt", "SECRET is a word").link("alias.txt", "key.pem");
    let about_files =
        |tool: &str| !["list_folder", "create_folder", "remove_folder"].contains(&tool);
    for path in ["key.pem", "private/f.txt", "sub/deep.pem", "sub/../key.pem"] {
        for (tool, arguments) in
            every_tool_on("workspace", path).into_iter().filter(|(tool, _)| about_files(tool))
        {
            let answer = b.call(tool, arguments);
            let found = answer.structured.is_some_and(|s| s["total_matches"] != 0);
            assert!(answer.is_error || !found, "{tool} {path}: {}", answer.text);
        }
    }
    b.fails("read_file", ws("alias.txt"));
    b.fails("write_file", ws("alias.txt").and("content", "x"));
    let found = b.ok("grep", json!({"root": "workspace", "pattern": "SECRET"}));
    assert_eq!(column(&found["matches"], "file"), ["inside.txt"]);
    b.call("remove_folder", ws("private"));
    assert_eq!(
        (b.ws.text("private/f.txt"), b.ws.text("key.pem")),
        ("SECRET".to_owned(), "SECRET".to_owned())
    );
});

/// A read-only root allows nothing that writes.
wire_test!(
    c_us_010_read_only_root,
    Config::roots(&["workspace"]).with("read_only", json!(true)),
    |b| {
        b.ws.write("inside.txt", "x");
        let writers =
            ["write_file", "remove_file", "patch_file", "create_folder", "remove_folder", "move"];
        for (tool, arguments) in every_tool_on("workspace", "inside.txt") {
            if writers.contains(&tool) {
                b.refuses(tool, arguments, &format!("tool {tool} not allowed on root workspace"));
            }
        }
        assert_eq!(b.ok("read_file", ws("inside.txt"))["content"], "x");
        b.refuses(
            "copy",
            pair("inside.txt", "copy.txt"),
            "tool copy not allowed on root workspace",
        );
    }
);
