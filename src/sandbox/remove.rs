//! Removing: one entry, or a whole tree by handles, at any depth, entering no link.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, fsync, unlinkat};
use rustix::io::Errno;

use super::directory::entries;
use super::file::wrong_kind;
use super::metadata::{Kind, Metadata};
use super::path::RelativePath;
use super::place::Place;
use super::resolve::{DIRECTORY, Fault, Slot, linkless};
use super::root::Root;
use crate::control::Control;
use crate::error::Error;
use crate::limits::MAX_TRIES;

/// Handles held at once on the way down; directories further up are opened again when their turn comes.
const HELD: usize = 32;

/// Remove the file or link at `place`; what it was.
pub fn remove_entry(place: &Place) -> Result<Kind, Error> {
    if place.path().is_top() {
        return Err(wrong_kind(place, Kind::Directory));
    }
    let slot = place.root().slot(place.path()).map_err(|fault| place.fail(fault))?;
    let remove = || -> Result<Kind, Errno> {
        let kind = Metadata::of_entry(slot.dir.as_fd(), &slot.name)?.kind;
        if kind != Kind::Directory {
            unlinkat(&slot.dir, &slot.name, AtFlags::empty())?;
            fsync(&slot.dir)?;
        }
        Ok(kind)
    };
    match remove().map_err(|errno| place.fail(errno.into()))? {
        Kind::Directory => Err(wrong_kind(place, Kind::Directory)),
        kind => Ok(kind),
    }
}

/// Remove the directory at `place`; with `recursive` all that is in it too.
pub fn remove_directory(place: &Place, recursive: bool, control: &Control) -> Result<(), Error> {
    if place.path().is_top() {
        return Err(Error::Refused("cannot remove root directory".into()));
    }
    let slot = place.root().slot(place.path()).map_err(|fault| place.fail(fault))?;
    let kind = Metadata::of_entry(slot.dir.as_fd(), &slot.name)
        .map_err(|errno| place.fail(errno.into()))?
        .kind;
    if kind != Kind::Directory {
        return Err(wrong_kind(place, kind));
    }
    if recursive {
        refuse_hidden(place, control)?;
        remove_tree(&slot, control).map_err(|stop| stop.of(place))?;
    } else {
        unlinkat(&slot.dir, &slot.name, AtFlags::REMOVEDIR)
            .map_err(|errno| place.fail(errno.into()))?;
    }
    fsync(&slot.dir).map_err(|errno| place.fail(errno.into()))
}

/// Why a tree operation ended early.
pub(super) enum Stop {
    Halted(crate::control::Halt),
    Os(Errno),
}

impl Stop {
    pub(super) fn of(self, place: &Place) -> Error {
        match self {
            Self::Halted(halt) => halt.into(),
            Self::Os(errno) => place.fail(errno.into()),
        }
    }
}

impl From<Errno> for Stop {
    fn from(errno: Errno) -> Self {
        Self::Os(errno)
    }
}

impl From<crate::control::Halt> for Stop {
    fn from(halt: crate::control::Halt) -> Self {
        Self::Halted(halt)
    }
}

/// A tree that holds something the operator hides is not removed or moved.
pub(super) fn refuse_hidden(place: &Place, control: &Control) -> Result<(), Error> {
    if !place.root().denies_anything() {
        return Ok(());
    }
    let look = || -> Result<bool, Fault> {
        let real = place.root().expand(place.path())?;
        let mut pending = vec![real];
        while let Some(path) = pending.pop() {
            if control.check().is_err() {
                return Ok(false);
            }
            if hides_an_entry(place.root(), &path, &mut pending)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    match look().map_err(|fault| place.fail(fault))? {
        true => Err(Error::Denied { path: place.shown().to_owned() }),
        false => Ok(control.check()?),
    }
}

fn hides_an_entry(
    root: &Root,
    path: &RelativePath,
    pending: &mut Vec<RelativePath>,
) -> Result<bool, Errno> {
    let dir = linkless(root.handle(), path.as_path(), DIRECTORY)?;
    for (name, kind) in entries(dir.as_fd())? {
        let entry = path.join(&name);
        if root.hides(&entry) {
            return Ok(true);
        }
        if kind == Kind::Directory {
            pending.push(entry);
        }
    }
    Ok(false)
}

/// A directory whose sub-directories are being removed.
struct Frame {
    path: RelativePath,
    handle: Option<OwnedFd>,
    below: Vec<OsString>,
}

/// Remove the directory in `slot` and all beneath it.
pub(super) fn remove_tree(slot: &Slot, control: &Control) -> Result<(), Stop> {
    for _ in 0..MAX_TRIES {
        let base = linkless(slot.dir.as_fd(), Path::new(&slot.name), DIRECTORY)?;
        empty(base.as_fd(), control)?;
        match unlinkat(&slot.dir, &slot.name, AtFlags::REMOVEDIR) {
            // Someone put something in meanwhile.
            Err(Errno::NOTEMPTY | Errno::EXIST) => continue,
            other => return Ok(other?),
        }
    }
    Err(Stop::Os(Errno::NOTEMPTY))
}

/// Remove everything beneath `base`, deepest first.
fn empty(base: BorrowedFd<'_>, control: &Control) -> Result<(), Stop> {
    let mut stack = vec![enter(base, RelativePath::default(), control)?];
    while let Some(frame) = stack.last_mut() {
        match frame.below.pop() {
            Some(name) => {
                let next = enter(base, frame.path.join(&name), control)?;
                stack.push(next);
                forget_distant(&mut stack);
            }
            None => leave(base, &mut stack)?,
        }
    }
    Ok(())
}

fn forget_distant(stack: &mut [Frame]) {
    if let Some(distant) = stack.len().checked_sub(HELD + 1) {
        stack[distant].handle = None;
    }
}

/// Open a directory and unlink all in it that is not a directory.
fn enter(base: BorrowedFd<'_>, path: RelativePath, control: &Control) -> Result<Frame, Stop> {
    let handle = linkless(base, path.as_path(), DIRECTORY)?;
    let mut below = Vec::new();
    for (name, kind) in entries(handle.as_fd())? {
        control.check()?;
        if kind == Kind::Directory {
            below.push(name);
        } else {
            unlink(handle.as_fd(), &name, &mut below)?;
            control.advance(1);
        }
    }
    Ok(Frame { path, handle: Some(handle), below })
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

/// Remove the emptied directory on top of the stack from its parent.
fn leave(base: BorrowedFd<'_>, stack: &mut Vec<Frame>) -> Result<(), Stop> {
    let Some(done) = stack.pop() else { return Ok(()) };
    let (Some(parent), Some((_, name))) = (stack.last_mut(), done.path.split_last()) else {
        return Ok(());
    };
    if parent.handle.is_none() {
        parent.handle = Some(linkless(base, parent.path.as_path(), DIRECTORY)?);
    }
    let handle = parent.handle.as_ref().ok_or(Errno::BADF)?;
    match unlinkat(handle, &name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(Errno::NOTEMPTY | Errno::EXIST) => {
            parent.below.push(name);
            Ok(())
        }
        Err(errno) => Err(errno.into()),
    }
}
