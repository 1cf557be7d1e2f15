//! Emptying a directory, deepest entries first, by handles, at any depth, entering no link.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;

use super::directory::entries;
use super::metadata::Kind;
use super::path::RelativePath;
use super::remove::Stop;
use super::resolve::{DIRECTORY, Slot, linkless};
use crate::control::Control;
use crate::limits::MAX_TRIES;

/// Handles held at once on the way down; directories further up are opened again when their turn comes.
const HELD: usize = 32;

/// A directory whose sub-directories are being removed.
struct Frame {
    path: RelativePath,
    handle: Option<OwnedFd>,
    below: Vec<OsString>,
}

/// What an entry that can not be removed does to the rest.
pub(super) enum Trouble {
    /// The rest stays.
    Stops,
    /// It is noted, and the rest goes.
    IsNoted(Vec<(RelativePath, Errno)>),
}

impl Trouble {
    /// Note a failure at `path`, or stop.
    fn meet(&mut self, path: &RelativePath, errno: Errno) -> Result<(), Stop> {
        match self {
            Self::Stops => Err(errno.into()),
            Self::IsNoted(noted) => {
                noted.push((path.clone(), errno));
                Ok(())
            }
        }
    }

    /// Whether something at or beneath `path` is known to stay.
    fn keeps(&self, path: &RelativePath) -> bool {
        match self {
            Self::Stops => false,
            Self::IsNoted(noted) => noted.iter().any(|(left, _)| left.is_within(path)),
        }
    }

    fn into_noted(self) -> Vec<(RelativePath, Errno)> {
        match self {
            Self::Stops => Vec::new(),
            Self::IsNoted(noted) => noted,
        }
    }
}

/// Remove the directory in `slot` and all beneath it.
pub(super) fn remove_tree(slot: &Slot, control: &Control) -> Result<(), Stop> {
    remove_noting(slot, Trouble::Stops, control).map(drop)
}

/// Remove the directory in `slot` and all beneath it; what is left, if trouble is noted.
pub(super) fn remove_noting(
    slot: &Slot,
    trouble: Trouble,
    control: &Control,
) -> Result<Vec<(RelativePath, Errno)>, Stop> {
    let mut trouble = trouble;
    let top = RelativePath::default();
    for _ in 0..MAX_TRIES {
        let base = match linkless(slot.dir.as_fd(), Path::new(&slot.name), DIRECTORY) {
            Ok(base) => base,
            Err(errno) => {
                trouble.meet(&top, errno)?;
                return Ok(trouble.into_noted());
            }
        };
        Removal { base: base.as_fd(), control, trouble: &mut trouble }.empty()?;
        match unlinkat(&slot.dir, &slot.name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) if trouble.keeps(&top) => {
                return Ok(trouble.into_noted());
            }
            // Someone put something in meanwhile.
            Err(Errno::NOTEMPTY | Errno::EXIST) => continue,
            Ok(()) => control.advance(1),
            Err(errno) => trouble.meet(&top, errno)?,
        }
        return Ok(trouble.into_noted());
    }
    Err(Stop::Os(Errno::NOTEMPTY))
}

/// The removal of all that is beneath a directory.
struct Removal<'a> {
    base: BorrowedFd<'a>,
    control: &'a Control,
    trouble: &'a mut Trouble,
}

impl Removal<'_> {
    /// Remove everything, deepest first.
    fn empty(&mut self) -> Result<(), Stop> {
        let mut stack = Vec::new();
        self.enter(RelativePath::default(), &mut stack)?;
        while let Some(frame) = stack.last_mut() {
            match frame.below.pop() {
                Some(name) => {
                    let path = frame.path.join(&name);
                    self.enter(path, &mut stack)?;
                    forget_distant(&mut stack);
                }
                None => self.leave(&mut stack)?,
            }
        }
        Ok(())
    }

    /// Open a directory and unlink all in it that is not a directory.
    fn enter(&mut self, path: RelativePath, stack: &mut Vec<Frame>) -> Result<(), Stop> {
        match open_and_list(self.base, &path) {
            Ok((handle, found)) => {
                let below = self.unlink_all(handle.as_fd(), &path, found)?;
                stack.push(Frame { path, handle: Some(handle), below });
                Ok(())
            }
            Err(errno) => self.trouble.meet(&path, errno),
        }
    }

    /// Unlink what is no directory; the names of those that are.
    fn unlink_all(
        &mut self,
        dir: BorrowedFd<'_>,
        path: &RelativePath,
        found: Vec<(OsString, Kind)>,
    ) -> Result<Vec<OsString>, Stop> {
        let mut below = Vec::new();
        for (name, kind) in found {
            self.control.check()?;
            if kind == Kind::Directory {
                below.push(name);
                continue;
            }
            match unlink(dir, &name, &mut below) {
                Ok(()) => self.control.advance(1),
                Err(errno) => self.trouble.meet(&path.join(&name), errno)?,
            }
        }
        Ok(below)
    }

    /// Remove the emptied directory on top of the stack from its parent.
    fn leave(&mut self, stack: &mut Vec<Frame>) -> Result<(), Stop> {
        let Some(done) = stack.pop() else { return Ok(()) };
        let (Some(parent), Some((_, name))) = (stack.last_mut(), done.path.split_last()) else {
            return Ok(());
        };
        match parent.unlink_directory(self.base, &name) {
            Ok(()) => self.control.advance(1),
            Err(Errno::NOENT) => {}
            Err(Errno::NOTEMPTY | Errno::EXIST) if self.trouble.keeps(&done.path) => {}
            Err(Errno::NOTEMPTY | Errno::EXIST) => parent.below.push(name),
            Err(errno) => self.trouble.meet(&done.path, errno)?,
        }
        Ok(())
    }
}

impl Frame {
    fn unlink_directory(&mut self, base: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
        if self.handle.is_none() {
            self.handle = Some(linkless(base, self.path.as_path(), DIRECTORY)?);
        }
        let handle = self.handle.as_ref().ok_or(Errno::BADF)?;
        unlinkat(handle, name, AtFlags::REMOVEDIR)
    }
}

fn open_and_list(
    base: BorrowedFd<'_>,
    path: &RelativePath,
) -> Result<(OwnedFd, Vec<(OsString, Kind)>), Errno> {
    let handle = linkless(base, path.as_path(), DIRECTORY)?;
    let found = entries(handle.as_fd())?;
    Ok((handle, found))
}

fn forget_distant(stack: &mut [Frame]) {
    if let Some(distant) = stack.len().checked_sub(HELD + 1) {
        stack[distant].handle = None;
    }
}

/// Unlink an entry; one that turned into a directory meanwhile is entered later.
fn unlink(dir: BorrowedFd<'_>, name: &OsStr, below: &mut Vec<OsString>) -> Result<(), Errno> {
    match unlinkat(dir, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(Errno::ISDIR) => {
            below.push(name.to_os_string());
            Ok(())
        }
        Err(errno) => Err(errno),
    }
}
