//! Temporary files: nameless where the filesystem allows it, locked while in use, so that a dead one is known.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, CWD, FlockOperation, Gid, Mode, OFlags, Uid, XattrFlags, fchmod, fchown, fgetxattr,
    flistxattr, flock, fsetxattr, linkat, openat, renameat, unlinkat,
};
use rustix::io::Errno;

use super::metadata::Metadata;
use crate::limits::MAX_TRIES;

const PREFIX: &str = ".mcp-fs-";
const SUFFIX: &str = ".tmp~";
/// Attributes larger than this are left behind.
const MAX_ATTRIBUTE: usize = 64 << 10;

/// Whether the last name of `path` is that of a temporary.
pub(super) fn is_temporary(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    name.starts_with(PREFIX.as_bytes()) && name.ends_with(SUFFIX.as_bytes())
}

/// A name no other temporary has, in this process or another.
pub(super) fn fresh_name() -> OsString {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let random = RandomState::new().hash_one(COUNTER.fetch_add(1, Ordering::Relaxed));
    format!("{PREFIX}{random:016x}{SUFFIX}").into()
}

/// Make something under a fresh name and lock it. A sweep may meet it in between and take it for dead: then another
/// name is tried.
pub(super) fn claim(
    dir: BorrowedFd<'_>,
    make: impl Fn(&OsStr) -> Result<OwnedFd, Errno>,
) -> Result<(OwnedFd, OsString), Errno> {
    for _ in 0..MAX_TRIES {
        let name = fresh_name();
        match make(&name) {
            Ok(handle) if is_ours(dir, &name, &handle) => return Ok((handle, name)),
            // Another's, which is as unlikely as can be.
            Err(Errno::EXIST) => {}
            Ok(_) | Err(Errno::NOENT) => discard(dir, &name),
            Err(errno) => {
                discard(dir, &name);
                return Err(errno);
            }
        }
    }
    Err(Errno::AGAIN)
}

/// Remove what has this name, a file or an empty directory, if there is any.
fn discard(dir: BorrowedFd<'_>, name: &OsStr) {
    if unlinkat(dir, name, AtFlags::empty()).is_err() {
        let _ = unlinkat(dir, name, AtFlags::REMOVEDIR);
    }
}

/// Whether the lock is ours and what we locked still has its name.
fn is_ours(dir: BorrowedFd<'_>, name: &OsStr, handle: &OwnedFd) -> bool {
    let locked = flock(handle, FlockOperation::NonBlockingLockExclusive);
    let (found, own) = (Metadata::of_entry(dir, name), Metadata::of_handle(handle.as_fd()));
    locked != Err(Errno::WOULDBLOCK)
        && matches!((found, own), (Ok(found), Ok(own)) if found.identity == own.identity)
}

/// A file that is not yet where it belongs. Dropped before that, it is gone.
pub(super) struct Temporary<'a> {
    dir: BorrowedFd<'a>,
    file: File,
    name: Option<OsString>,
}

impl<'a> Temporary<'a> {
    /// A new empty file in `dir`, locked.
    pub(super) fn create(dir: BorrowedFd<'a>) -> Result<Self, Errno> {
        let mode = Mode::from_raw_mode(0o666);
        let nameless = openat(dir, ".", OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode);
        let (handle, name) = match nameless {
            Ok(handle) => {
                // Locked before it gets a name; a filesystem without locks only loses the sweep.
                let _ = flock(&handle, FlockOperation::NonBlockingLockExclusive);
                (handle, None)
            }
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => {
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
                let (handle, name) = claim(dir, |name| openat(dir, name, flags, mode))?;
                (handle, Some(name))
            }
            Err(errno) => return Err(errno),
        };
        Ok(Self { dir, file: File::from(handle), name })
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Owner, mode and attributes of the file that this one replaces. Owner first: it clears set-id bits.
    pub(super) fn take_after(
        &mut self,
        old: &Metadata,
        source: BorrowedFd<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Errno> {
        let fresh = Metadata::of_handle(self.file.as_fd())?;
        if (fresh.uid, fresh.gid) != (old.uid, old.gid) {
            let owner = (Some(Uid::from_raw(old.uid)), Some(Gid::from_raw(old.gid)));
            if fchown(&self.file, owner.0, owner.1).is_err() {
                warnings.push("the owner of the file could not be preserved".into());
            }
        }
        fchmod(&self.file, Mode::from_raw_mode(old.mode))?;
        if copy_attributes(source, self.file.as_fd()).is_err() {
            warnings.push("some extended attributes of the file could not be preserved".into());
        }
        Ok(())
    }

    /// Put the file at `name`, which must be free.
    pub(super) fn link_new(&mut self, name: &OsStr) -> Result<(), Errno> {
        match self.name.take() {
            None => self.link(name),
            Some(temporary) => {
                let flags = rustix::fs::RenameFlags::NOREPLACE;
                let renamed =
                    rustix::fs::renameat_with(self.dir, &temporary, self.dir, name, flags);
                if renamed.is_err() {
                    self.name = Some(temporary);
                }
                renamed
            }
        }
    }

    /// Put the file at `name`, whatever is there.
    pub(super) fn rename_over(&mut self, name: &OsStr) -> Result<(), Errno> {
        if self.name.is_none() {
            match self.link(name) {
                Err(Errno::EXIST) => {}
                done => return done,
            }
        }
        let temporary = self.named()?;
        renameat(self.dir, &temporary, self.dir, name)?;
        self.name = None;
        Ok(())
    }

    fn named(&mut self) -> Result<OsString, Errno> {
        if self.name.is_none() {
            let name = fresh_name();
            self.link(&name)?;
            self.name = Some(name);
        }
        self.name.clone().ok_or(Errno::NOENT)
    }

    fn link(&self, name: &OsStr) -> Result<(), Errno> {
        match linkat(&self.file, "", self.dir, name, AtFlags::EMPTY_PATH) {
            // Older kernels want a privilege for that, and none for this.
            Err(Errno::NOENT | Errno::PERM) => {
                let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
                linkat(CWD, own, self.dir, name, AtFlags::SYMLINK_FOLLOW)
            }
            other => other,
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = unlinkat(self.dir, name, AtFlags::empty());
        }
    }
}

/// Copy extended attributes, access lists among them; a changed file keeps no capabilities.
pub(super) fn copy_attributes(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> Result<(), Errno> {
    let mut names = vec![0_u8; MAX_ATTRIBUTE];
    let length = match flistxattr(from, &mut names[..]) {
        Ok(length) => length,
        Err(Errno::OPNOTSUPP | Errno::RANGE) => return Ok(()),
        Err(errno) => return Err(errno),
    };
    let names = names[..length].split(|byte| *byte == 0);
    for name in names.filter(|name| !name.is_empty() && *name != b"security.capability") {
        let mut value = vec![0_u8; MAX_ATTRIBUTE];
        let length = fgetxattr(from, name, &mut value[..])?;
        match fsetxattr(to, name, &value[..length], XattrFlags::empty()) {
            Ok(()) | Err(Errno::OPNOTSUPP) => {}
            Err(Errno::PERM | Errno::ACCESS) if !name.starts_with(b"user.") => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}
