//! A list of files kept in memory: searching it without a walk, and asking the kernel whether it still holds.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd};

use anyhow::{Context, Error, Result};
use mcp_filesystem::control::Control;
use mcp_filesystem::doors;
use mcp_filesystem::ops::search::{Query, Searched, Seeker};
use mcp_filesystem::sandbox::{Flow, Kind, Place, RelativePath, Tree, WalkOptions, walk};
use rustix::fs::{AtFlags, StatxFlags, statx};

use crate::cores;

/// The number of a file in the order of the paths.
pub type Id = u32;

/// What says whether an entry is as it was: nobody can set the time of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Stamp {
    inode: u64,
    seconds: i64,
    nanoseconds: u32,
}

struct File {
    path: RelativePath,
    stamp: Stamp,
}

/// A directory and the files in it.
struct Directory {
    path: RelativePath,
    stamp: Stamp,
    files: Vec<Id>,
}

/// How much of the list is compared with the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The directories, which shows what came and went.
    Directories,
    /// Every file too.
    Everything,
}

pub struct Kept {
    pub tree: Tree,
    files: Vec<File>,
    directories: Vec<Directory>,
}

impl Kept {
    /// The list of what is at `place` now.
    pub fn new(place: &Place) -> Result<Self> {
        let tree = Tree::open(place).map_err(Error::msg)?;
        let mut files = Vec::new();
        let mut directories = BTreeMap::from([(RelativePath::default(), Vec::new())]);
        walk(&tree, &WalkOptions::default(), &Control::default(), |entry| {
            match entry.kind {
                Kind::Directory => _ = directories.insert(entry.path, Vec::new()),
                _ => {
                    let parent = entry.path.split_last().map(|(parent, _)| parent);
                    let siblings = parent.and_then(|parent| directories.get_mut(&parent));
                    siblings.into_iter().for_each(|ids| ids.push(files.len() as Id));
                    files.push(File { path: entry.path, stamp: Stamp::default() });
                }
            }
            Flow::Continue
        });
        let named = directories.into_iter();
        let directories =
            named.map(|(path, files)| Directory { path, stamp: Stamp::default(), files }).collect();
        let mut kept = Self { tree, files, directories };
        kept.stamp()?;
        Ok(kept)
    }

    fn stamp(&mut self) -> Result<()> {
        for directory in &mut self.directories {
            let handle = doors::directory_in(&self.tree, &directory.path).context("gone")?;
            directory.stamp = stamp_of(handle.as_fd(), OsStr::new("")).context("gone")?;
            for id in &directory.files {
                let file = &mut self.files[*id as usize];
                file.stamp = stamp_of(handle.as_fd(), name_of(&file.path)).context("gone")?;
            }
        }
        Ok(())
    }

    pub fn all(&self) -> Vec<Id> {
        (0..self.files.len() as Id).collect()
    }

    pub fn directories(&self) -> usize {
        self.directories.len()
    }

    pub fn path(&self, id: Id) -> Option<&RelativePath> {
        self.files.get(id as usize).map(|file| &file.path)
    }

    /// Bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        let files = self.files.iter().map(|file| size_of_val(file) + file.path.as_bytes().len());
        let sizes = |directory: &Directory| {
            size_of_val(directory) + directory.path.as_bytes().len() + 4 * directory.files.len()
        };
        files.sum::<usize>() + self.directories.iter().map(sizes).sum::<usize>()
    }

    /// Matching lines in these files, each opened, read and searched as a scan does it.
    pub fn hits(&self, files: &[Id], query: &Query) -> u64 {
        let control = Control::default();
        let hire = || {
            let mut seeker = query.seeker();
            seeker.only_count();
            let (kept, control) = (self, &control);
            move |id: &Id| kept.hits_in(*id, &mut seeker, control)
        };
        cores::on_all(files, hire).into_iter().sum()
    }

    fn hits_in(&self, id: Id, seeker: &mut Seeker, control: &Control) -> u64 {
        let file = self.path(id).and_then(|path| doors::file_in(&self.tree, path));
        let searched = file.map(|file| {
            let end = file.end();
            seeker.search(file, end, control)
        });
        match searched {
            Some(Searched::Text(found)) => found.total,
            _ => 0,
        }
    }

    /// The files that may have changed, as far as `check` looks.
    pub fn changed(&self, check: Check) -> Vec<Id> {
        let look = |directory: &Directory| self.changed_in(directory, check);
        cores::on_all(&self.directories, || look).concat()
    }

    fn changed_in(&self, directory: &Directory, check: Check) -> Vec<Id> {
        let Some(handle) = doors::directory_in(&self.tree, &directory.path) else {
            return directory.files.clone();
        };
        if stamp_of(handle.as_fd(), OsStr::new("")) != Some(directory.stamp) {
            return directory.files.clone();
        }
        let differs = |id: &&Id| {
            let file = &self.files[**id as usize];
            stamp_of(handle.as_fd(), name_of(&file.path)) != Some(file.stamp)
        };
        match check {
            Check::Directories => Vec::new(),
            Check::Everything => directory.files.iter().filter(differs).copied().collect(),
        }
    }
}

fn name_of(path: &RelativePath) -> &OsStr {
    path.as_path().file_name().unwrap_or_default()
}

/// One system call; an empty name is the directory itself.
fn stamp_of(directory: BorrowedFd<'_>, name: &OsStr) -> Option<Stamp> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH;
    let stat = statx(directory, name, flags, StatxFlags::CTIME | StatxFlags::INO).ok()?;
    let changed = stat.stx_ctime;
    Some(Stamp { inode: stat.stx_ino, seconds: changed.tv_sec, nanoseconds: changed.tv_nsec })
}
