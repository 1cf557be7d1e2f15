//! One change of a file at a time within this process: what was read is what is replaced.

use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::hash::BuildHasher;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::metadata::Metadata;
use super::resolve::Slot;
use rustix::io::Errno;
use std::os::fd::AsFd;

/// Enough that two unrelated files rarely wait for each other.
const SHARDS: usize = 256;

static TABLE: LazyLock<(RandomState, Vec<Mutex<()>>)> =
    LazyLock::new(|| (RandomState::new(), (0..SHARDS).map(|_| Mutex::new(())).collect()));

/// Hold the entry of this slot until the guard is dropped.
pub(super) fn hold(slot: &Slot) -> Result<MutexGuard<'static, ()>, Errno> {
    let directory = Metadata::of_handle(slot.dir.as_fd())?.identity;
    let (hasher, shards) = &*TABLE;
    let name: &OsStr = &slot.name;
    let shard = hasher.hash_one((directory, name)) as usize % SHARDS;
    Ok(shards[shard].lock().unwrap_or_else(PoisonError::into_inner))
}
