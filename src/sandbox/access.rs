//! What the server's own user may do with an entry, asked before a change begins.

use std::os::fd::BorrowedFd;

use rustix::fs::{Access, AtFlags, accessat};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid, getgroups};

use super::metadata::Metadata;
use super::resolve::Slot;

/// `Err` unless entries of the directory `dir` may be made, renamed and removed.
pub(super) fn require_change(dir: BorrowedFd<'_>) -> Result<(), Errno> {
    accessat(dir, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
}

/// `Err` unless the file in `slot` may be written: renaming over it needs rights on the directory only, but we ask for
/// those on the file too.
pub(super) fn require_write(slot: &Slot) -> Result<(), Errno> {
    accessat(&slot.dir, &slot.name, Access::WRITE_OK, AtFlags::EACCESS)
}

/// What the permission bits say to the server's user, though the superuser may do more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permissions {
    /// May be read.
    pub readable: bool,
    /// May be written.
    pub writable: bool,
    /// May be run, or entered.
    pub executable: bool,
}

impl Permissions {
    /// Of the entry with this metadata.
    pub fn of(metadata: &Metadata) -> Self {
        let shift = if geteuid().as_raw() == metadata.uid {
            6
        } else if in_group(metadata.gid) {
            3
        } else {
            0
        };
        let bits = metadata.mode >> shift;
        Self { readable: bits & 4 != 0, writable: bits & 2 != 0, executable: bits & 1 != 0 }
    }
}

fn in_group(gid: u32) -> bool {
    getegid().as_raw() == gid
        || getgroups().is_ok_and(|groups| groups.iter().any(|group| group.as_raw() == gid))
}
