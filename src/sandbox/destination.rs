//! Where a copy or a move ends up: into a directory, over a file, or at a free name, never into itself.

use std::ffi::OsString;
use std::os::fd::AsFd;

use rustix::io::Errno;

use super::access::{require_change, require_write};
use super::copy::{CopyOptions, IfDirectory, IfExists};
use super::file::wrong_kind;
use super::made::Made;
use super::metadata::{Kind, Metadata, inspect};
use super::path::RelativePath;
use super::place::Place;
use super::replace::create_parents;
use super::resolve::{Fault, Slot};
use crate::error::Error;

/// The entry that a copy or move fills.
pub(super) struct Destination<'a> {
    /// What the client asked for, for messages.
    pub(super) place: &'a Place,
    /// The entry.
    pub(super) slot: Slot,
    /// What is there now.
    pub(super) existing: Option<Metadata>,
    path: RelativePath,
    /// Where that really is.
    real: RelativePath,
    made: Made,
}

impl<'a> Destination<'a> {
    /// Find the entry, make its parents, and refuse what would lose or loop.
    pub(super) fn claim(
        source: &Place,
        metadata: &Metadata,
        dest: &'a Place,
        options: CopyOptions,
    ) -> Result<Self, Error> {
        let effective = effective(source, dest, options.if_directory)?;
        refuse_itself(source, metadata, &effective)?;
        let made = create_parents(&effective)?;
        let slot =
            effective.root().target_slot(effective.path()).map_err(|fault| dest.fail(fault))?;
        require_change(slot.dir.as_fd()).map_err(|errno| dest.fail(errno.into()))?;
        let existing = match Metadata::of_entry(slot.dir.as_fd(), &slot.name) {
            Ok(metadata) => Some(metadata),
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(dest.fail(Fault::Os(errno))),
        };
        refuse_clash(metadata.kind, source, existing.as_ref(), dest, &effective, options)?;
        if existing.as_ref().is_some_and(|existing| existing.kind == Kind::File) {
            require_write(&slot).map_err(|errno| dest.fail(errno.into()))?;
        }
        let real = effective.resolved()?;
        Ok(Self { place: dest, slot, existing, path: effective.path().clone(), real, made })
    }

    /// Whether the operator hides `path` beneath it.
    pub(super) fn hides(&self, path: &RelativePath) -> bool {
        self.place.root().hides(&self.real.append(path))
    }

    pub(super) fn shown(&self) -> String {
        self.path.shown()
    }

    /// The entry is there: the directories that were made for it stay.
    pub(super) fn keep(&self) {
        self.made.keep();
    }

    /// Make the entry durable, now that it is there.
    pub(super) fn sync(&self) -> Result<(), Error> {
        self.keep();
        self.place.sync(&self.slot.dir)
    }
}

/// The destination itself, or the entry in it when it is a directory to go into.
fn effective(source: &Place, dest: &Place, if_directory: IfDirectory) -> Result<Place, Error> {
    let is_directory = match inspect(dest) {
        Ok(metadata) => metadata.kind == Kind::Directory,
        Err(Error::NotFound { .. }) => false,
        Err(error) => return Err(error),
    };
    match if_directory {
        IfDirectory::Into if is_directory => Ok(dest.entry(&own_name(source))),
        _ if dest.path().is_top() => {
            Err(Error::Refused("the destination is the root itself; name an entry in it".into()))
        }
        _ => Ok(dest.clone()),
    }
}

/// The last name of a path; the root goes by its name.
fn own_name(place: &Place) -> OsString {
    place.path().split_last().map_or_else(|| place.root().name().into(), |(_, name)| name)
}

/// A thing is not copied onto itself, nor a directory into itself.
fn refuse_itself(source: &Place, metadata: &Metadata, dest: &Place) -> Result<(), Error> {
    let mut path = dest.path().clone();
    let mut own = true;
    loop {
        let found = dest.root().open_at(&path, rustix::fs::OFlags::PATH);
        let same = found.ok().and_then(|handle| Metadata::of_handle(handle.as_fd()).ok());
        if same.is_some_and(|found| found.identity == metadata.identity) {
            return Err(Error::Refused(match own {
                true => format!("source and destination are the same: {}", source.shown()),
                false => {
                    format!("the destination lies inside the source directory: {}", source.shown())
                }
            }));
        }
        match path.split_last() {
            Some((parent, _)) if metadata.kind == Kind::Directory => (path, own) = (parent, false),
            _ => return Ok(()),
        }
    }
}

fn refuse_clash(
    kind: Kind,
    source: &Place,
    existing: Option<&Metadata>,
    dest: &Place,
    effective: &Place,
    options: CopyOptions,
) -> Result<(), Error> {
    let Some(existing) = existing else { return Ok(()) };
    let path = effective.display();
    if options.if_exists == IfExists::Refuse {
        let instead = instead_of_replacing(kind, existing.kind, effective, source);
        return Err(Error::Exists { path: dest.shown().to_owned(), instead });
    }
    if !matches!(existing.kind, Kind::File | Kind::Directory | Kind::Symlink) {
        return Err(wrong_kind(effective, existing.kind));
    }
    match (kind == Kind::Directory, existing.kind == Kind::Directory) {
        (true, false) => Err(Error::Refused(format!(
            "destination exists as a file: {path}; remove it first or choose another destination"
        ))),
        (false, true) => Err(Error::Refused(format!(
            "destination exists as a directory: {path}; {}",
            go_into(effective, source)
        ))),
        _ => Ok(()),
    }
}

/// What to do about something that is there, when replacing it would be refused too or is more than a replacement.
fn instead_of_replacing(
    kind: Kind,
    existing: Kind,
    dest: &Place,
    source: &Place,
) -> Option<String> {
    match (kind == Kind::Directory, existing == Kind::Directory) {
        (true, false) => {
            Some("a file has this name; delete it first or choose another destination".into())
        }
        (false, true) => Some(format!("it is a directory; {}", go_into(dest, source))),
        (true, true) => Some("it is a directory; use overwrite=true to merge into it".into()),
        (false, false) => None,
    }
}

fn go_into(dest: &Place, source: &Place) -> String {
    let inside = dest.entry(&own_name(source)).display();
    format!("to put the file into it, use the destination {inside}")
}
