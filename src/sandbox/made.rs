//! Directories made on the way to something that may yet fail: then they go again.

use std::cell::Cell;
use std::os::fd::AsFd;
use std::sync::Arc;

use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;

use super::path::RelativePath;
use super::resolve::{DIRECTORY, linkless};
use super::root::Root;

/// Directories that are removed when this is dropped, unless they are kept.
pub(super) struct Made {
    root: Arc<Root>,
    paths: Cell<Vec<RelativePath>>,
}

impl Made {
    /// None so far.
    pub(super) fn nothing(root: &Arc<Root>) -> Self {
        Self { root: root.clone(), paths: Cell::default() }
    }

    /// One more, inside of those before it.
    pub(super) fn note(&mut self, path: RelativePath) {
        self.paths.get_mut().push(path);
    }

    /// What they were made for is there: they stay. Whether there were any.
    pub(super) fn keep(&self) -> bool {
        !self.paths.take().is_empty()
    }

    fn remove(&self, path: &RelativePath) -> Result<(), Errno> {
        let (parent, name) = path.split_last().ok_or(Errno::BUSY)?;
        let dir = linkless(self.root.handle(), parent.as_path(), DIRECTORY)?;
        unlinkat(dir.as_fd(), &name, AtFlags::REMOVEDIR)
    }
}

impl Drop for Made {
    /// One into which someone else has put something stays, and so do those above it.
    fn drop(&mut self) {
        let paths = self.paths.take();
        let _ = paths.iter().rev().try_for_each(|path| self.remove(path));
    }
}
