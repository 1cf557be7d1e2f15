//! Walking a tree in the order of its paths, by handles, entering no link and holding no handle per entry.

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::directory::{entries, open_directory};
use super::file::{READ, RegularFile};
use super::ignores::Ignores;
use super::metadata::{Kind, Metadata};
use super::path::RelativePath;
use super::place::Place;
use super::resolve::{DIRECTORY, linkless};
use super::root::Root;
use crate::control::{Control, Halt};
use crate::error::Error;

/// Which entries a walk visits.
#[derive(Debug, Clone, Default)]
pub struct WalkOptions {
    /// Levels below the start; 0 means the entries of the start itself.
    pub max_depth: Option<u64>,
    /// Leave out what `.gitignore` files exclude, and `.git` itself.
    pub respect_gitignore: bool,
    /// Leave out entries whose name starts with a dot, and all beneath them.
    pub skip_hidden: bool,
}

/// One entry of a walk.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Relative to the start.
    pub path: RelativePath,
    /// What it is; a link is itself.
    pub kind: Kind,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Enough.
    Stop,
}

/// How a walk ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalkReport {
    /// Directories and files that could not be read.
    pub unreadable: u64,
    /// Why it ended early, if it did.
    pub halted: Option<Halt>,
}

/// Where a walk starts: a directory held open.
#[derive(Debug)]
pub struct Tree {
    root: Arc<Root>,
    handle: OwnedFd,
    /// The start's path from the root, without links: what deny globs are matched on.
    real: RelativePath,
}

impl Tree {
    /// Open the directory at `place` for a walk.
    pub fn open(place: &Place) -> Result<Self, Error> {
        let handle = open_directory(place)?;
        let real = match place.root().denies_anything() {
            true => place.root().expand(place.path()).map_err(|fault| place.fail(fault))?,
            false => place.path().clone(),
        };
        Ok(Self { root: place.root().clone(), handle, real })
    }

    /// What is known of an entry of this walk.
    pub fn metadata(&self, entry: &Entry) -> Option<Metadata> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = linkless(self.handle.as_fd(), entry.path.as_path(), flags).ok()?;
        Metadata::of_handle(handle.as_fd()).ok()
    }

    /// Open a file of this walk, which must still be a regular one.
    pub(super) fn open_file(&self, entry: &Entry) -> Result<RegularFile, Errno> {
        let handle = linkless(self.handle.as_fd(), entry.path.as_path(), READ)?;
        let metadata = Metadata::of_handle(handle.as_fd())?;
        match metadata.kind {
            Kind::File => Ok(RegularFile::new(handle, metadata, &entry.path.shown())),
            _ => Err(Errno::NXIO),
        }
    }

    /// The text of a small file beneath the root, for ignore rules.
    pub(super) fn read_small(&self, path: &RelativePath) -> Option<Vec<u8>> {
        let handle = linkless(self.root.handle(), path.as_path(), READ).ok()?;
        let metadata = Metadata::of_handle(handle.as_fd()).ok()?;
        let mut file =
            (metadata.kind == Kind::File).then(|| RegularFile::new(handle, metadata, ""))?;
        file.read_whole(1 << 20).ok()
    }

    /// The start's path from the root.
    pub(super) fn real(&self) -> &RelativePath {
        &self.real
    }

    /// The visible entries of one directory in the order of their paths, each directory twice:
    /// once as itself and once, as `name/`, where what is in it belongs.
    fn steps(
        &self,
        path: &RelativePath,
        options: &WalkOptions,
        ignores: &Ignores,
    ) -> Result<Vec<Step>, Errno> {
        let dir = linkless(self.handle.as_fd(), path.as_path(), DIRECTORY)?;
        let mut steps = Vec::new();
        for (name, kind) in entries(dir.as_fd())? {
            let entry = path.join(&name);
            if self.is_left_out(&entry, &name, kind, options, ignores) {
                continue;
            }
            if kind == Kind::Directory {
                steps.push(Step { name: name.clone(), enters: true, kind });
            }
            steps.push(Step { name, enters: false, kind });
        }
        steps.sort_unstable_by(Step::order);
        Ok(steps)
    }

    fn is_left_out(
        &self,
        entry: &RelativePath,
        name: &OsStr,
        kind: Kind,
        options: &WalkOptions,
        ignores: &Ignores,
    ) -> bool {
        (options.skip_hidden && name.as_encoded_bytes().starts_with(b"."))
            || (options.respect_gitignore && ignores.excludes(&self.real.append(entry), name, kind))
            || self.root.hides(&self.real.append(entry))
    }
}

/// A thing to do in a directory: show an entry, or go into it.
#[derive(Debug)]
struct Step {
    name: OsString,
    enters: bool,
    kind: Kind,
}

impl Step {
    /// The order of whole paths: what is in `a` comes behind `a.txt` because `/` comes behind `.`.
    fn order(&self, other: &Self) -> Ordering {
        fn key(step: &Step) -> impl Iterator<Item = u8> + '_ {
            step.name.as_encoded_bytes().iter().copied().chain(step.enters.then_some(b'/'))
        }
        key(self).cmp(key(other))
    }
}

/// One directory on the way.
struct Level {
    path: RelativePath,
    steps: std::vec::IntoIter<Step>,
    ignores: Ignores,
}

/// Visit every entry beneath `start` in the order of the paths.
pub fn walk(
    start: &Tree,
    options: &WalkOptions,
    control: &Control,
    mut visit: impl FnMut(Entry) -> Flow,
) -> WalkReport {
    let mut report = WalkReport::default();
    let mut levels = Vec::new();
    descend(
        start,
        options,
        RelativePath::default(),
        &Ignores::above(start, options),
        &mut levels,
        &mut report,
    );
    while let Some(level) = levels.last_mut() {
        if let Err(halt) = control.check() {
            report.halted = Some(halt);
            break;
        }
        let Some(step) = level.steps.next() else {
            levels.pop();
            continue;
        };
        let path = level.path.join(&step.name);
        if !step.enters {
            if visit(Entry { path, kind: step.kind }) == Flow::Stop {
                break;
            }
        } else if options.max_depth.is_none_or(|depth| levels.len() as u64 <= depth) {
            let ignores = levels.last().map(|level| level.ignores.clone()).unwrap_or_default();
            descend(start, options, path, &ignores, &mut levels, &mut report);
        }
    }
    report
}

fn descend(
    start: &Tree,
    options: &WalkOptions,
    path: RelativePath,
    above: &Ignores,
    levels: &mut Vec<Level>,
    report: &mut WalkReport,
) {
    let ignores = if options.respect_gitignore {
        above.with_file_of(start, &path)
    } else {
        Ignores::default()
    };
    match start.steps(&path, options, &ignores) {
        Ok(steps) => levels.push(Level { path, steps: steps.into_iter(), ignores }),
        // Gone meanwhile: as if it had never been.
        Err(Errno::NOENT) => {}
        Err(_) => report.unreadable += 1,
    }
}
