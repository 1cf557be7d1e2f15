//! What an agent reads when a call fails: the path it sent, and what to do next.

use crate::harness::files::{envelope, from_to, p};
use crate::harness::*;
use crate::{files_test, wire_test};
use serde_json::{Value, json};

fn project(b: &Bench) {
    b.ws.write("src/main.rs", "fn main() {\n    hello();\n}\n")
        .write("README.md", numbered_lines(100))
        .mkdir("empty");
}

/// The hint of a `files` call that has to fail.
#[track_caller]
fn hint(b: &Bench, tool: &str, arguments: Value) -> String {
    let body = envelope(b, tool, arguments);
    text(&body["error"]["details"]["hint"]).to_owned()
}

/// The right tool for the wrong kind.
/// Ledger: C-NFR-011
wire_test!(c_nfr_011_the_right_tool_for_the_kind, |b| {
    project(b);
    let cases = [
        (
            "read_file",
            "src",
            "path is a directory, not a file: src (root: workspace); name a file in it, or use list_folder",
        ),
        (
            "list_folder",
            "README.md",
            "path is not a directory: README.md (root: workspace); use read_file for a file",
        ),
        (
            "read_file",
            "",
            "path is a directory, not a file: . (root: workspace); name a file in it, or use list_folder",
        ),
        (
            "create_folder",
            "README.md/sub",
            "a parent of the path is a file, not a directory: README.md/sub (root: workspace)",
        ),
        (
            "read_file",
            "README.md/sub",
            "file not found: README.md/sub (root: workspace); README.md is a file, not a directory",
        ),
    ];
    for (tool, path, sentence) in cases {
        assert_eq!(b.fails(tool, ws(path)), sentence);
    }
});

/// What lies outside, and what is not allowed.
/// Ledger: C-NFR-011, C-FR-002.4
wire_test!(c_nfr_011_what_is_refused, Config::default().root("workspace", &["read_file"]), |b| {
    assert_eq!(
        b.fails("read_file", ws("../x")),
        "path resolves outside root boundary: ../x (root: workspace); give a path inside the root"
    );
    assert_eq!(
        b.fails("write_file", ws("x").and("content", "x")),
        "tool write_file not allowed on root workspace; list_roots tells what each root allows"
    );
});

/// A mistyped directory on the way to a file.
/// Ledger: C-NFR-011
wire_test!(c_nfr_011_a_near_directory, |b| {
    project(b);
    let cases = [
        ("scr/main.rs", "src/main.rs"),
        ("scr/other.rs", "src"),
        ("src/mian.rs", "src/main.rs"),
        ("/scr/main.rs", "/src/main.rs"),
    ];
    for (path, meant) in cases {
        let sentence = format!("file not found: {path} (root: workspace); did you mean {meant}?");
        assert_eq!(b.fails("read_file", ws(path)), sentence);
    }
    assert_eq!(b.fails("read_file", ws("zz/yy/x")), "file not found: zz/yy/x (root: workspace)");
});

/// Arguments by other names: each is told what may be meant, the known ones stand once.
wire_test!(unknown_arguments, |b| {
    assert_eq!(
        b.fails("read_file", json!({"root": "workspace", "file_path": "a"})),
        "path is required; unknown argument: file_path (did you mean path?); known arguments: root, path, offset_bytes, limit_bytes, offset_lines, limit_lines, last_lines, line_numbers, with_hash"
    );
    assert_eq!(
        b.fails("read_file", json!({})),
        "root is required; path is required; known roots: workspace"
    );
    assert_eq!(
        b.fails("move", json!({"source": "a", "destination": "b"})),
        "source_root is required; source_path is required; dest_root is required; dest_path is required; unknown argument: source (did you mean source_path or source_root?); unknown argument: destination; known arguments: source_root, source_path, dest_root, dest_path; known roots: workspace"
    );
});

/// A file that is too large: its path, and the arguments that read a part of it.
/// Ledger: C-FR-005.4
wire_test!(c_fr_005_4_how_to_read_a_part, |b| {
    b.ws.write("one-line.txt", "x".repeat(2 << 20));
    assert_eq!(
        b.fails("read_file", ws("one-line.txt")),
        "file too large for full read (size: 2MB, limit: 1MB); use offset/limit parameters (the file has 2097152 bytes, the limit is 1048576 bytes): one-line.txt (root: workspace); read a part with offset_bytes and limit_bytes, or with offset_lines and limit_lines"
    );
});

/// A patch for a file that is not there, for one that is no text, and one that is no patch.
/// Ledger: C-FR-008.2, C-FR-008.6, C-FR-008.7
wire_test!(c_fr_008_6_what_is_wrong_with_a_patch, |b| {
    project(b);
    b.ws.write("data.bin", b"\0\x01\x02\n\x03\n");
    let patch = |path: &str, patch: &str| b.fails("patch_file", ws(path).and("patch", patch));
    assert_eq!(
        patch("src/mian.rs", &replace_line(1, "a", "b")),
        "patch failed: hunk 1 does not match at line 1 (expected \"a\", got \"<EOF>\"); the file does not exist: src/mian.rs (root: workspace); did you mean src/main.rs?"
    );
    assert_eq!(
        patch("data.bin", &replace_line(1, "a", "b")),
        "patch failed: the file is binary, and a patch changes text only: data.bin (root: workspace)"
    );
    assert_eq!(
        patch("src/main.rs", "hello"),
        "parse patch: no hunks found in patch; a hunk is a line such as @@ -1,3 +1,3 @@ and below it lines that begin with a space, - or +: src/main.rs (root: workspace)"
    );
    assert_eq!(
        patch("src/main.rs", &replace_line(1, "    helo();", "    bye();")),
        "patch failed: hunk 1 does not match at line 2 (expected \"    helo();\", got \"    hello();\"): src/main.rs (root: workspace)"
    );
});

/// A pattern that is none: what is wrong with it, as it was given.
/// Ledger: C-FR-016.6
wire_test!(c_fr_016_6_a_pattern_that_is_none, |b| {
    let grep = |pattern: &str| b.fails("grep", json!({"root": "workspace", "pattern": pattern}));
    assert_eq!(
        grep("f[oo"),
        "invalid pattern: regex parse error: unclosed character class: f[oo; write \\ before a special character to search for itself"
    );
    assert_eq!(
        grep("(?<=a)b"),
        "invalid pattern: regex parse error: look-around, including look-ahead and look-behind, is not supported (look-around and backreferences are not supported): (?<=a)b"
    );
});

/// A glob may be written from the top.
wire_test!(a_glob_from_the_top, |b| {
    project(b);
    for pattern in ["src/*.rs", "./src/*.rs", "/src/*.rs"] {
        let found = b.ok("glob", json!({"root": "workspace", "pattern": pattern}));
        assert_eq!(column(&found["matches"], "path"), ["src/main.rs"], "{pattern}");
    }
});

/// No tool of that name: the near ones, else all.
wire_test!(unknown_tools, |b| {
    let unknown = |name: &str| {
        let error = b.session.request("tools/call", json!({"name": name, "arguments": {}}));
        error.expect_err("no such tool").message
    };
    assert_eq!(unknown("readfile"), "unknown tool: readfile; did you mean read_file?");
    let all = unknown("Bash");
    assert!(all.starts_with("unknown tool: Bash; known tools: list_roots, list_folder, "), "{all}");
});

/// Onto a directory or a file that is in the way: what to do about it.
/// Ledger: D-C03, D-C07, D-V04
files_test!(d_c03_what_is_in_the_way, |b| {
    project(b);
    b.ws.write("notes.txt", "n");
    for tool in ["copy", "move"] {
        let onto_directory =
            "it is a directory; to put the file into it, use the destination src/notes.txt";
        assert_eq!(hint(b, tool, from_to("notes.txt", "src")), onto_directory);
        let onto_file = "a file has this name; delete it first or choose another destination";
        assert_eq!(hint(b, tool, from_to("src", "notes.txt")), onto_file);
        let merge = "it is a directory; use overwrite=true to merge into it";
        assert_eq!(hint(b, tool, from_to("src", "empty")), merge);
        assert_eq!(
            hint(b, tool, from_to("notes.txt", "README.md")),
            "use overwrite=true to replace it"
        );
        let forced = envelope(b, tool, from_to("notes.txt", "src").and("overwrite", true));
        assert_eq!(
            forced["error"]["message"],
            "destination exists as a directory: src; to put the file into it, use the destination src/notes.txt"
        );
    }
});

/// The right tool, and the file that stands where a directory should.
files_test!(hints_of_the_files_toolset, |b| {
    project(b);
    assert_eq!(hint(b, "read", p("src")), "use list for a directory");
    assert_eq!(hint(b, "list", p("README.md")), "use read or info for a file");
    let top = envelope(b, "read", p(""))["error"].clone();
    let sentence = "Path is not a file: parameter path names a directory (.)";
    assert_eq!((&top["message"], &top["details"]["path"]), (&json!(sentence), &json!("")));
    let search = json!({"root_path": "README.md", "pattern": "x"});
    assert_eq!(hint(b, "search", search), "name its directory, and the file as file_pattern");
    let below_a_file = p("README.md/x").and("content", "x");
    assert_eq!(hint(b, "write", below_a_file), "README.md is a file, not a directory");
    let missing = "a parent directory is missing; use make_dirs=true to create it";
    assert_eq!(hint(b, "write", p("zz/x").and("content", "x")), missing);
});

/// The advice of a cut answer can be followed: what has no lines is not to be read by lines.
/// Ledger: D-R13
files_test!(d_r13_advice_that_can_be_followed, |b| {
    b.ws.write("one-line.txt", "x".repeat(200)).write("data.bin", [0; 200]);
    b.ws.write("lines.txt", numbered_lines(100));
    let warning = |arguments: Value| text(&b.ok("read", arguments)["warning"]).to_owned();
    let larger = "use a larger max_size (up to 10485760)";
    let first = |size: u32| format!("the file has {size} bytes, the first 50 of them are here: ");
    assert_eq!(warning(p("one-line.txt").and("max_size", 50)), format!("{}{larger}", first(200)));
    assert_eq!(warning(p("data.bin").and("max_size", 50)), format!("{}{larger}", first(200)));
    let by_lines = format!("{}{larger}, or start_line and end_line", first(792));
    assert_eq!(warning(p("lines.txt").and("max_size", 50)), by_lines);
    let one = p("one-line.txt").and("start_line", 0).and("end_line", 0).and("max_size", 50);
    assert_eq!(warning(one), format!("the lines have more than 50 bytes: {larger}"));
});
