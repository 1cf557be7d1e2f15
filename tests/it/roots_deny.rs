//! What the operator hides stays hidden, by whatever way it is come to.

use crate::harness::*;
use crate::wire_test;
use serde_json::json;

fn denying() -> Config {
    Config::roots(&["workspace"]).with("deny", json!(["secrets/**", "config/secret.yaml"]))
}

/// A link to a directory opens nothing that its own name does not.
/// Ledger: C-S02
wire_test!(c_s02_denied_through_a_linked_directory, denying(), |b| {
    b.ws.write("secrets/key", "SECRET").write("open/f.txt", "open").link("alias", "secrets");
    assert_eq!(b.ok("list_folder", ws("alias"))["entries"], json!([]));
    b.ok("copy", pair("alias", "leak"));
    assert!(!b.ws.has("leak/key"), "a denied file was copied out");
    let wrong = b.fails("read_file", ws("alias/kez"));
    assert!(!wrong.contains("key"), "a hint names a denied file: {wrong}");
    assert_eq!(b.ok("grep", ws("alias").and("pattern", "SECRET"))["total_matches"], 0);
});

/// Another spelling of a denied name is denied too: there are filesystems on which it is the same file.
wire_test!(c_s02_denied_in_any_case, denying(), |b| {
    b.ws.write("Secrets/Key", "SECRET")
        .write("config/SECRET.yaml", "SECRET")
        .write("open.txt", "open");
    for path in ["Secrets/Key", "SECRETS/key", "config/SECRET.yaml", "Config/Secret.YAML"] {
        b.refuses("read_file", ws(path), "path is denied");
        b.refuses("write_file", ws(path).and("content", "x"), "path is denied");
    }
    assert_eq!(b.ok("grep", ws(".").and("pattern", "SECRET"))["total_matches"], 0);
});

/// A copy does not replace what is denied where it goes.
/// Ledger: C-FR-014.7
wire_test!(c_fr_014_7_denied_at_the_destination, denying(), |b| {
    b.ws.write("config/secret.yaml", "SECRET").write("config/open.yaml", "old");
    b.ws.write("new/config/secret.yaml", "planted").write("new/config/open.yaml", "new");
    let copied = b.ok("copy", pair("new/config", "."));
    assert_eq!(
        copied["skipped"],
        json!([{"path": "secret.yaml", "reason": "denied at the destination"}])
    );
    assert_eq!(b.ws.text("config/secret.yaml"), "SECRET");
    assert_eq!(b.ws.text("config/open.yaml"), "new");
});

/// Copied directories are as closed as their sources; those that were there stay as they were.
/// Ledger: C-FR-014.3
wire_test!(c_fr_014_3_modes_of_directories, |b| {
    b.ws.write("tree/inner/f.txt", "x").chmod("tree", 0o700).chmod("tree/inner", 0o700);
    b.ok("copy", pair("tree", "copied"));
    assert_eq!((b.ws.mode("copied"), b.ws.mode("copied/inner")), (0o700, 0o700));
    b.ws.mkdir("there/tree").chmod("there/tree", 0o755);
    b.ok("copy", pair("tree", "there"));
    assert_eq!((b.ws.mode("there/tree"), b.ws.mode("there/tree/inner")), (0o755, 0o700));
});

fn reading_only() -> Config {
    Config::default().root("workspace", &["read_file"])
}

/// Near names are a listing: whoever may not list gets none.
/// Ledger: C-FR-002.1
wire_test!(c_fr_002_1_no_near_names_without_a_listing, reading_only(), |b| {
    b.ws.write("hello.txt", "x");
    let told = b.fails("read_file", ws("helo.txt"));
    assert!(!told.contains("hello"), "{told}");
});

/// `check` names the tools that clients will see.
/// Ledger: C-FR-018.1
#[test]
fn c_fr_018_1_check_tells_what_is_served() {
    let workspace = Workspace::new();
    let file = reading_only().save(&workspace);
    let checked =
        std::process::Command::new(BINARY).arg("check").arg("--config").arg(file).output();
    let printed = String::from_utf8(checked.unwrap().stdout).unwrap();
    assert_eq!(printed.lines().last(), Some("tools: list_roots, read_file"), "{printed}");
}
