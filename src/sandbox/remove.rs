//! Removing: one entry, or a whole tree by handles, at any depth, entering no link.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, fsync, unlinkat};
use rustix::io::Errno;

use super::access::require_change;
use super::directory::entries;
use super::file::wrong_kind;
use super::metadata::{Kind, Metadata};
use super::path::RelativePath;
use super::place::{Place, words};
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
            require_change(slot.dir.as_fd())?;
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
    let slot = place.root().slot(place.path()).map_err(|fault| place.fail(fault))?;
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
    fsync(&slot.dir).map_err(fail)?;
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

/// What an entry that can not be removed does to the rest.
enum Trouble {
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

fn remove_noting(
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
