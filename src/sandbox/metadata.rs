//! What is known about an entry: its kind, size, times, owner and mode.

use std::os::fd::{AsFd, BorrowedFd};

use chrono::{DateTime, SecondsFormat, Utc};
use rustix::fs::{AtFlags, FileType, OFlags, Statx, StatxFlags, StatxTimestamp, readlinkat, statx};
use rustix::io::Errno;

use super::place::Place;
use super::resolve::Fault;
use crate::error::Error;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
}

impl Kind {
    pub(super) fn of(file_type: FileType) -> Self {
        match file_type {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Symlink,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            _ => Self::Device,
        }
    }

    /// The word for answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Symlink => "symlink",
            Self::Fifo => "fifo",
            Self::Socket => "socket",
            Self::Device => "device",
        }
    }

    /// The word with its article, and what it is not.
    pub fn article(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Directory => "a directory, not a file",
            Self::Symlink => "a symlink",
            Self::Fifo => "a FIFO, not a regular file",
            Self::Socket => "a socket, not a regular file",
            Self::Device => "a device, not a regular file",
        }
    }
}

/// A moment, as the filesystem keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    seconds: i64,
    nanoseconds: u32,
}

impl Stamp {
    fn of(time: StatxTimestamp) -> Self {
        Self { seconds: time.tv_sec, nanoseconds: time.tv_nsec }
    }

    /// ISO 8601 in UTC, to the second.
    pub fn iso(self) -> String {
        DateTime::<Utc>::from_timestamp(self.seconds, self.nanoseconds)
            .unwrap_or_default()
            .to_rfc3339_opts(SecondsFormat::Secs, true)
    }
}

impl From<Stamp> for rustix::fs::Timespec {
    fn from(stamp: Stamp) -> Self {
        Self { tv_sec: stamp.seconds, tv_nsec: stamp.nanoseconds.into() }
    }
}

/// What the system says about an entry.
#[derive(Debug, Clone)]
pub struct Metadata {
    /// What it is.
    pub kind: Kind,
    /// Bytes, as the system reports them.
    pub size: u64,
    /// Last change of the content.
    pub modified: Stamp,
    /// Last access.
    pub accessed: Stamp,
    /// Birth, where the filesystem keeps it.
    pub created: Option<Stamp>,
    /// Permission bits, with set-id and sticky.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Names it has.
    pub links: u32,
    /// Device and inode: the identity of the entry.
    pub identity: (u64, u64),
}

impl Metadata {
    fn of(stat: &Statx) -> Self {
        let raw = u32::from(stat.stx_mode);
        let device = rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor);
        let born = stat.stx_mask & StatxFlags::BTIME.bits() != 0;
        Self {
            kind: Kind::of(FileType::from_raw_mode(raw)),
            size: stat.stx_size,
            modified: Stamp::of(stat.stx_mtime),
            accessed: Stamp::of(stat.stx_atime),
            created: born.then(|| Stamp::of(stat.stx_btime)),
            mode: raw & 0o7777,
            uid: stat.stx_uid,
            gid: stat.stx_gid,
            links: stat.stx_nlink,
            identity: (device, stat.stx_ino),
        }
    }

    /// Of an open handle.
    pub(super) fn of_handle(handle: BorrowedFd<'_>) -> Result<Self, Errno> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        Ok(Self::of(&statx(handle, "", AtFlags::EMPTY_PATH, wanted)?))
    }

    /// Of the entry `name` in `dir`, not following a link.
    pub(super) fn of_entry(dir: BorrowedFd<'_>, name: &std::ffi::OsStr) -> Result<Self, Errno> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        let stat = statx(dir, name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT, wanted)?;
        Ok(Self::of(&stat))
    }
}

/// What is at `place`, links followed.
pub fn inspect(place: &Place) -> Result<Metadata, Error> {
    let look = || -> Result<Metadata, Fault> {
        let handle = place.root().open_at(place.path(), OFlags::PATH | OFlags::CLOEXEC)?;
        Ok(Metadata::of_handle(handle.as_fd())?)
    };
    look().map_err(|fault| place.fail(fault))
}

/// What is at `place` itself, and where it points if it is a link. A link must lead inside.
pub fn stat_of_link(place: &Place) -> Result<(Metadata, Option<String>), Error> {
    if place.path().is_top() {
        return Ok((inspect(place)?, None));
    }
    let look = || -> Result<(Metadata, Option<String>), Fault> {
        let slot = place.root().slot(place.path())?;
        let metadata = Metadata::of_entry(slot.dir.as_fd(), &slot.name)?;
        let target = readlinkat(&slot.dir, &slot.name, Vec::new()).ok();
        let target = target.map(|target| target.to_string_lossy().into_owned());
        Ok((metadata, target.map(|target| place.root().without_host(target))))
    };
    look().map_err(|fault| place.fail(fault))
}
