//! Disks that are full, read-only or may not hold large files: every writing tool of every toolset fails with the reason,
//! and leaves everything as it was.

use crate::harness::*;
use serde_json::{Value, json};

/// More than a scarce disk holds.
const MUCH: usize = 1 << 20;

/// A tool, and what to call it with.
type Write = (&'static str, Value);

/// Starts a server on directories that are there, in some way.
type Serve = fn(Wire, Workspace, fn(Launch) -> Launch) -> Bench;

/// A toolset on a root `workspace` that is scarce.
#[derive(Clone, Copy)]
struct Face {
    serve: Serve,
    writes: fn() -> Vec<Write>,
    /// Something that takes no room: it works on a full disk.
    frees: fn() -> Write,
}

const ROOTS: Face = Face {
    serve: |wire, workspace, how| {
        wire.launch(workspace, Config::roots(&["workspace", "plenty"]), how)
    },
    writes: writes_of_roots,
    frees: || ("remove_file", ws("folder/inner.txt")),
};
const FILES: Face = Face {
    serve: |wire, workspace, how| files::start(wire, workspace, Config::default(), how),
    writes: writes_of_files,
    frees: || ("delete", json!({"path": "folder/inner.txt"})),
};
const GUIDE: Face = Face {
    serve: |wire, workspace, how| wire.guide_on(workspace, how),
    writes: writes_of_guide,
    frees: || {
        let consent = "DELETE_DOCUMENT";
        (
            "guide_delete_document",
            json!({"category": "lang", "name": "doc.md", "explicit_action": consent}),
        )
    },
};

fn much() -> String {
    "0123456789abcde\n".repeat(MUCH / 16)
}

fn writes_of_roots() -> Vec<Write> {
    let put = |path: &str, mode: &str| ws(path).and("content", much()).and("mode", mode);
    let lines: String = much().lines().map(|line| format!("+{line}\n")).collect();
    let patch = format!("@@ -1 +1,{} @@\n old\n{lines}", MUCH / 16 + 1);
    vec![
        ("write_file", put("f.txt", "overwrite")),
        ("write_file", put("f.txt", "append")),
        ("write_file", put("new.txt", "overwrite")),
        ("write_file", put("new.txt", "create_only")),
        ("write_file", put("new.txt", "append")),
        ("write_file", put("a/b/new.txt", "overwrite")),
        ("patch_file", ws("f.txt").and("patch", patch)),
        ("copy", across("plenty", "large.bin", "workspace", "copied.bin")),
        ("copy", across("plenty", "large.bin", "workspace", "f.txt")),
        ("copy", across("plenty", "large.bin", "workspace", "a/b/copied.bin")),
        ("copy", across("plenty", "tree", "workspace", "copied")),
        ("move", across("plenty", "large.bin", "workspace", "moved.bin")),
        ("move", across("plenty", "tree", "workspace", "a/moved")),
    ]
}

fn writes_of_files() -> Vec<Write> {
    let put = |path: &str, mode: &str| json!({"path": path, "content": much(), "mode": mode, "make_dirs": true});
    let pair = |source: &str, destination: &str| json!({"source": source, "destination": destination, "recursive": true, "overwrite": true});
    vec![
        ("write", put("f.txt", "overwrite")),
        ("write", put("f.txt", "append")),
        ("write", put("f.txt", "create")),
        ("write", put("new.txt", "create_new")),
        ("write", put("a/b/new.txt", "overwrite")),
        ("copy", pair("half.bin", "copied.bin")),
        ("copy", pair("half.bin", "f.txt")),
        ("copy", pair("tree", "copied")),
    ]
}

fn writes_of_guide() -> Vec<Write> {
    let document = |verb: &str, name: &str| {
        json!({"category": "lang", "name": name, "content": much(),
        "explicit_action": format!("{verb}_DOCUMENT")})
    };
    let flag = json!({"feature_name": "mine", "value": much()});
    vec![
        ("guide_create_document", document("CREATE", "new.md")),
        ("guide_update_document", document("UPDATE", "doc.md")),
        ("guide_set_project_flag", flag.clone()),
        ("guide_set_feature_flag", flag),
    ]
}

/// A server on two scarce disks, the files' and the guide's own; unmounted before the directories are removed.
struct Scarce {
    disks: Vec<Mount>,
    bench: Bench,
}

impl Scarce {
    fn mount(face: Face, wire: Wire, kilobytes: u32) -> Option<Self> {
        let workspace = Workspace::new();
        let settings = workspace.all().mkdir("guide-config").path("guide-config");
        let disks = [workspace.root("workspace"), Dir::at(settings)];
        let disks = disks.iter().map(|dir| Mount::tmpfs(dir, kilobytes)).collect::<Option<_>>()?;
        let bench = (face.serve)(wire, workspace, |launch| launch);
        prepare(&bench);
        Some(Self { disks, bench })
    }

    /// Every write fails with these words, and nothing changes anywhere.
    fn all_fail(&self, face: Face, words: &str) {
        fail_all(&self.bench, face, words);
    }
}

fn prepare(b: &Bench) {
    b.ws.write("f.txt", "old\n").write("folder/inner.txt", "inner\n");
    b.ws.write("half.bin", vec![b'h'; 600 << 10]).write(".guide/lang/doc.md", "old\n");
    b.ws.mkdir("tree");
    std::fs::hard_link(b.ws.path("half.bin"), b.ws.path("tree/half.bin")).unwrap();
    b.root("plenty")
        .write("large.bin", much())
        .write("tree/small.txt", "s")
        .write("tree/z.bin", much());
    b.guidebook().write("config.yaml", "feature_flags:\n  mine: old\n").write("config.lock", "");
}

fn fail_all(b: &Bench, face: Face, words: &str) {
    let before = b.workspace.all().snapshot();
    for (tool, arguments) in (face.writes)() {
        let shown: String = arguments.to_string().chars().take(150).collect();
        let answer = b.call(tool, arguments);
        assert!(answer.is_error, "{tool} {shown} should have failed: {}", answer.text);
        assert!(answer.text.contains(words), "{tool} {shown}: {}", answer.text);
        assert_same_tree(&before, &b.workspace.all().snapshot());
    }
}

fn faces_and_wires() -> impl Iterator<Item = (Face, Wire)> {
    [ROOTS, FILES, GUIDE].into_iter().flat_map(|face| [STDIO, HTTP].map(|wire| (face, wire)))
}

/// A disk that is full to the last byte. What needs no room is done.
/// Ledger: C-NFR-014
#[test]
fn c_nfr_014_a_full_disk() {
    for (face, wire) in faces_and_wires() {
        let Some(mut scarce) = Scarce::mount(face, wire, 1 << 10) else { return };
        scarce.disks.iter().for_each(Mount::fill);
        scarce.all_fail(face, "no space left on the device");
        let (tool, arguments) = (face.frees)();
        let answer = scarce.bench.call(tool, arguments);
        assert!(!answer.is_error, "{}", answer.text);
        assert!(scarce.bench.server.is_alive());
    }
}

/// A disk on which nothing can be written.
/// Ledger: C-NFR-014
#[test]
fn c_nfr_014_a_read_only_disk() {
    for (face, wire) in faces_and_wires() {
        let Some(mut scarce) = Scarce::mount(face, wire, 8 << 10) else { return };
        scarce.disks.iter().for_each(Mount::make_read_only);
        scarce.all_fail(face, "the filesystem is read-only");
        let (tool, arguments) = (face.frees)();
        let answer = scarce.bench.call(tool, arguments);
        assert!(answer.is_error && answer.text.contains("read-only"), "{}", answer.text);
        assert!(scarce.bench.server.is_alive());
    }
}

/// A read-only filesystem inside a root: changes there fail, those beside it do not.
#[test]
fn c_nfr_014_a_read_only_disk_inside_a_root() {
    for wire in [STDIO, HTTP] {
        let workspace = Workspace::new();
        let inner = Dir::at(workspace.root("workspace").mkdir("inner").path("inner"));
        let Some(disk) = Mount::tmpfs(&inner, 64) else { return };
        inner.write("f.txt", "old\n");
        disk.make_read_only();
        let held = (disk, wire.on(workspace, Config::roots(&["workspace"])));
        let b = &held.1;
        let read_only =
            |text: String| assert!(text.contains("the filesystem is read-only"), "{text}");
        read_only(b.fails("write_file", ws("inner/f.txt").and("content", "new")));
        read_only(b.fails("write_file", ws("inner/new/g.txt").and("content", "new")));
        read_only(b.fails("create_folder", ws("inner/new")));
        read_only(b.fails("remove_file", ws("inner/f.txt")));
        read_only(b.fails("move", pair("inner/f.txt", "f.txt")));
        read_only(b.fails("copy", pair("inner/f.txt", "inner/g.txt")));
        b.ok("copy", pair("inner/f.txt", "f.txt"));
        assert_eq!(
            (b.ws.text("f.txt"), b.ws.text("inner/f.txt")),
            ("old\n".into(), "old\n".into())
        );
        assert_eq!(b.ws.names("inner"), ["f.txt"]);
    }
}

/// A process that may not write large files. The signal that comes with it does not end the server.
/// Ledger: C-NFR-014
#[test]
fn c_nfr_014_a_limit_on_the_size_of_files() {
    for (face, wire) in faces_and_wires() {
        let mut b = (face.serve)(wire, Workspace::new(), |launch| launch.file_size(512));
        prepare(&b);
        fail_all(&b, face, "the file would exceed the size limit of the server process");
        assert!(b.server.is_alive(), "{}", b.server.log.raw().join("\n"));
    }
}
