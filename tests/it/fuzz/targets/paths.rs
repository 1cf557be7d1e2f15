//! Paths: whatever a client writes leads to something inside, or to a sentence that does not tell where the root is.

use mcp_filesystem::doors;
use mcp_filesystem::sandbox::{PathStyle, Root};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// A root full of links that lead inside, outside, nowhere and round in circles.
struct Arena {
    root: Arc<Root>,
    denying: Arc<Root>,
    /// Device and inode of all that is inside.
    inside: BTreeSet<(u64, u64)>,
    secret: (u64, u64),
    _temp: tempfile::TempDir,
}

static ARENA: LazyLock<Arena> = LazyLock::new(arena);

fn arena() -> Arena {
    let temp = tempfile::Builder::new().prefix("hostpath-").tempdir().unwrap();
    let (top, outside) = (temp.path().join("r"), temp.path().join("o"));
    fs::create_dir_all(top.join("d/e")).unwrap();
    fs::create_dir_all(&outside).unwrap();
    for file in ["f", "d/f", "d/e/f", "\u{e9}"] {
        fs::write(top.join(file), "inside").unwrap();
    }
    for file in ["f", "s"] {
        fs::write(outside.join(file), "outside").unwrap();
    }
    let links = [
        ("l", "f"),
        ("d/l", "../f"),
        ("up", ".."),
        ("out", "../o"),
        ("outf", "../o/f"),
        ("loop", "loop"),
        ("a", "b"),
        ("b", "a"),
        ("there", "../r/d"),
        ("gone", "nowhere"),
        ("proc", "/proc/self/root"),
        ("cwd", "/proc/self/cwd"),
        ("abs", "/"),
        ("d/deep", "e/../../d/e"),
    ];
    for (name, target) in links {
        symlink(target, top.join(name)).unwrap();
    }
    symlink(top.join("d"), top.join("home")).unwrap();
    symlink(&outside, top.join("d/away")).unwrap();
    let mut inside = BTreeSet::new();
    note(&top, &mut inside);
    let open = |deny: &[String]| Arc::new(Root::open("root", &top, deny).unwrap());
    let secret = identity(&outside.join("f"));
    Arena { root: open(&[]), denying: open(&["e".into()]), inside, secret, _temp: temp }
}

fn identity(path: &Path) -> (u64, u64) {
    let found = fs::metadata(path).unwrap();
    (found.dev(), found.ino())
}

fn note(dir: &Path, inside: &mut BTreeSet<(u64, u64)>) {
    inside.insert(identity(dir));
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => note(&entry.path(), inside),
            kind if kind.is_file() => _ = inside.insert(identity(&entry.path())),
            _ => {}
        }
    }
}

pub fn path(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // So that inputs can speak of the root without knowing where it is.
    let text = text.replace('@', ARENA.root.host_path().to_str().unwrap());
    for style in [PathStyle::Chroot, PathStyle::Host] {
        for root in [&ARENA.root, &ARENA.denying] {
            lead(root, &text, style);
        }
    }
}

fn lead(root: &Arc<Root>, text: &str, style: PathStyle) {
    let host = root.host_path().to_str().unwrap();
    match doors::found(root, text, style) {
        Ok(found) => {
            assert_ne!(found.identity, ARENA.secret, "outside: {text:?}");
            assert!(ARENA.inside.contains(&found.identity), "not inside: {text:?}");
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(text.contains(host) || !sentence.contains(host), "{text:?}: {sentence}");
        }
    }
}
