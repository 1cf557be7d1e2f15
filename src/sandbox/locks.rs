//! One change of a file at a time: what was read is what is replaced, in this process and among several.
//!
//! Calls of one process wait for each other at a mutex. Several processes on one directory meet at a lock on the file
//! itself, which the system lets go when a process dies. It is asked for without waiting, so that nobody can hang.

use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::hash::BuildHasher;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::file::READ;
use super::metadata::{Kind, Metadata};
use super::resolve::linkless;
use crate::limits::FILE_LOCK_PATIENCE;

/// Enough that two unrelated files rarely wait for each other.
const SHARDS: usize = 256;
/// Time between two looks at a file that another process has locked.
const LOOK: Duration = Duration::from_millis(1);
/// What a file gives that another process keeps locked: a number that no other call here gives.
pub(super) const LOCKED: Errno = Errno::DEADLK;

static TABLE: LazyLock<(RandomState, Vec<Mutex<()>>)> =
    LazyLock::new(|| (RandomState::new(), (0..SHARDS).map(|_| Mutex::new(())).collect()));

/// A name in a directory.
pub(super) type Entry<'a> = (BorrowedFd<'a>, &'a OsStr);

/// Entries that nobody else changes until this is dropped. Whoever holds one must not ask for another.
#[derive(Default)]
pub(super) struct Held {
    // The files first: who waits at the mutex shall find them free.
    _files: Vec<OwnedFd>,
    _shards: Vec<MutexGuard<'static, ()>>,
}

/// Hold these entries against every other change that asks here.
pub(super) fn hold(entries: &[Entry<'_>]) -> Result<Held, Errno> {
    let until = Instant::now() + FILE_LOCK_PATIENCE;
    loop {
        // Given back before the next look: two processes may want the same files in another order.
        let shards = hold_shards(entries)?;
        match lock_files(entries) {
            Ok(files) => return Ok(Held { _files: files, _shards: shards }),
            Err(Errno::WOULDBLOCK) if Instant::now() < until => {}
            Err(Errno::WOULDBLOCK) => return Err(LOCKED),
            Err(errno) => return Err(errno),
        }
        drop(shards);
        std::thread::sleep(LOOK);
    }
}

/// The same within this process alone, for what may be done to a file that another program keeps locked.
pub(super) fn hold_here(entries: &[Entry<'_>]) -> Result<Held, Errno> {
    Ok(Held { _files: Vec::new(), _shards: hold_shards(entries)? })
}

/// In one order whoever asks, and each once.
fn hold_shards(entries: &[Entry<'_>]) -> Result<Vec<MutexGuard<'static, ()>>, Errno> {
    let (hasher, shards) = &*TABLE;
    let numbers = entries.iter().map(|(dir, name)| {
        let directory = Metadata::of_handle(*dir)?.identity;
        Ok(hasher.hash_one((directory, name)) as usize % SHARDS)
    });
    let mut numbers = numbers.collect::<Result<Vec<usize>, Errno>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    let held = numbers.into_iter().map(|number| &shards[number]);
    Ok(held.map(|shard| shard.lock().unwrap_or_else(PoisonError::into_inner)).collect())
}

fn lock_files(entries: &[Entry<'_>]) -> Result<Vec<OwnedFd>, Errno> {
    let locked = entries.iter().map(|entry| lock_file(*entry));
    Ok(locked.collect::<Result<Vec<_>, Errno>>()?.into_iter().flatten().collect())
}

/// The file of this name, locked; `None` where there is none, or none that can be locked.
fn lock_file((dir, name): Entry<'_>) -> Result<Option<OwnedFd>, Errno> {
    if Metadata::of_entry(dir, name).map(|found| found.kind) != Ok(Kind::File) {
        return Ok(None);
    }
    // One that can not be read, or is gone by now: what is done next will say so.
    let Ok(file) = linkless(dir, Path::new(name), READ) else { return Ok(None) };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) if still_named(&file, dir, name) => Ok(Some(file)),
        // Replaced while we looked: the new one is the one to lock.
        Ok(()) | Err(Errno::WOULDBLOCK) => Err(Errno::WOULDBLOCK),
        // A filesystem without such locks leaves it at one process.
        Err(_) => Ok(None),
    }
}

fn still_named(file: &OwnedFd, dir: BorrowedFd<'_>, name: &OsStr) -> bool {
    let (found, own) = (Metadata::of_entry(dir, name), Metadata::of_handle(file.as_fd()));
    matches!((found, own), (Ok(found), Ok(own)) if found.identity == own.identity)
}
