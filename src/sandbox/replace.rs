//! Writing a file so that every reader, crash and power cut sees the old content or the new, whole.
//!
//! A temporary in the target's own directory is written, given the old file's owner, mode and attributes, synced,
//! renamed over the target, and the directory is synced. Without that last step an acknowledged write can be lost.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::fsync;
use rustix::io::Errno;

use super::access::{require_change, require_write};
use super::directory::{make_path, parent_is_a_file};
use super::file::{READ, RegularFile, wrong_kind};
use super::locks::{self, Held, LOCKED};
use super::made::Made;
use super::metadata::{Kind, Metadata};
use super::place::{Place, words};
use super::resolve::{Fault, Slot, linkless};
use super::temporary::Temporary;
use crate::error::Error;
use crate::limits::MAX_EDIT_BYTES;
use crate::ops::hash;

pub(super) use super::temporary::is_temporary;

/// What to do when the file is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// Replace it.
    Replace,
    /// Refuse.
    CreateOnly,
}

/// What to do when the directory is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parents {
    /// Make it, and those above it.
    Create,
    /// Refuse.
    Require,
}

/// What a write did.
#[derive(Debug)]
pub struct Written {
    /// The file as it is now.
    pub metadata: Metadata,
    /// What could not be kept of the old file.
    pub warnings: Vec<String>,
}

/// A file that is about to change, held against other changes.
pub(super) struct Target<'a> {
    pub(super) place: &'a Place,
    pub(super) slot: Slot,
    pub(super) old: Option<Metadata>,
    made: Made,
    /// Whether another program keeps the file locked: then it may be extended, not replaced.
    pub(super) is_foreign: bool,
    _held: Held,
}

/// Write `content` to the file at `place`. With `expected`, the file must still have that sha256.
pub fn write(
    place: &Place,
    content: &[u8],
    mode: WriteMode,
    parents: Parents,
    expected: Option<&str>,
) -> Result<Written, Error> {
    if mode == WriteMode::CreateOnly && name_is_taken(place)? {
        return Err(Error::Exists { path: place.shown().to_owned(), instead: None });
    }
    let target = Target::claim_expecting(place, parents, expected)?;
    target.replace(content, mode)
}

/// Replace the file at `place` with what `change` makes of its content (`None` when it is missing).
/// `change` gives `None` to leave the file alone.
pub fn update(
    place: &Place,
    expected: Option<&str>,
    change: impl FnOnce(Option<Vec<u8>>) -> Result<Option<Vec<u8>>, Error>,
) -> Result<Option<Written>, Error> {
    match Target::claim(place, Parents::Require) {
        Err(Error::NotFound { .. }) => update_missing(place, expected, change),
        claimed => {
            let target = claimed?;
            target.require_hash(expected)?;
            let content = change(target.read()?)?;
            content.map(|content| target.replace(&content, target.expects())).transpose()
        }
    }
}

/// Not even the directory is there: it is made only when there is something to put into it.
fn update_missing(
    place: &Place,
    expected: Option<&str>,
    change: impl FnOnce(Option<Vec<u8>>) -> Result<Option<Vec<u8>>, Error>,
) -> Result<Option<Written>, Error> {
    if expected.is_some() {
        return Err(Error::Changed { path: place.shown().to_owned(), actual: None });
    }
    let content = change(None)?;
    content
        .map(|content| write(place, &content, WriteMode::CreateOnly, Parents::Create, None))
        .transpose()
}

/// Whether anything has the name already, be it a link that leads nowhere.
fn name_is_taken(place: &Place) -> Result<bool, Error> {
    match super::metadata::stat_of_link(place) {
        Ok(_) => Ok(true),
        Err(Error::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

impl<'a> Target<'a> {
    /// Claim a file that must still have the sha256 `expected`, if one is given: then nothing is made before.
    pub(super) fn claim_expecting(
        place: &'a Place,
        parents: Parents,
        expected: Option<&str>,
    ) -> Result<Self, Error> {
        let Some(expected) = expected else { return Self::claim(place, parents) };
        match Self::claim(place, Parents::Require) {
            Err(Error::NotFound { .. }) => {
                Err(Error::Changed { path: place.shown().to_owned(), actual: None })
            }
            claimed => {
                claimed.and_then(|target| target.require_hash(Some(expected)).map(|()| target))
            }
        }
    }

    fn claim(place: &'a Place, parents: Parents) -> Result<Self, Error> {
        if place.path().is_top() {
            return Err(wrong_kind(place, Kind::Directory));
        }
        let made = match parents {
            Parents::Create => create_parents(place)?,
            Parents::Require => Made::nothing(place.root()),
        };
        let slot = place.root().target_slot(place.path()).map_err(|fault| place.fail(fault))?;
        let (held, is_foreign) = match locks::hold(&[slot.entry()]) {
            Err(LOCKED) => (locks::hold_here(&[slot.entry()]), true),
            held => (held, false),
        };
        let held = held.map_err(|errno| place.fail(errno.into()))?;
        require_change(slot.dir.as_fd()).map_err(|errno| place.fail(errno.into()))?;
        let old = existing(place, &slot)?;
        Ok(Self { place, slot, old, made, is_foreign, _held: held })
    }

    /// How to put what was made of the old file, or of none: then there must still be none.
    fn expects(&self) -> WriteMode {
        if self.old.is_some() { WriteMode::Replace } else { WriteMode::CreateOnly }
    }

    pub(super) fn fail(&self, errno: Errno) -> Error {
        self.place.fail(Fault::Os(errno))
    }

    fn open(&self) -> Result<RegularFile, Error> {
        let open = || -> Result<RegularFile, Errno> {
            let handle = linkless(self.slot.dir.as_fd(), Path::new(&self.slot.name), READ)?;
            let metadata = Metadata::of_handle(handle.as_fd())?;
            Ok(RegularFile::new(handle, metadata, self.place.shown()))
        };
        open().map_err(|errno| self.fail(errno))
    }

    fn read(&self) -> Result<Option<Vec<u8>>, Error> {
        self.old.as_ref().map(|_| self.open()?.read_whole(MAX_EDIT_BYTES)).transpose()
    }

    fn require_hash(&self, expected: Option<&str>) -> Result<(), Error> {
        let Some(expected) = expected else { return Ok(()) };
        let actual = match &self.old {
            Some(_) => Some(self.hash()?),
            None => None,
        };
        if actual.as_deref().is_some_and(|actual| actual.eq_ignore_ascii_case(expected)) {
            return Ok(());
        }
        Err(Error::Changed { path: self.place.shown().to_owned(), actual })
    }

    fn hash(&self) -> Result<String, Error> {
        let mut file = self.open()?;
        hash::sha256_of(&mut file).map_err(|error| file.fail(&error))
    }

    pub(super) fn replace(&self, content: &[u8], mode: WriteMode) -> Result<Written, Error> {
        let put = self.put(mode, |file| write_all(file, content));
        self.made_durable(put.map_err(|errno| self.fail(errno))?)
    }

    /// What was put in place is acknowledged once the directory is synced.
    pub(super) fn made_durable(&self, written: Written) -> Result<Written, Error> {
        self.place.sync(&self.slot.dir).map(|()| written)
    }

    /// Put a new file in place that `fill` has written.
    pub(super) fn put(
        &self,
        mode: WriteMode,
        fill: impl FnOnce(&File) -> Result<(), Errno>,
    ) -> Result<Written, Errno> {
        if self.is_foreign {
            return Err(LOCKED);
        }
        let mut temporary = Temporary::create(self.slot.dir.as_fd())?;
        fill(temporary.file())?;
        let mut warnings = Vec::new();
        if let Some(old) = &self.old {
            let source = linkless(self.slot.dir.as_fd(), Path::new(&self.slot.name), READ)?;
            temporary.take_after(old, source.as_fd(), &mut warnings)?;
        }
        fsync(temporary.file())?;
        // Looked at before it has its name: after that nothing may fail.
        let metadata = Metadata { links: 1, ..Metadata::of_handle(temporary.file().as_fd())? };
        match mode {
            WriteMode::CreateOnly => temporary.link_new(&self.slot.name)?,
            WriteMode::Replace => temporary.rename_over(&self.slot.name)?,
        }
        self.made.keep();
        Ok(Written { metadata, warnings })
    }

    pub(super) fn unknown(&self, errno: Errno) -> Error {
        Error::OutcomeUnknown { path: self.place.shown().to_owned(), reason: words(errno) }
    }
}

/// What is at the slot now; only a regular file that we may write will do.
fn existing(place: &Place, slot: &Slot) -> Result<Option<Metadata>, Error> {
    let metadata = match Metadata::of_entry(slot.dir.as_fd(), &slot.name) {
        Ok(metadata) => metadata,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(place.fail(errno.into())),
    };
    if metadata.kind != Kind::File {
        return Err(wrong_kind(place, metadata.kind));
    }
    require_write(slot).map_err(|errno| place.fail(errno.into()))?;
    Ok(Some(metadata))
}

/// Make the directories above `place` that are missing.
pub(super) fn create_parents(place: &Place) -> Result<Made, Error> {
    let fill = || -> Result<Made, Fault> {
        let real = place.root().retrying(|| place.root().expand(place.path()))?;
        let (parent, _) = real.split_last().ok_or(Errno::ISDIR)?;
        make_path(place.root(), &parent, Parents::Create)
    };
    fill().map_err(|fault| match fault {
        Fault::Os(Errno::NOTDIR | Errno::EXIST) => parent_is_a_file(place),
        other => place.fail(other),
    })
}

pub(super) fn write_all(mut file: &File, content: &[u8]) -> Result<(), Errno> {
    file.write_all(content).map_err(|error| errno_of(&error))
}

/// The number behind an error of the standard library.
pub(super) fn errno_of(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
