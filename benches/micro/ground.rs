//! The directory a benchmark works in, removed when it is through.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use mcp_filesystem::doors;
use mcp_filesystem::sandbox::{PathStyle, Place, Root};
use tempfile::TempDir;

/// Files in one directory of a tree.
const FILES_EACH: usize = 50;

pub struct Ground {
    home: TempDir,
    deny: Vec<String>,
}

impl Ground {
    pub fn new() -> Self {
        Self { home: TempDir::new().unwrap(), deny: Vec::new() }
    }

    /// The same with globs that hide entries from clients.
    pub fn denying(self, deny: &[&str]) -> Self {
        Self { deny: deny.iter().map(|glob| (*glob).to_owned()).collect(), ..self }
    }

    /// The same with a file, and the directories above it.
    pub fn with_file(self, path: &str, content: &[u8]) -> Self {
        let path = self.home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// The same with a link.
    pub fn with_link(self, path: &str, target: &str) -> Self {
        symlink(target, self.home.path().join(path)).unwrap();
        self
    }

    /// The same with so many entries, the directories among them.
    pub fn with_entries(self, entries: usize) -> Self {
        (0..entries / (FILES_EACH + 1))
            .map(|number| self.home.path().join(format!("part{:02}/group{number:04}", number % 20)))
            .for_each(|directory| fill(&directory));
        self
    }

    pub fn root(&self) -> Root {
        Root::open("bench", self.home.path(), &self.deny).unwrap()
    }

    pub fn place(&self, path: &str) -> Place {
        doors::place(&Arc::new(self.root()), path, PathStyle::Chroot).unwrap()
    }
}

fn fill(directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    (0..FILES_EACH).for_each(|number| {
        fs::write(directory.join(format!("file{number:02}.txt")), "a line\n").unwrap();
    });
}
