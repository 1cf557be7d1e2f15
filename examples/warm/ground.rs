//! The tree of the experiment: made once, grown, and removed at the end.

use std::fs;
use std::sync::Arc;

use anyhow::{Result, ensure};
use mcp_filesystem::doors;
use mcp_filesystem::sandbox::{PathStyle, Place, Root};
use rustix::fs::{statvfs, sync};
use tempfile::TempDir;

use crate::words::Author;

/// Files in one directory, and directories in one above it.
const FILES_EACH: usize = 50;
const DIRECTORIES_EACH: usize = 40;
/// Bytes a file takes on the disk, at the most.
const ROOM_EACH: u64 = 8 << 10;

pub struct Ground {
    home: TempDir,
    author: Author,
    pub files: usize,
    pub bytes: u64,
}

impl Ground {
    /// An empty one, where there is room for `most` files.
    pub fn new(most: usize) -> Result<Self> {
        let home = TempDir::with_prefix("warm-")?;
        let room = statvfs(home.path())?;
        ensure!(
            room.f_bavail * room.f_frsize > most as u64 * ROOM_EACH * 5 / 4,
            "no room on the disk"
        );
        ensure!(room.f_favail > most as u64 * 11 / 10, "not enough inodes on the disk");
        Ok(Self { home, author: Author::new(), files: 0, bytes: 0 })
    }

    /// Write files until there are so many, and let the disk come to rest.
    pub fn grow_to(&mut self, files: usize) -> Result<()> {
        eprintln!("warm: making {files} files in {}", self.home.path().display());
        for number in self.files..files {
            let path = self.home.path().join(path_of(number));
            if number % FILES_EACH == 0
                && let Some(directory) = path.parent()
            {
                fs::create_dir_all(directory)?;
            }
            let text = self.author.text(number as u64, (number / FILES_EACH) as u64);
            self.bytes += text.len() as u64;
            fs::write(path, text)?;
        }
        self.files = files;
        sync();
        Ok(())
    }

    /// Run `meanwhile` while one file has `word` at its end, written in place.
    pub fn with_written<T>(&self, word: &str, meanwhile: impl FnOnce() -> Result<T>) -> Result<T> {
        let path = self.home.path().join(path_of(0));
        let before = fs::read_to_string(&path)?;
        fs::write(&path, format!("{before}{word}\n"))?;
        let outcome = meanwhile();
        fs::write(&path, before)?;
        outcome
    }

    pub fn place(&self) -> Result<Place> {
        let root = Arc::new(Root::open("warm", self.home.path(), &[])?);
        doors::place(&root, ".", PathStyle::Chroot).map_err(anyhow::Error::msg)
    }
}

fn path_of(number: usize) -> String {
    let directory = number / FILES_EACH;
    let above = directory / DIRECTORIES_EACH;
    format!("part{above:03}/module{directory:05}/source{number:07}.rs")
}
