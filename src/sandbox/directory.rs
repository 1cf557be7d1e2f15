//! Directories: listing one, and making one with its parents.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags, RawDir, mkdirat};
use rustix::io::Errno;

use super::file::wrong_kind;
use super::made::Made;
use super::metadata::{Kind, Metadata, stat_of_link};
use super::path::RelativePath;
use super::place::Place;
use super::replace::Parents;
use super::resolve::{DIRECTORY, Fault, linkless};
use super::root::Root;
use crate::control::Control;
use crate::error::Error;

/// Bytes of names that are asked for at once.
const NAMES: usize = 64 << 10;

/// One entry of a listing.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Its name.
    pub name: OsString,
    /// What is known of it; a link is itself.
    pub metadata: Metadata,
    /// For a link: what it points to, or `None` where that is nothing.
    pub target: Option<LinkTarget>,
}

/// Where a link in a listing leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkTarget {
    /// To something inside the root.
    Inside(Kind),
    /// Out of the root.
    External,
}

impl LinkTarget {
    /// The word for answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inside(kind) => kind.name(),
            Self::External => "external",
        }
    }
}

/// The entries of the directory at `place`, sorted by name.
pub fn list(place: &Place, control: &Control) -> Result<Vec<Listed>, Error> {
    let (dir, real) = open_directory(place)?;
    let names = entries(dir.as_fd()).map_err(|errno| place.fail(errno.into()))?;
    let mut listed = Vec::with_capacity(names.len());
    for (name, _) in names {
        control.check()?;
        let path = real.join(&name);
        if place.root().hides(&path) {
            continue;
        }
        match Metadata::of_entry(dir.as_fd(), &name) {
            Ok(metadata) => listed.push(describe(place.root(), &path, name, metadata)),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(place.fail(errno.into())),
        }
    }
    listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(listed)
}

fn describe(root: &Root, path: &RelativePath, name: OsString, metadata: Metadata) -> Listed {
    let target = (metadata.kind == Kind::Symlink).then(|| link_target(root, path)).flatten();
    Listed { name, metadata, target }
}

fn link_target(root: &Root, path: &RelativePath) -> Option<LinkTarget> {
    match root.open_at(path, OFlags::PATH | OFlags::CLOEXEC) {
        Ok(handle) => Metadata::of_handle(handle.as_fd()).ok().map(|m| LinkTarget::Inside(m.kind)),
        Err(Fault::Outside { manner: crate::error::Manner::Loop, .. }) => None,
        Err(Fault::Outside { .. }) => Some(LinkTarget::External),
        Err(_) => None,
    }
}

/// Open the directory at `place`, and tell where it really is.
pub(super) fn open_directory(place: &Place) -> Result<(OwnedFd, RelativePath), Error> {
    let root = place.root();
    let opened = match root.denies_anything() {
        true => root.open_real(place.path(), DIRECTORY),
        // Nothing is denied: how it is called is as good as where it is.
        false => root.open_at(place.path(), DIRECTORY).map(|dir| (dir, place.path().clone())),
    };
    opened.map_err(|fault| match fault {
        Fault::Os(Errno::NOTDIR) => not_a_directory(place),
        other => place.fail(other),
    })
}

/// `ENOTDIR` says either that this is no directory or that something on the way is none.
fn not_a_directory(place: &Place) -> Error {
    match super::metadata::inspect(place) {
        Ok(metadata) => wrong_kind(place, metadata.kind),
        Err(error) => error,
    }
}

/// Names and kinds in a directory, in no order; a kind the filesystem does not tell is asked for.
pub(super) fn entries(dir: BorrowedFd<'_>) -> Result<Vec<(OsString, Kind)>, Errno> {
    let mut found = Vec::new();
    each_entry(dir, |name, kind| found.push((name.to_os_string(), kind)))?;
    Ok(found)
}

/// The same, one by one and without a copy of the name.
pub(super) fn each_entry(
    dir: BorrowedFd<'_>,
    mut visit: impl FnMut(&OsStr, Kind),
) -> Result<(), Errno> {
    thread_local! {
        // A walk reads thousands of directories one after the other.
        static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    }
    let mut buffer = BUFFER.take();
    buffer.reserve(NAMES);
    let mut raw = RawDir::new(dir, buffer.spare_capacity_mut());
    while let Some(entry) = raw.next() {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            visit(name, kind_of(dir, name, entry.file_type()));
        }
    }
    BUFFER.set(buffer);
    Ok(())
}

fn kind_of(dir: BorrowedFd<'_>, name: &OsStr, file_type: FileType) -> Kind {
    match file_type {
        FileType::Unknown => Metadata::of_entry(dir, name).map_or(Kind::Device, |m| m.kind),
        known => Kind::of(known),
    }
}

/// Make the directory at `place`, and every missing one above it if `parents` says so; whether it was new. On failure
/// none was made.
pub fn create_directory(place: &Place, parents: Parents) -> Result<bool, Error> {
    match make_path(place.root(), place.path(), parents) {
        Ok(made) => Ok(made.keep()),
        Err(Fault::Os(Errno::NOTDIR | Errno::EXIST)) => Err(in_the_way(place)),
        Err(other) => Err(place.fail(other)),
    }
}

/// A file has the name, or stands where a parent should.
fn in_the_way(place: &Place) -> Error {
    match stat_of_link(place) {
        Ok(_) => wrong_kind(place, Kind::File),
        Err(_) => parent_is_a_file(place),
    }
}

/// The failure to make a directory on the way.
pub(super) fn parent_is_a_file(place: &Place) -> Error {
    let path = place.shown();
    Error::Refused(format!("a parent of the path is a file, not a directory: {path}"))
}

/// Make the directory at `path` where it is missing; what was made.
pub(super) fn make_path(
    root: &Arc<Root>,
    path: &RelativePath,
    parents: Parents,
) -> Result<Made, Fault> {
    root.retrying(|| {
        let real = root.expand(path)?;
        // What has to be there is opened in one piece, the rest name by name.
        let mut here = match parents {
            Parents::Create => RelativePath::default(),
            Parents::Require => real.split_last().map(|(above, _)| above).unwrap_or_default(),
        };
        let mut made = Made::nothing(root);
        let mut dir = linkless(root.handle(), here.as_path(), DIRECTORY)?;
        for name in real.names().skip(here.names().count()) {
            here = here.join(name);
            dir = enter(dir.as_fd(), name, || made.note(here.clone()))?;
        }
        Ok(made)
    })
}

/// The directory `name` in `dir`, made if it is missing.
fn enter(dir: BorrowedFd<'_>, name: &OsStr, mut note: impl FnMut()) -> Result<OwnedFd, Errno> {
    let open = || linkless(dir, Path::new(name), DIRECTORY);
    match open() {
        Err(Errno::NOENT) => {}
        other => return other,
    }
    match mkdirat(dir, name, Mode::from_raw_mode(0o777)) {
        Ok(()) => {
            note();
            rustix::fs::fsync(dir)?;
        }
        Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno),
    }
    open()
}

/// The visible names in the directory at `place`, or `None` when it can not be listed or has more than `most`.
pub fn names(place: &Place, most: usize) -> Option<Vec<String>> {
    let (dir, real) = open_directory(place).ok()?;
    let found = entries(dir.as_fd()).ok().filter(|found| found.len() <= most)?;
    let visible = found.into_iter().filter(|(name, _)| !place.root().hides(&real.join(name)));
    Some(visible.filter_map(|(name, _)| name.into_string().ok()).collect())
}
