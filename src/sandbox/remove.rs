//! Removing: one entry, or a whole tree by handles, at any depth, entering no link.

use std::os::fd::AsFd;

use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;

use super::access::require_change;
use super::directory::entries;
use super::file::wrong_kind;
use super::locks;
use super::metadata::{Kind, Metadata};
use super::path::RelativePath;
use super::place::{Place, words};
use super::resolve::{DIRECTORY, Fault, Slot, linkless};
use super::root::Root;
use super::uproot::{Trouble, remove_noting};
use crate::control::Control;
use crate::error::Error;

/// Remove the file or link at `place`; what it was.
pub fn remove_entry(place: &Place) -> Result<Kind, Error> {
    if place.path().is_top() {
        return Err(wrong_kind(place, Kind::Directory));
    }
    let slot = place.root().slot_to_empty(place.path()).map_err(|fault| place.fail(fault))?;
    let _held = locks::hold(&[slot.entry()]).map_err(|errno| place.fail(errno.into()))?;
    let remove = || -> Result<Kind, Errno> {
        let kind = Metadata::of_entry(slot.dir.as_fd(), &slot.name)?.kind;
        if kind != Kind::Directory {
            require_change(slot.dir.as_fd())?;
            unlinkat(&slot.dir, &slot.name, AtFlags::empty())?;
        }
        Ok(kind)
    };
    match remove().map_err(|errno| place.fail(errno.into()))? {
        Kind::Directory => Err(wrong_kind(place, Kind::Directory)),
        kind => place.sync(&slot.dir).map(|()| kind),
    }
}

/// How much of a directory to remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Itself, which must be empty.
    Empty,
    /// All that is in it too, up to the first failure.
    Whole,
    /// All of it that can be removed; the rest is told.
    Possible,
}

/// Something that could not be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// From the directory that was to be removed; empty for itself.
    pub path: RelativePath,
    /// The system's words.
    pub reason: String,
}

/// Remove the directory at `place`; what is left of it, which is nothing unless `extent` is `Possible`.
pub fn remove_directory(
    place: &Place,
    extent: Extent,
    control: &Control,
) -> Result<Vec<Leftover>, Error> {
    if place.path().is_top() {
        return Err(Error::Refused("cannot remove root directory".into()));
    }
    let slot = place.root().slot_to_empty(place.path()).map_err(|fault| place.fail(fault))?;
    let fail = |errno: Errno| place.fail(errno.into());
    let kind = Metadata::of_entry(slot.dir.as_fd(), &slot.name).map_err(fail)?.kind;
    if kind != Kind::Directory {
        return Err(wrong_kind(place, kind));
    }
    require_change(slot.dir.as_fd()).map_err(fail)?;
    let left = match extent {
        Extent::Empty => {
            unlinkat(&slot.dir, &slot.name, AtFlags::REMOVEDIR).map_err(fail)?;
            Vec::new()
        }
        Extent::Whole => remove_all(place, &slot, Trouble::Stops, control)?,
        Extent::Possible => remove_all(place, &slot, Trouble::IsNoted(Vec::new()), control)?,
    };
    place.sync(&slot.dir)?;
    Ok(left)
}

fn remove_all(
    place: &Place,
    slot: &Slot,
    trouble: Trouble,
    control: &Control,
) -> Result<Vec<Leftover>, Error> {
    refuse_hidden(place, control)?;
    let started = control.done();
    let left = remove_noting(slot, trouble, control).map_err(|stop| {
        let done = control.done() - started;
        stop.of(place).after(|| format!("{done} entries were removed, the rest is still there"))
    })?;
    let told = |(path, errno)| Leftover { path, reason: words(errno) };
    Ok(left.into_iter().map(told).collect())
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

/// A tree that holds something hidden is not removed or moved.
pub(super) fn refuse_hidden(place: &Place, control: &Control) -> Result<(), Error> {
    if !place.root().hides_anything() {
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
