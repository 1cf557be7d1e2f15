//! Writing a file so that every reader, crash and power cut sees the old content or the new, whole.
//!
//! A temporary in the target's own directory is written, given the old file's owner, mode and attributes, synced,
//! renamed over the target, and the directory is synced. Without that last step an acknowledged write can be lost.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{OFlags, fdatasync, fsync};
use rustix::io::Errno;

use super::access::{require_change, require_write};
use super::directory::make_path;
use super::file::{READ, RegularFile, wrong_kind};
use super::locks::{self, Held};
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
struct Target<'a> {
    place: &'a Place,
    slot: Slot,
    old: Option<Metadata>,
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
        return Err(Error::Exists { path: place.shown().to_owned() });
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

/// Add `content` to the end of the file at `place`, all of it or nothing.
pub fn append(
    place: &Place,
    content: &[u8],
    parents: Parents,
    expected: Option<&str>,
) -> Result<Written, Error> {
    let target = Target::claim_expecting(place, parents, expected)?;
    let Some(old) = &target.old else { return begin(target, content) };
    target.extend(old.size, content)
}

/// Append to a file that is not there. Another process may make it meanwhile: then there is something to append to.
fn begin(target: Target<'_>, content: &[u8]) -> Result<Written, Error> {
    match target.replace(content, WriteMode::CreateOnly) {
        Err(Error::Exists { .. }) => {
            let place = target.place;
            drop(target);
            append(place, content, Parents::Require, None)
        }
        written => written,
    }
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
    fn claim_expecting(
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
        if parents == Parents::Create {
            create_parents(place)?;
        }
        let slot = place.root().target_slot(place.path()).map_err(|fault| place.fail(fault))?;
        let held = locks::hold(&[slot.entry()]).map_err(|errno| place.fail(errno.into()))?;
        require_change(slot.dir.as_fd()).map_err(|errno| place.fail(errno.into()))?;
        let old = existing(place, &slot)?;
        Ok(Self { place, slot, old, _held: held })
    }

    /// How to put what was made of the old file, or of none: then there must still be none.
    fn expects(&self) -> WriteMode {
        if self.old.is_some() { WriteMode::Replace } else { WriteMode::CreateOnly }
    }

    fn fail(&self, errno: Errno) -> Error {
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

    fn replace(&self, content: &[u8], mode: WriteMode) -> Result<Written, Error> {
        let mut warnings = Vec::new();
        let metadata = self.put(content, mode, &mut warnings).map_err(|errno| self.fail(errno))?;
        self.place.sync(&self.slot.dir)?;
        Ok(Written { metadata, warnings })
    }

    fn put(
        &self,
        content: &[u8],
        mode: WriteMode,
        warnings: &mut Vec<String>,
    ) -> Result<Metadata, Errno> {
        let mut temporary = Temporary::create(self.slot.dir.as_fd())?;
        write_all(temporary.file(), content)?;
        if let Some(old) = &self.old {
            let source = linkless(self.slot.dir.as_fd(), Path::new(&self.slot.name), READ)?;
            temporary.take_after(old, source.as_fd(), warnings)?;
        }
        fsync(temporary.file())?;
        match mode {
            WriteMode::CreateOnly => temporary.link_new(&self.slot.name)?,
            WriteMode::Replace => temporary.rename_over(&self.slot.name)?,
        }
        Metadata::of_handle(temporary.file().as_fd())
    }

    /// Append in place; what a full disk cut short is taken back.
    fn extend(&self, size: u64, content: &[u8]) -> Result<Written, Error> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NONBLOCK | OFlags::NOCTTY;
        let handle = linkless(self.slot.dir.as_fd(), Path::new(&self.slot.name), flags)
            .map_err(|errno| self.fail(errno))?;
        let file = File::from(handle);
        let append = || -> Result<Metadata, Errno> {
            write_all(&file, content)?;
            fdatasync(&file)?;
            Metadata::of_handle(file.as_fd())
        };
        let metadata = append().map_err(|errno| {
            let taken_back = file.set_len(size);
            taken_back.map_or_else(|_| self.unknown(errno), |()| self.fail(errno))
        })?;
        Ok(Written { metadata, warnings: Vec::new() })
    }

    fn unknown(&self, errno: Errno) -> Error {
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

pub(super) fn create_parents(place: &Place) -> Result<(), Error> {
    let fill = || -> Result<(), Fault> {
        let real = place.root().retrying(|| place.root().expand(place.path()))?;
        let (parent, _) = real.split_last().ok_or(Errno::ISDIR)?;
        make_path(place.root(), &parent, Parents::Create).map(drop)
    };
    fill().map_err(|fault| match fault {
        Fault::Os(Errno::NOTDIR | Errno::EXIST) => Error::Refused(format!(
            "a parent of the path is a file, not a directory: {}",
            place.shown()
        )),
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
