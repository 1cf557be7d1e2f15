//! Paths to handles: the kernel resolves beneath the root; what it refuses is rewritten without links, once more
//! judged, and asked for again.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2, readlinkat};
use rustix::io::Errno;

use super::path::RelativePath;
use super::root::Root;
use crate::error::Manner;
use crate::limits::{MAX_LINKS, MAX_PATH_PIECE, MAX_TRIES};

/// Why a path could not be opened.
#[derive(Debug)]
pub(super) enum Fault {
    /// It leads out of the root; where to, for the log.
    Outside { manner: Manner, resolved: String },
    /// The operator hides it.
    Denied,
    /// It lies in no part of the root that is open to the client.
    Elsewhere,
    /// The system says no.
    Os(Errno),
}

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Self {
        Self::Os(errno)
    }
}

const CONFINED: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);
const LINKLESS: ResolveFlags = CONFINED.union(ResolveFlags::NO_SYMLINKS);
const AT_HAND: ResolveFlags = ResolveFlags::NO_XDEV.union(ResolveFlags::CACHED);
const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// A directory handle that can be listed and synced (an `O_PATH` one can not).
pub(super) const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The directory that holds an entry, and the entry's name in it.
pub(super) struct Slot {
    pub(super) dir: OwnedFd,
    pub(super) name: OsString,
}

impl Slot {
    /// The name in its directory.
    pub(super) fn entry(&self) -> (BorrowedFd<'_>, &OsStr) {
        (self.dir.as_fd(), &self.name)
    }
}

impl Root {
    /// Open `path`, following links that stay inside.
    pub(super) fn open_at(&self, path: &RelativePath, flags: OFlags) -> Result<OwnedFd, Fault> {
        if self.hides_anything() {
            return self.open_expanded(path, flags);
        }
        match confined(self.handle(), path.as_path(), flags, CONFINED) {
            Err(Errno::XDEV | Errno::LOOP) => self.open_expanded(path, flags),
            other => Ok(other?),
        }
    }

    /// Open `path` if that needs no waiting: the names are in the kernel's memory, no link leads elsewhere, and no other
    /// filesystem lies between. Everything else is `EAGAIN`.
    pub(super) fn open_at_hand(
        &self,
        path: &RelativePath,
        flags: OFlags,
    ) -> Result<OwnedFd, Fault> {
        let fits = path.as_bytes().len() <= MAX_PATH_PIECE;
        if !self.is_local() || !fits {
            return Err(Errno::AGAIN.into());
        }
        // A link could lead to what is hidden.
        let links = if self.hides_anything() { LINKLESS } else { CONFINED };
        self.judge(path)?;
        let flags = flags | OFlags::CLOEXEC;
        Ok(openat2(self.handle(), path.as_path(), flags, Mode::empty(), links | AT_HAND)?)
    }

    fn open_expanded(&self, path: &RelativePath, flags: OFlags) -> Result<OwnedFd, Fault> {
        self.open_real(path, flags).map(|(handle, _)| handle)
    }

    /// Open `path`, and tell where that really is, which is what deny globs are matched on.
    pub(super) fn open_real(
        &self,
        path: &RelativePath,
        flags: OFlags,
    ) -> Result<(OwnedFd, RelativePath), Fault> {
        if let Some(handle) = self.open_plain(path, flags) {
            return Ok((handle, path.clone()));
        }
        self.retrying(|| {
            let real = self.expand(path)?;
            Ok((confined(self.handle(), real.as_path(), flags, LINKLESS)?, real))
        })
    }

    /// Open `path` if no link is in it and it is not hidden: then it really is where it says. Most are, and looking for
    /// links costs as many calls as the path has names.
    fn open_plain(&self, path: &RelativePath, flags: OFlags) -> Option<OwnedFd> {
        let is_plain = !flags.contains(OFlags::NOFOLLOW) && self.judge(path).is_ok();
        is_plain.then(|| confined(self.handle(), path.as_path(), flags, LINKLESS).ok()).flatten()
    }

    /// The slot of `path` itself: a link in it is not followed, but must lead inside.
    pub(super) fn slot(&self, path: &RelativePath) -> Result<Slot, Fault> {
        self.retrying(|| {
            self.expand(path)?;
            let (parent, name) = path.split_last().ok_or(Errno::BUSY)?;
            Ok(Slot { dir: self.open_at(&parent, DIRECTORY)?, name })
        })
    }

    /// The slot of `path` itself, from which it may be taken away.
    pub(super) fn slot_to_empty(&self, path: &RelativePath) -> Result<Slot, Fault> {
        if let Some((parent, name)) = path.split_last().filter(|_| self.hides_anything()) {
            self.judge_removal(&self.retrying(|| self.expand(&parent))?.join(&name))?;
        }
        self.slot(path)
    }

    /// The slot that writing to `path` fills: links are followed to the end, also dangling ones.
    pub(super) fn target_slot(&self, path: &RelativePath) -> Result<Slot, Fault> {
        self.retrying(|| {
            let (parent, name) = self.expand(path)?.split_last().ok_or(Errno::ISDIR)?;
            let dir = confined(self.handle(), parent.as_path(), DIRECTORY, LINKLESS)?;
            Ok(Slot { dir, name })
        })
    }

    /// Run `attempt` again while links appear where there were none.
    pub(super) fn retrying<T>(&self, attempt: impl Fn() -> Result<T, Fault>) -> Result<T, Fault> {
        for _ in 0..MAX_TRIES {
            match attempt() {
                Err(Fault::Os(Errno::LOOP | Errno::XDEV)) => continue,
                other => return other,
            }
        }
        Err(Fault::Os(Errno::AGAIN))
    }

    /// `path` with every link in it replaced by what it points to; what does not exist is kept as it is.
    ///
    /// Advice only: whoever uses the result opens it with links forbidden.
    pub(super) fn expand(&self, path: &RelativePath) -> Result<RelativePath, Fault> {
        let mut expansion = Expansion::new(self, path);
        while let Some(name) = expansion.pending.pop_front() {
            expansion.step(name)?;
        }
        let real = expansion.inside().ok_or_else(|| expansion.escape())?;
        self.judge(&real).and_then(|()| self.judge(path))?;
        Ok(real)
    }
}

/// The work of replacing links, one name at a time. Nothing outside the root is ever looked at.
struct Expansion<'a> {
    root: &'a Root,
    /// Where we are, as an absolute path on the host.
    here: PathBuf,
    pending: VecDeque<OsString>,
    links: usize,
    missing: bool,
}

impl<'a> Expansion<'a> {
    fn new(root: &'a Root, path: &RelativePath) -> Self {
        let pending = path.names().map(OsStr::to_os_string).collect();
        Self { root, here: root.host_path().to_path_buf(), pending, links: 0, missing: false }
    }

    fn inside(&self) -> Option<RelativePath> {
        self.here.strip_prefix(self.root.host_path()).ok().and_then(RelativePath::clean)
    }

    fn escape(&self) -> Fault {
        let manner = if self.links > 0 { Manner::Link } else { Manner::Traversal };
        Fault::Outside { manner, resolved: self.here.to_string_lossy().into_owned() }
    }

    fn step(&mut self, name: OsString) -> Result<(), Fault> {
        if name == ".." {
            self.here.pop();
            return Ok(());
        }
        self.here.push(&name);
        if self.here == self.root.given_path() {
            self.here = self.root.host_path().to_path_buf();
        }
        match self.inside() {
            Some(path) if !path.is_top() && !self.missing => self.look(&path),
            _ => Ok(()),
        }
    }

    /// Look at what is here: a link is replaced by its target.
    fn look(&mut self, path: &RelativePath) -> Result<(), Fault> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match confined(self.root.handle(), path.as_path(), flags, LINKLESS) {
            Ok(entry) => match readlinkat(&entry, "", Vec::new()) {
                Ok(target) => self.follow(&OsString::from_vec(target.into_bytes())),
                Err(_) => Ok(()),
            },
            Err(Errno::NOENT) => {
                self.missing = true;
                Ok(())
            }
            Err(errno) => Err(errno.into()),
        }
    }

    fn follow(&mut self, target: &OsStr) -> Result<(), Fault> {
        self.links += 1;
        if self.links > MAX_LINKS {
            let resolved = self.here.to_string_lossy().into_owned();
            return Err(Fault::Outside { manner: Manner::Loop, resolved });
        }
        let target = Path::new(target);
        if target.is_absolute() {
            self.here = PathBuf::from("/");
        } else {
            self.here.pop();
        }
        for component in target.components().rev() {
            match component {
                Component::Normal(name) => self.pending.push_front(name.to_os_string()),
                Component::ParentDir => self.pending.push_front("..".into()),
                _ => {}
            }
        }
        Ok(())
    }
}

/// `openat2` beneath `dir`, in pieces when the path is longer than the kernel takes.
pub(super) fn confined(
    dir: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    resolve: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.len() <= MAX_PATH_PIECE {
        return patient(dir, path, flags, resolve);
    }
    let cut =
        bytes[..MAX_PATH_PIECE].iter().rposition(|byte| *byte == b'/').ok_or(Errno::NAMETOOLONG)?;
    let step = patient(dir, Path::new(OsStr::from_bytes(&bytes[..cut])), STEP, resolve)?;
    confined(step.as_fd(), Path::new(OsStr::from_bytes(&bytes[cut + 1..])), flags, resolve)
}

/// Open without following any link at all, and without leaving the filesystem of `dir`.
pub(super) fn linkless_same_filesystem(
    dir: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    confined(dir, path, flags, LINKLESS | ResolveFlags::NO_XDEV)
}

/// Open without following any link at all.
pub(super) fn linkless(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    confined(dir, path, flags, LINKLESS)
}

/// Retry while someone renames under us.
fn patient(
    dir: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    resolve: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    for _ in 0..MAX_TRIES {
        match openat2(dir, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => continue,
            other => return other,
        }
    }
    Err(Errno::AGAIN)
}
