//! Moving: a rename within a root, copy and delete between roots. A link is moved as a link.

use std::os::fd::AsFd;

use rustix::fs::{AtFlags, RenameFlags, renameat, renameat_with, unlinkat};
use rustix::io::Errno;

use super::access::require_change;
use super::copy::{CopyOptions, Fidelity, IfExists, carry_held, copy_link, copy_with};
use super::destination::Destination;
use super::file::wrong_kind;
use super::locks;
use super::metadata::{Kind, Metadata};
use super::place::Place;
use super::remove::{Extent, refuse_hidden, remove_directory};
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
    let held = locks::hold(&[slot.entry(), destination.slot.entry()]);
    let held = held.map_err(|errno| dest.fail(errno.into()))?;
    if source.root().is_same(dest.root()) {
        match swap_names(&slot, &destination, options.if_exists) {
            Ok(()) => return finish(source, &slot, &destination),
            // A mount point lies between.
            Err(Errno::XDEV) => {}
            // Gone since we looked.
            Err(Errno::NOENT) => return Err(source.fail(Errno::NOENT.into())),
            Err(errno) => return Err(dest.fail(errno.into())),
        }
    }
    if metadata.kind != Kind::Directory {
        return carry_entry(source, &slot, &metadata, options.if_exists, control, &destination);
    }
    // The files of a tree are held one by one.
    drop(held);
    carry_tree(source, dest, options, control, &destination)
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

/// Copy a file or a link that the caller holds, and only then remove it.
fn carry_entry(
    source: &Place,
    slot: &Slot,
    metadata: &Metadata,
    if_exists: IfExists,
    control: &Control,
    destination: &Destination<'_>,
) -> Result<MoveReport, Error> {
    let to = &destination.slot;
    match metadata.kind {
        Kind::Symlink => copy_link(slot.dir.as_fd(), to.dir.as_fd(), &slot.name, &to.name)
            .map_err(|errno| destination.place.fail(errno.into()))?,
        Kind::File => carry_held(source, destination, if_exists, control)?,
        other => return Err(wrong_kind(source, other)),
    }
    unlinkat(&slot.dir, &slot.name, AtFlags::empty()).map_err(|errno| source.fail(errno.into()))?;
    finish(source, slot, destination)
}

/// Copy everything, and only then remove the source.
fn carry_tree(
    source: &Place,
    dest: &Place,
    options: CopyOptions,
    control: &Control,
    destination: &Destination<'_>,
) -> Result<MoveReport, Error> {
    let options = CopyOptions { recursive: true, ..options };
    let report = copy_with(source, dest, options, Fidelity::Everything, control)?;
    destination.keep();
    if let Some((path, reason)) = report.skipped.first() {
        return Err(Error::Refused(format!(
            "the source was copied but not removed: {path} can not be copied ({reason})"
        )));
    }
    let removed = remove_directory(source, Extent::Whole, control).map(drop);
    removed.map_err(|error| {
        error.after(|| {
            let copy = &report.destination;
            format!("the copy at {copy} is complete, the source was removed in part")
        })
    })?;
    Ok(MoveReport { destination: report.destination })
}
