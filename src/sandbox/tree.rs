//! Where a walk starts: a directory held open, and what can be reached from it without following a link.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::directory::open_directory;
use super::file::{End, READ, RegularFile, ScanFile};
use super::metadata::{Kind, Metadata};
use super::path::RelativePath;
use super::place::Place;
use super::resolve::{DIRECTORY, linkless, linkless_same_filesystem};
use super::root::{Root, is_local};
use super::temporary::is_temporary;
use super::walk::Entry;
use crate::error::Error;

/// A directory held open for a walk.
#[derive(Debug)]
pub struct Tree {
    root: Arc<Root>,
    handle: OwnedFd,
    /// The start's path from the root, without links: what deny globs are matched on.
    real: RelativePath,
    /// Whether it lies on a filesystem that cuts no reads short.
    is_local: bool,
}

impl Tree {
    /// Open the directory at `place` for a walk.
    pub fn open(place: &Place) -> Result<Self, Error> {
        let (handle, real) = open_directory(place)?;
        let is_local = is_local(handle.as_fd());
        Ok(Self { root: place.root().clone(), handle, real, is_local })
    }

    /// What is known of an entry of this walk.
    pub fn metadata(&self, entry: &Entry) -> Option<Metadata> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = linkless(self.handle.as_fd(), entry.path.as_path(), flags).ok()?;
        Metadata::of_handle(handle.as_fd()).ok()
    }

    /// Open a file of this walk.
    pub(crate) fn open_file(&self, path: &RelativePath) -> Result<ScanFile, Errno> {
        if self.is_local {
            match linkless_same_filesystem(self.handle.as_fd(), path.as_path(), READ) {
                // A mount point lies between.
                Err(Errno::XDEV) => {}
                opened => return opened.map(|handle| ScanFile::new(handle, End::AtShortRead)),
            }
        }
        let opened = linkless(self.handle.as_fd(), path.as_path(), READ);
        opened.map(|handle| ScanFile::new(handle, End::AtEmptyRead))
    }

    /// Open a directory of this walk.
    pub(crate) fn open_directory(&self, path: &RelativePath) -> Result<OwnedFd, Errno> {
        linkless(self.handle.as_fd(), path.as_path(), DIRECTORY)
    }

    /// The text of a small file beneath the root, for ignore rules.
    pub(super) fn read_small(&self, path: &RelativePath) -> Option<Vec<u8>> {
        let handle = linkless(self.root.handle(), path.as_path(), READ).ok()?;
        let metadata = Metadata::of_handle(handle.as_fd()).ok()?;
        let mut file =
            (metadata.kind == Kind::File).then(|| RegularFile::new(handle, metadata, ""))?;
        file.read_whole(1 << 20).ok()
    }

    /// The start's path from the root.
    pub(super) fn real(&self) -> &RelativePath {
        &self.real
    }

    /// Whether the entry `name` at `path` is hidden from clients.
    pub(super) fn hides(&self, path: &RelativePath, name: &OsStr) -> bool {
        match self.root.hides_anything() {
            true => self.root.hides(&self.real.append(path)),
            false => is_temporary(name.as_encoded_bytes()),
        }
    }
}
