//! Filling one directory from another, tree for tree.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags, fchmod, mkdirat, readlinkat};
use rustix::io::Errno;

use super::copy::{
    CopyReport, Fidelity, How, IfExists, Sync, copy_file, copy_link, keep_owner, keep_times,
};
use super::destination::Destination;
use super::directory::entries;
use super::file::READ;
use super::locks;
use super::metadata::{Kind, Metadata};
use super::path::RelativePath;
use super::place::Place;
use super::remove::Stop;
use super::resolve::{DIRECTORY, linkless};
use crate::control::Control;

/// A directory that is being copied.
pub(super) struct Graft<'a> {
    pub(super) source: &'a Place,
    pub(super) handle: OwnedFd,
    /// Where the source really is.
    pub(super) real: RelativePath,
    pub(super) destination: &'a Destination<'a>,
    pub(super) fidelity: Fidelity,
    pub(super) sync: Sync,
    pub(super) control: &'a Control,
}

/// One directory of the source beside its copy.
struct Pair {
    path: RelativePath,
    from: OwnedFd,
    to: OwnedFd,
}

impl Graft<'_> {
    /// Copy all that is beneath the source into `into`.
    pub(super) fn fill(&self, into: BorrowedFd<'_>, report: &mut CopyReport) -> Result<(), Stop> {
        let own = Metadata::of_handle(into)?.identity;
        let made = if self.sync == Sync::Unseen { Made::Now } else { Made::Before };
        let mut pending = vec![(RelativePath::default(), made)];
        let mut directories = Vec::new();
        while let Some((path, made)) = pending.pop() {
            let pair = Pair {
                from: linkless(self.handle.as_fd(), path.as_path(), DIRECTORY)?,
                to: linkless(into, path.as_path(), DIRECTORY)?,
                path,
            };
            let metadata = Metadata::of_handle(pair.from.as_fd())?;
            // The copy may lie inside the source; it is not copied into itself.
            if metadata.identity == own {
                continue;
            }
            self.fill_directory(&pair, &mut pending, report)?;
            if made == Made::Now {
                directories.push((pair.path, metadata));
            }
        }
        self.finish(into, directories)
    }

    fn fill_directory(
        &self,
        pair: &Pair,
        pending: &mut Vec<(RelativePath, Made)>,
        report: &mut CopyReport,
    ) -> Result<(), Stop> {
        for (name, kind) in entries(pair.from.as_fd())? {
            self.control.check()?;
            let path = pair.path.join(&name);
            if self.source.root().hides(&self.real.append(&path)) {
                continue;
            }
            if self.destination.hides(&path) {
                report.skipped.push((path.shown(), "denied at the destination"));
                continue;
            }
            match kind {
                Kind::Directory => {
                    let made = make_directory(pair.to.as_fd(), &name)?;
                    pending.push((path, made));
                }
                Kind::File => self.fill_file(pair, &name, report)?,
                Kind::Symlink => self.fill_link(pair, &name, &path, report)?,
                _ => report.skipped.push((path.shown(), "not a regular file")),
            }
        }
        Ok(())
    }

    fn fill_file(&self, pair: &Pair, name: &OsStr, report: &mut CopyReport) -> Result<(), Stop> {
        let handle = match linkless(pair.from.as_fd(), Path::new(name), READ) {
            Err(Errno::NOENT) => return Ok(()),
            other => other?,
        };
        self.pour(handle, pair.to.as_fd(), name, report)
    }

    fn pour(
        &self,
        handle: OwnedFd,
        to: BorrowedFd<'_>,
        name: &OsStr,
        report: &mut CopyReport,
    ) -> Result<(), Stop> {
        let metadata = Metadata::of_handle(handle.as_fd())?;
        let file = File::from(handle);
        let how = How { fidelity: self.fidelity, sync: self.sync, if_exists: IfExists::Replace };
        // What nobody sees yet nobody else changes.
        let seen: &[_] = if self.sync == Sync::Unseen { &[] } else { &[(to, name)] };
        let _held = locks::hold(seen)?;
        report.bytes += copy_file(&file, &metadata, to, name, how, self.control)?;
        report.files += 1;
        Ok(())
    }

    /// A link within the tree stays a link; one to a file elsewhere inside the root becomes that file.
    fn fill_link(
        &self,
        pair: &Pair,
        name: &OsStr,
        path: &RelativePath,
        report: &mut CopyReport,
    ) -> Result<(), Stop> {
        if self.fidelity == Fidelity::Everything {
            return Ok(copy_link(pair.from.as_fd(), pair.to.as_fd(), name, name)?);
        }
        let whole = self.real.append(path);
        let Some(kind) = self.kind_behind(&whole) else {
            report.skipped.push((path.shown(), "link that leads nowhere or outside the root"));
            return Ok(());
        };
        if stays_within(pair, name)? {
            return Ok(copy_link(pair.from.as_fd(), pair.to.as_fd(), name, name)?);
        }
        match (kind, self.source.root().open_at(&whole, READ)) {
            (Kind::File, Ok(handle)) => self.pour(handle, pair.to.as_fd(), name, report),
            _ => {
                report.skipped.push((path.shown(), "link to a directory outside the copied tree"));
                Ok(())
            }
        }
    }

    fn kind_behind(&self, path: &RelativePath) -> Option<Kind> {
        let handle = self.source.root().open_at(path, OFlags::PATH | OFlags::CLOEXEC).ok()?;
        Metadata::of_handle(handle.as_fd()).ok().map(|metadata| metadata.kind)
    }

    /// Modes and times of the directories made come last: what is put into one changes them.
    fn finish(
        &self,
        into: BorrowedFd<'_>,
        directories: Vec<(RelativePath, Metadata)>,
    ) -> Result<(), Stop> {
        for (path, metadata) in directories.into_iter().rev() {
            let dir = linkless(into, path.as_path(), DIRECTORY)?;
            if self.fidelity == Fidelity::Everything {
                keep_owner(&metadata, dir.as_fd());
                fchmod(&dir, Mode::from_raw_mode(metadata.mode))?;
                keep_times(&metadata, dir.as_fd())?;
            } else {
                fchmod(&dir, Mode::from_raw_mode(metadata.mode & 0o777))?;
            }
        }
        Ok(())
    }
}

/// Whether a directory of the copy was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    Now,
    Before,
}

/// Closed to others until its content is there and it gets the mode of its source.
fn make_directory(dir: BorrowedFd<'_>, name: &OsStr) -> Result<Made, Errno> {
    match mkdirat(dir, name, Mode::from_raw_mode(0o700)) {
        Ok(()) => Ok(Made::Now),
        Err(Errno::EXIST) => Ok(Made::Before),
        Err(errno) => Err(errno),
    }
}

/// Whether a relative link leads to a place inside the copied tree.
fn stays_within(pair: &Pair, name: &OsStr) -> Result<bool, Errno> {
    let target = readlinkat(&pair.from, name, Vec::new())?;
    let target = Path::new(OsStr::new(std::str::from_utf8(target.as_bytes()).unwrap_or("/")));
    if target.is_absolute() {
        return Ok(false);
    }
    let joined = Path::new(pair.path.as_path()).join(target);
    Ok(RelativePath::clean(&joined).is_some())
}
