//! Removing temporaries that a killed server left behind: those that nobody holds locked.

use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, FlockOperation, flock, unlinkat};
use rustix::io::Errno;

use super::directory::entries;
use super::file::READ;
use super::metadata::Kind;
use super::path::RelativePath;
use super::resolve::{DIRECTORY, Slot, linkless};
use super::root::Root;
use super::temporary::is_temporary;
use super::uproot::remove_tree;
use crate::control::Control;

/// Remove dead temporaries anywhere beneath `root`, telling how many directories were looked at; how many there were.
pub fn sweep(root: &Root, control: &Control) -> usize {
    let mut pending = vec![RelativePath::default()];
    let mut removed = 0;
    while let Some(path) = pending.pop() {
        // What can not be read now is swept another time.
        removed += sweep_directory(root, &path, &mut pending).unwrap_or(0);
        control.advance(1);
    }
    removed
}

/// Remove dead temporaries in the top directory of `root` alone.
pub(super) fn sweep_top(root: &Root) {
    // What can not be read now is swept another time.
    let _ = sweep_directory(root, &RelativePath::default(), &mut Vec::new());
}

fn sweep_directory(
    root: &Root,
    path: &RelativePath,
    pending: &mut Vec<RelativePath>,
) -> Result<usize, Errno> {
    let dir = linkless(root.handle(), path.as_path(), DIRECTORY)?;
    let mut removed = 0;
    for (name, kind) in entries(dir.as_fd())? {
        if is_temporary(name.as_encoded_bytes()) {
            removed += usize::from(remove_if_dead(dir.as_fd(), Path::new(&name), kind));
        } else if kind == Kind::Directory {
            pending.push(path.join(&name));
        }
    }
    Ok(removed)
}

fn remove_if_dead(dir: std::os::fd::BorrowedFd<'_>, name: &Path, kind: Kind) -> bool {
    let Ok(file) = linkless(dir, name, READ) else { return false };
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return false;
    }
    match kind {
        Kind::File => unlinkat(dir, name, AtFlags::empty()).is_ok(),
        Kind::Directory => remove_dead_tree(dir, name),
        _ => false,
    }
}

fn remove_dead_tree(dir: std::os::fd::BorrowedFd<'_>, name: &Path) -> bool {
    let Ok(dir) = dir.try_clone_to_owned() else { return false };
    remove_tree(&Slot { dir, name: name.into() }, &Control::default()).is_ok()
}
