//! Filesystems mounted for a test, where the suite may mount any.

use super::Dir;
use std::path::Path;
use std::process::{Command, Stdio};

/// A mounted filesystem; gone when dropped.
pub struct Mount {
    dir: Dir,
}

impl Mount {
    /// An empty filesystem of this many kilobytes at `dir`, or `None`, said on stderr, where that may not be.
    pub fn tmpfs(dir: &Dir, kilobytes: u32) -> Option<Self> {
        Self::new(dir, &["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"])
    }

    /// What is at `from`, at `dir` too.
    pub fn bind(dir: &Dir, from: &Path) -> Option<Self> {
        Self::new(dir, &["--bind", from.to_str().unwrap()])
    }

    fn new(dir: &Dir, what: &[&str]) -> Option<Self> {
        let mounted = mount(&[what, &[dir.host()]].concat());
        if !mounted {
            eprintln!("left out: nothing can be mounted here; that takes root");
        }
        mounted.then(|| Self { dir: dir.clone() })
    }

    /// From now on nothing can be written to it.
    pub fn make_read_only(&self) {
        assert!(mount(&["-o", "remount,ro,bind", self.dir.host()]), "remount");
    }

    /// Write until nothing more goes in.
    pub fn fill(&self) {
        let mut piece = vec![b'x'; 64 << 10];
        for n in 0.. {
            while std::fs::write(self.dir.path(format!("filler{n}")), &piece).is_err() {
                // What was written of it stays, and takes what there was.
                piece.truncate(piece.len() / 2);
                if piece.is_empty() {
                    return;
                }
            }
        }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.dir.path("")).status());
    }
}

fn mount(arguments: &[&str]) -> bool {
    let mut command = Command::new("mount");
    command.args(arguments).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
