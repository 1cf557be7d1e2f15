//! Copying: a file, or a whole tree by handles, at any depth, entering no linked directory.
//!
//! A tree whose destination is free is built under a temporary name and appears whole or not at all.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, Mode, OFlags, Timespec, Timestamps, fchmod, fsync, futimens, mkdirat, openat, syncfs,
};
use rustix::io::Errno;

use super::destination::Destination;
use super::file::{READ, wrong_kind};
use super::graft::Graft;
use super::locks;
use super::metadata::{Kind, Metadata};
use super::path::RelativePath;
use super::place::Place;
use super::remove::Stop;
use super::replace::errno_of;
use super::resolve::{DIRECTORY, Slot, linkless};
use super::temporary::{Temporary, claim, copy_attributes, fresh_name};
use super::uproot::remove_tree;
use crate::control::Control;
use crate::error::Error;

/// Smaller files are copied through memory: fewer system calls than asking the kernel to do it.
const SMALL: u64 = 128 << 10;
/// Bytes copied between two looks at the reins.
const PIECE: u64 = 16 << 20;

/// What to do when the destination is a file that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfExists {
    /// Replace it.
    Replace,
    /// Refuse.
    Refuse,
}

/// What to do when the destination is a directory that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfDirectory {
    /// Go into it under the source's own name.
    Into,
    /// It is the destination itself.
    Itself,
}

/// What a copy keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fidelity {
    /// Content and mode, as `cp` does; links as DEC-18 says.
    Content,
    /// Everything, for a move: links as they are, times, owner, attributes.
    Everything,
}

/// How to copy.
#[derive(Debug, Clone, Copy)]
pub struct CopyOptions {
    /// A file in the way.
    pub if_exists: IfExists,
    /// A directory in the way.
    pub if_directory: IfDirectory,
    /// Whether a directory may be copied at all.
    pub recursive: bool,
}

/// What a copy did.
#[derive(Debug)]
pub struct CopyReport {
    /// Where it went, from the destination's root.
    pub destination: String,
    /// Whether a directory was copied.
    pub is_directory: bool,
    /// Bytes of file content copied.
    pub bytes: u64,
    /// Files copied.
    pub files: u64,
    /// What was left out, with the reason.
    pub skipped: Vec<(String, &'static str)>,
}

/// Copy what is at `source` to `dest`.
pub fn copy(
    source: &Place,
    dest: &Place,
    options: CopyOptions,
    control: &Control,
) -> Result<CopyReport, Error> {
    copy_with(source, dest, options, Fidelity::Content, control)
}

pub(super) fn copy_with(
    source: &Place,
    dest: &Place,
    options: CopyOptions,
    fidelity: Fidelity,
    control: &Control,
) -> Result<CopyReport, Error> {
    let opened = open_source(source)?;
    let metadata = &opened.metadata;
    match metadata.kind {
        Kind::Directory if !options.recursive => {
            return Err(Error::Refused(format!(
                "source is a directory: {}; use recursive=true",
                source.shown()
            )));
        }
        Kind::File | Kind::Directory => {}
        other => return Err(wrong_kind(source, other)),
    }
    let destination = Destination::claim(source, metadata, dest, options)?;
    let report = CopyReport {
        destination: destination.shown(),
        is_directory: metadata.kind == Kind::Directory,
        bytes: 0,
        files: 0,
        skipped: Vec::new(),
    };
    if report.is_directory {
        copy_tree(source, opened, &destination, fidelity, control, report)
    } else {
        let how = How { fidelity, sync: Sync::Each, if_exists: options.if_exists };
        copy_one(opened, &destination, how, control, report)
    }
}

/// What is copied, opened.
struct Source {
    handle: OwnedFd,
    /// Where it really is.
    real: RelativePath,
    metadata: Metadata,
}

fn open_source(source: &Place) -> Result<Source, Error> {
    let open = || -> Result<_, super::resolve::Fault> {
        let (handle, real) = source.root().open_real(source.path(), READ)?;
        let metadata = Metadata::of_handle(handle.as_fd())?;
        Ok(Source { handle, real, metadata })
    };
    open().map_err(|fault| source.fail(fault))
}

fn copy_one(
    opened: Source,
    destination: &Destination<'_>,
    how: How,
    control: &Control,
    mut report: CopyReport,
) -> Result<CopyReport, Error> {
    let held = locks::hold(&[destination.slot.entry()]);
    let _held = held.map_err(|errno| destination.place.fail(errno.into()))?;
    report.bytes = copy_held(opened, destination, how, control)?;
    report.files = 1;
    Ok(report)
}

/// Copy the file at `source`, with everything that can be kept of it, to a destination. The caller holds both.
pub(super) fn carry_held(
    source: &Place,
    destination: &Destination<'_>,
    if_exists: IfExists,
    control: &Control,
) -> Result<(), Error> {
    let how = How { fidelity: Fidelity::Everything, sync: Sync::Each, if_exists };
    copy_held(open_source(source)?, destination, how, control).map(drop)
}

/// Copy one file to a destination that the caller holds; the bytes copied.
fn copy_held(
    opened: Source,
    destination: &Destination<'_>,
    how: How,
    control: &Control,
) -> Result<u64, Error> {
    let (dir, name) = destination.slot.entry();
    let source = File::from(opened.handle);
    let copied = copy_file(&source, &opened.metadata, dir, name, how, control);
    let bytes = copied.map_err(|stop| stop.of(destination.place))?;
    destination.sync().map(|()| bytes)
}

fn copy_tree(
    source: &Place,
    opened: Source,
    destination: &Destination<'_>,
    fidelity: Fidelity,
    control: &Control,
    mut report: CopyReport,
) -> Result<CopyReport, Error> {
    let sync = if destination.existing.is_some() { Sync::Later } else { Sync::Unseen };
    let Source { handle, real, .. } = opened;
    let graft = Graft { source, handle, real, destination, fidelity, sync, control };
    let fill = |into: &OwnedFd, report: &mut CopyReport| graft.fill(into.as_fd(), report);
    let done = match destination.existing {
        Some(_) => merge(&destination.slot, fill, &mut report),
        None => build(&destination.slot, fill, &mut report),
    };
    done.map_err(|stop| {
        stop.of(destination.place).after(|| match destination.existing {
            Some(_) => format!("{} files were copied, the rest was not", report.files),
            None => "nothing was copied".into(),
        })
    })?;
    destination.sync()?;
    Ok(report)
}

/// Fill a directory that is there already.
fn merge(
    slot: &Slot,
    mut fill: impl FnMut(&OwnedFd, &mut CopyReport) -> Result<(), Stop>,
    report: &mut CopyReport,
) -> Result<(), Stop> {
    let dir = linkless(slot.dir.as_fd(), Path::new(&slot.name), DIRECTORY)?;
    fill(&dir, report)?;
    Ok(syncfs(&dir)?)
}

/// Fill a new directory under a temporary name, then give it its own.
fn build(
    slot: &Slot,
    mut fill: impl FnMut(&OwnedFd, &mut CopyReport) -> Result<(), Stop>,
    report: &mut CopyReport,
) -> Result<(), Stop> {
    let make = |name: &OsStr| {
        mkdirat(&slot.dir, name, Mode::from_raw_mode(0o777))?;
        linkless(slot.dir.as_fd(), Path::new(name), DIRECTORY)
    };
    let (dir, name) = claim(slot.dir.as_fd(), make)?;
    let built = fill(&dir, report).and_then(|()| Ok(syncfs(&dir)?)).and_then(|()| {
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        Ok(rustix::fs::renameat_with(&slot.dir, &name, &slot.dir, &slot.name, flags)?)
    });
    if built.is_err() {
        let dir = slot.dir.try_clone().map_err(|error| errno_of(&error))?;
        let _ = remove_tree(&Slot { dir, name }, &Control::default());
    }
    built
}

/// When a copied file is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sync {
    /// With its own copy.
    Each,
    /// Once for the whole tree, by whoever copies it.
    Later,
    /// Likewise, and nobody sees the tree before: the file is written where it belongs.
    Unseen,
}

/// How one file is copied.
#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    pub(super) fidelity: Fidelity,
    pub(super) sync: Sync,
    pub(super) if_exists: IfExists,
}

/// Copy one file to `name` in `dir`; the bytes copied.
pub(super) fn copy_file(
    source: &File,
    metadata: &Metadata,
    dir: BorrowedFd<'_>,
    name: &OsStr,
    how: How,
    control: &Control,
) -> Result<u64, Stop> {
    if how.sync == Sync::Unseen {
        match copy_unseen(source, metadata, dir, name, how.fidelity, control) {
            // Someone renames in the source, and the name came twice.
            Err(Stop::Os(Errno::EXIST)) => {}
            done => return done,
        }
    }
    let mut temporary = Temporary::create(dir)?;
    let bytes = pour(source, temporary.file(), metadata.size, control)?;
    match how.fidelity {
        Fidelity::Everything => keep_everything(source, metadata, temporary.file())?,
        Fidelity::Content => keep_mode(metadata, dir, name, temporary.file())?,
    }
    if how.sync == Sync::Each {
        fsync(temporary.file())?;
    }
    match how.if_exists {
        IfExists::Replace => temporary.rename_over(name)?,
        IfExists::Refuse => temporary.link_new(name)?,
    }
    Ok(bytes)
}

/// Copy into a tree that is still under its temporary name: it is dropped whole if anything fails.
fn copy_unseen(
    source: &File,
    metadata: &Metadata,
    dir: BorrowedFd<'_>,
    name: &OsStr,
    fidelity: Fidelity,
    control: &Control,
) -> Result<u64, Stop> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let copy = File::from(openat(dir, name, flags, Mode::from_raw_mode(0o600))?);
    let bytes = pour(source, &copy, metadata.size, control)?;
    match fidelity {
        Fidelity::Everything => keep_everything(source, metadata, &copy)?,
        Fidelity::Content => fchmod(&copy, Mode::from_raw_mode(metadata.mode & 0o777))?,
    }
    Ok(bytes)
}

/// A file that is replaced keeps its mode, a new one gets the source's.
fn keep_mode(
    metadata: &Metadata,
    dir: BorrowedFd<'_>,
    name: &OsStr,
    copy: &File,
) -> Result<(), Errno> {
    let mode = match Metadata::of_entry(dir, name) {
        Ok(old) if old.kind == Kind::File => old.mode,
        _ => metadata.mode & 0o777,
    };
    fchmod(copy, Mode::from_raw_mode(mode))
}

fn keep_everything(source: &File, metadata: &Metadata, copy: &File) -> Result<(), Errno> {
    keep_owner(metadata, copy.as_fd());
    fchmod(copy, Mode::from_raw_mode(metadata.mode))?;
    let _ = copy_attributes(source.as_fd(), copy.as_fd());
    keep_times(metadata, copy.as_fd())
}

/// The owner can be kept by the privileged only; others own what they move.
pub(super) fn keep_owner(metadata: &Metadata, copy: BorrowedFd<'_>) {
    let owner = (rustix::fs::Uid::from_raw(metadata.uid), rustix::fs::Gid::from_raw(metadata.gid));
    let _ = rustix::fs::fchown(copy, Some(owner.0), Some(owner.1));
}

pub(super) fn keep_times(metadata: &Metadata, copy: BorrowedFd<'_>) -> Result<(), Errno> {
    let (access, change): (Timespec, Timespec) =
        (metadata.accessed.into(), metadata.modified.into());
    futimens(copy, &Timestamps { last_access: access, last_modification: change })
}

/// Move the bytes: a small file through memory; a large one by shared blocks where the filesystem can, else in the
/// kernel.
pub(super) fn pour(source: &File, copy: &File, size: u64, control: &Control) -> Result<u64, Stop> {
    let mut total = 0;
    if size < SMALL {
        total = pour_small(source, copy, size as usize).map_err(|error| errno_of(&error))?;
        if total <= size {
            control.advance(total.max(1));
            return Ok(total);
        }
        // It grew meanwhile.
    } else if rustix::fs::ioctl_ficlone(copy, source).is_ok() {
        let size = Metadata::of_handle(copy.as_fd())?.size;
        control.advance(size);
        return Ok(size);
    }
    loop {
        control.check()?;
        let mut piece = io::Read::take(source, PIECE);
        let mut sink = copy;
        match io::copy(&mut piece, &mut sink).map_err(|error| errno_of(&error))? {
            0 => return Ok(total),
            bytes => {
                control.advance(bytes);
                total += bytes;
            }
        }
    }
}

/// Read to the end, or past the size that the file had, and write what there was.
fn pour_small(mut source: &File, mut copy: &File, size: usize) -> io::Result<u64> {
    let mut buffer = vec![0; size + 1];
    let mut filled = 0;
    while filled < buffer.len() {
        match io::Read::read(&mut source, &mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    io::Write::write_all(&mut copy, &buffer[..filled])?;
    Ok(filled as u64)
}

/// Copy a link as a link.
pub(super) fn copy_link(
    from: BorrowedFd<'_>,
    to: BorrowedFd<'_>,
    name: &OsStr,
    new: &OsStr,
) -> Result<(), Errno> {
    let target = rustix::fs::readlinkat(from, name, Vec::new())?;
    match rustix::fs::symlinkat(&target, to, new) {
        Err(Errno::EXIST) => {
            let temporary = fresh_name();
            rustix::fs::symlinkat(&target, to, &temporary)?;
            let renamed = rustix::fs::renameat(to, &temporary, to, new);
            renamed.inspect_err(|_| _ = rustix::fs::unlinkat(to, &temporary, AtFlags::empty()))
        }
        other => other,
    }
}
