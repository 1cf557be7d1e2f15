//! `list_roots` and `list_folder`.

use crate::harness::*;
use crate::wire_test;
use serde_json::json;

/// The 14 names an allowlist may hold, sorted.
pub const ALL_TOOLS: [&str; 14] = [
    "copy",
    "create_folder",
    "glob",
    "grep",
    "hash_file",
    "list_folder",
    "move",
    "patch_file",
    "permissions_file",
    "read_file",
    "remove_file",
    "remove_folder",
    "stat_file",
    "write_file",
];

fn three_roots() -> Config {
    let config = Config::roots(&["workspace"]);
    config
        .root("config", &["list_folder", "read_file", "stat_file"])
        .root("logs", &["read_file", "grep"])
}

/// Every configured root is listed with the tools it allows, `*` spelled out, sorted by name.
/// Ledger: C-US-009, C-FR-002.2, C-FR-003.1, C-FR-003.5, C-M08
wire_test!(e2e_061_list_roots_returns_configured_roots, three_roots(), |b| {
    let got = b.ok("list_roots", json!({}));
    let expected = json!({"roots": [
        {"name": "config", "allowed_tools": ["list_folder", "read_file", "stat_file"]},
        {"name": "logs", "allowed_tools": ["grep", "read_file"]},
        {"name": "workspace", "allowed_tools": ALL_TOOLS},
    ]});
    assert_eq!(got, expected);
});

/// The text of `list_roots` is the bare array of the seed.
wire_test!(c_fr_003_1_list_roots_text_is_the_array, three_roots(), |b| {
    let answer = b.call("list_roots", json!({}));
    let array: serde_json::Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(column(&array, "name"), ["config", "logs", "workspace"]);
});

/// No host path comes out of `list_roots`.
/// Ledger: C-FR-003.2, C-NFR-008
wire_test!(e2e_062_list_roots_hides_host_paths, three_roots(), |b| {
    let raw = b.call("list_roots", json!({})).raw.to_string();
    assert!(!raw.contains(b.workspace.all().host()), "{raw}");
    assert!(!raw.contains("roots/workspace") && !raw.contains("/tmp"), "{raw}");
});

/// `list_roots` answers although no root allows anything, and without any arguments at all.
/// Ledger: C-FR-003.3, C-M07
wire_test!(c_m07_list_roots_is_always_available, Config::default().root("closed", &[]), |b| {
    assert_eq!(
        b.ok("list_roots", json!({})),
        json!({"roots": [{"name": "closed", "allowed_tools": []}]})
    );
    let bare = b
        .session
        .request("tools/call", json!({"name": "list_roots"}))
        .expect("no arguments are fine");
    assert_eq!(Answer::new("list_roots", bare).ok()["roots"][0]["name"], "closed");
});

/// Entries are sorted, and each has name, type, size and time.
/// Ledger: C-FR-004.2, C-FR-004.4
wire_test!(e2e_004_list_folder_happy_path, |b| {
    b.ws.write("b.txt", "bb").write("a.txt", "a").mkdir("sub");
    let got = b.ok("list_folder", ws("."));
    assert_eq!(got["count"], 3);
    assert_eq!(column(&got["entries"], "name"), ["a.txt", "b.txt", "sub"]);
    assert_eq!(column(&got["entries"], "type"), ["file", "file", "directory"]);
    assert_eq!(got["entries"][0]["size"], 1);
    assert_eq!(got["entries"][1]["size"], 2);
    for entry in items(&got["entries"]) {
        assert!(entry["size"].is_u64() && is_timestamp(&entry["modified_at"]), "{entry}");
    }
});

/// An empty directory has no entries and says so.
/// Ledger: C-FR-004.7
wire_test!(e2e_005_list_folder_empty_directory, |b| {
    b.ws.mkdir("empty");
    assert_eq!(b.ok("list_folder", ws("empty")), json!({"entries": [], "count": 0}));
});

/// A file cannot be listed.
/// Ledger: C-FR-004.6
wire_test!(e2e_006_list_folder_of_a_file, |b| {
    b.ws.write("data.txt", "x");
    b.refuses("list_folder", ws("data.txt"), "path is not a directory: data.txt");
});

/// A missing directory is named.
wire_test!(c_fr_004_6_list_folder_of_nothing, |b| {
    b.refuses("list_folder", ws("ghost"), "path not found: ghost");
});

/// An empty path, a dot and a slash are the root itself.
wire_test!(c_fr_004_1_the_root_has_three_spellings, |b| {
    b.ws.write("only.txt", "x");
    for path in ["", ".", "/", "./", "sub/.."] {
        let got = b.ok("list_folder", ws(path));
        assert_eq!(column(&got["entries"], "name"), ["only.txt"], "path {path:?}");
    }
});

/// The time of an entry is UTC to the second.
wire_test!(c_fr_004_2_times_are_utc, |b| {
    b.ws.write("old.txt", "x").touch("old.txt", 1_000_000_000);
    let got = b.ok("list_folder", ws("."));
    assert_eq!(got["entries"][0]["modified_at"], "2001-09-09T01:46:40Z");
});

/// Only direct children are listed.
wire_test!(c_fr_004_3_listing_is_not_recursive, |b| {
    b.ws.write("top/inner/deep.txt", "x");
    assert_eq!(column(&b.ok("list_folder", ws("top"))["entries"], "name"), ["inner"]);
});

/// Names are ordered by their bytes, hidden ones included.
wire_test!(c_fr_004_4_order_is_by_bytes, |b| {
    for name in ["b", "B", "a", "a.b", "a-b", ".hidden", "é", "10", "9"] {
        b.ws.write(name, "");
    }
    let got = b.ok("list_folder", ws("."));
    assert_eq!(
        column(&got["entries"], "name"),
        [".hidden", "10", "9", "B", "a", "a-b", "a.b", "b", "é"]
    );
});

/// A link says what it leads to: a file, a directory, something external; a dangling one says nothing.
wire_test!(c_fr_004_5_links_tell_their_target_type, |b| {
    b.ws.write("file.txt", "x").mkdir("folder");
    b.ws.link("to_file", "file.txt").link("to_folder", "folder").link("to_nothing", "missing");
    b.ws.link("to_outside", b.outside().path("")).link("to_loop", "to_loop");
    let got = b.ok("list_folder", ws("."));
    let target_of = |name: &str| {
        let entry = items(&got["entries"]).iter().find(|e| e["name"] == name).unwrap();
        assert_eq!(entry["type"], "symlink");
        entry.get("target_type").cloned()
    };
    assert_eq!(target_of("to_file"), Some(json!("file")));
    assert_eq!(target_of("to_folder"), Some(json!("directory")));
    assert_eq!(target_of("to_outside"), Some(json!("external")));
    assert_eq!(target_of("to_nothing"), None);
    assert_eq!(target_of("to_loop"), None);
});

/// A directory is listed through a link that stays inside.
wire_test!(c_fr_001_2_listing_through_an_inner_link, |b| {
    b.ws.write("real/f.txt", "x").link("alias", "real").link("chain", "alias");
    assert_eq!(column(&b.ok("list_folder", ws("chain"))["entries"], "name"), ["f.txt"]);
});
