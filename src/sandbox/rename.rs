//! Moving: a rename within a root, copy and delete between roots. A link is moved as a link.

use std::os::fd::AsFd;

use rustix::fs::{AtFlags, RenameFlags, renameat, renameat_with, unlinkat};
use rustix::io::Errno;

use super::access::require_change;
use super::copy::{CopyOptions, Fidelity, IfExists, copy_link, copy_with};
use super::destination::Destination;
use super::locks;
use super::metadata::{Kind, Metadata};
use super::place::Place;
use super::remove::{Extent, refuse_hidden, remove_directory, remove_entry};
use super::resolve::Slot;
use crate::control::Control;
use crate::error::Error;

/// What a move did.
#[derive(Debug)]
pub struct MoveReport {
    /// Where it went, from the destination's root.
    pub destination: String,
}

/// Move what is at `source` to `dest`.
pub fn rename(
    source: &Place,
    dest: &Place,
    options: CopyOptions,
    control: &Control,
) -> Result<MoveReport, Error> {
    if source.path().is_top() {
        return Err(Error::Refused("cannot move root directory".into()));
    }
    let slot = source.root().slot_to_empty(source.path()).map_err(|fault| source.fail(fault))?;
    let metadata = Metadata::of_entry(slot.dir.as_fd(), &slot.name)
        .map_err(|errno| source.fail(errno.into()))?;
    require_change(slot.dir.as_fd()).map_err(|errno| source.fail(errno.into()))?;
    if metadata.kind == Kind::Directory {
        refuse_hidden(source, control)?;
    }
    let destination = Destination::claim(source, &metadata, dest, options)?;
    if source.root().is_same(dest.root()) {
        let _held = locks::hold(&destination.slot).map_err(|errno| dest.fail(errno.into()))?;
        match swap_names(&slot, &destination, options.if_exists) {
            Ok(()) => return finish(source, &slot, &destination),
            // A mount point lies between.
            Err(Errno::XDEV) => {}
            Err(errno) => return Err(dest.fail(errno.into())),
        }
    }
    carry(source, &slot, &metadata, dest, options, control, &destination)
}

fn swap_names(
    slot: &Slot,
    destination: &Destination<'_>,
    if_exists: IfExists,
) -> Result<(), Errno> {
    let to = &destination.slot;
    match if_exists {
        IfExists::Replace => renameat(&slot.dir, &slot.name, &to.dir, &to.name),
        IfExists::Refuse => {
            renameat_with(&slot.dir, &slot.name, &to.dir, &to.name, RenameFlags::NOREPLACE)
        }
    }
}

fn finish(source: &Place, slot: &Slot, destination: &Destination<'_>) -> Result<MoveReport, Error> {
    destination.sync()?;
    source.sync(&slot.dir)?;
    Ok(MoveReport { destination: destination.shown() })
}

/// Copy everything, and only then remove the source.
fn carry(
    source: &Place,
    slot: &Slot,
    metadata: &Metadata,
    dest: &Place,
    options: CopyOptions,
    control: &Control,
    destination: &Destination<'_>,
) -> Result<MoveReport, Error> {
    if metadata.kind == Kind::Symlink {
        let to = &destination.slot;
        copy_link(slot.dir.as_fd(), to.dir.as_fd(), &slot.name, &to.name)
            .and_then(|()| unlinkat(&slot.dir, &slot.name, AtFlags::empty()))
            .map_err(|errno| dest.fail(errno.into()))?;
        return finish(source, slot, destination);
    }
    let options = CopyOptions { recursive: true, ..options };
    let report = copy_with(source, dest, options, Fidelity::Everything, control)?;
    destination.keep();
    if let Some((path, reason)) = report.skipped.first() {
        return Err(Error::Refused(format!(
            "the source was copied but not removed: {path} can not be copied ({reason})"
        )));
    }
    let removed = match metadata.kind {
        Kind::Directory => remove_directory(source, Extent::Whole, control).map(drop),
        _ => remove_entry(source).map(drop),
    };
    removed.map_err(|error| {
        error.after(|| {
            let copy = &report.destination;
            format!("the copy at {copy} is complete, the source was removed in part")
        })
    })?;
    Ok(MoveReport { destination: report.destination })
}
