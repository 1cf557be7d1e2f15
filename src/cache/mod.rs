//! What the agent has told: file contents, listings and unfinished uploads, within fixed bounds.
//!
//! Recency is kept by the crate `lru`, in strict order; everything else (bytes, counters, expiry, what a listing
//! says about a file) changes together with it under one lock, which is why a cache that is concurrent by itself
//! would not do: between its own lock and ours a number could be wrong.

mod entry;
mod listing;
mod mtime;
mod shelf;
mod upload;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;

use crate::error::Error;
use crate::limits;
use crate::sandbox::RelativePath;
pub use entry::{Entry, NewFile};
use listing::Listings;
pub use listing::{Info, Node, NodeKind, Tree, count};
pub use mtime::Mtime;
use shelf::Shelf;
pub use shelf::{Evicted, Status, Stored};
use upload::Uploads;
pub use upload::{Chunk, Progress};

/// What is held under: a path, for the one on whose behalf it was told.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// On whose behalf; empty when the server asks for no name.
    pub owner: String,
    /// The path from the project.
    pub path: RelativePath,
}

/// How much is held, and for how long.
#[derive(Debug, Clone)]
pub struct CacheLimits {
    /// Bytes of content.
    pub max_bytes: usize,
    /// Files.
    pub max_entries: usize,
    /// How long anything is held; for ever when `None`.
    pub ttl: Option<Duration>,
    /// How long an unfinished upload is held.
    pub upload_ttl: Duration,
}

impl Default for CacheLimits {
    fn default() -> Self {
        Self {
            max_bytes: limits::CACHE_BYTES,
            max_entries: limits::CACHE_ENTRIES,
            ttl: None,
            upload_ttl: limits::UPLOAD_TTL,
        }
    }
}

/// The numbers of the cache, all of one moment
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Stats {
    /// Requests served from the cache
    pub hits: u64,
    /// Requests that were not
    pub misses: u64,
    /// Files that made room for others
    pub evictions: u64,
    /// Files dropped because they were out of date
    pub invalidations: u64,
    /// Times a file replaced an older version
    pub updates: u64,
    /// Files held
    pub entries: usize,
    /// Bytes held
    pub size_bytes: usize,
    /// Hits among all requests, from 0 to 1
    pub hit_rate: f64,
    /// Bytes that may be held
    pub max_size: usize,
    /// Files that may be held
    pub max_entries: usize,
}

/// What someone waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Awaited {
    /// The content of a file.
    File(Key),
    /// The entries of a directory, all or those that fit a pattern.
    Listing(Key, Option<String>),
}

/// The cache. Share it by reference.
pub struct FileCache {
    inner: Mutex<Inner>,
    arrivals: watch::Sender<()>,
}

struct Inner {
    shelf: Shelf,
    listings: Listings,
    uploads: Uploads,
    /// Grows with everything that is told.
    sequence: u64,
}

impl Inner {
    fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }
}

impl FileCache {
    /// An empty cache.
    pub fn new(limits: CacheLimits) -> Self {
        let inner = Inner {
            listings: Listings::new(limits.ttl),
            uploads: Uploads::new(limits.max_bytes, limits.upload_ttl),
            shelf: Shelf::new(limits),
            sequence: 0,
        };
        Self { inner: Mutex::new(inner), arrivals: watch::Sender::new(()) }
    }

    /// Hold these files, all or none. An unfinished upload of one of them is dropped.
    pub fn store(&self, files: Vec<NewFile>) -> Result<(Vec<Stored>, Evicted), Error> {
        let mut inner = self.lock();
        let sequence = inner.next();
        let listed = files.iter().map(|file| inner.listings.mtime_of(&file.key)).collect();
        let stored = inner.shelf.store(&files, listed, sequence)?;
        files.iter().for_each(|file| inner.uploads.discard(&file.key));
        drop(inner);
        self.arrivals.send_replace(());
        Ok(stored)
    }

    /// The file, if it is held and not older than `current` nor than what a listing says. Counts a hit or a miss.
    pub fn get(&self, key: &Key, current: Option<f64>) -> Option<Entry> {
        let mut inner = self.lock();
        let listed = inner.listings.mtime_of(key);
        inner.shelf.get(key, newest(current, listed))
    }

    /// The file, if it was told after `since`. Counts nothing.
    pub fn told_since(&self, key: &Key, since: u64) -> Option<Entry> {
        self.lock().shelf.peek(key).filter(|entry| entry.sequence > since).cloned()
    }

    /// Hold one chunk of a file; the whole file when it was the last one missing.
    pub fn add_chunk(&self, key: &Key, chunk: Chunk) -> Result<Progress, Error> {
        self.lock().uploads.add(key, chunk)
    }

    /// Drop an unfinished upload.
    pub fn discard_upload(&self, key: &Key) {
        self.lock().uploads.discard(key);
    }

    /// Hold the listing of a directory and of all directories in it whose entries are known. Files that it says
    /// are newer are dropped.
    pub fn store_listing(&self, directory: &Key, pattern: Option<&str>, tree: &Tree) {
        let mut inner = self.lock();
        let sequence = inner.next();
        inner.listings.store(directory, pattern, tree, sequence);
        for (key, mtime) in listing::files(directory, tree) {
            inner.shelf.invalidate_older(&key, mtime);
        }
        drop(inner);
        self.arrivals.send_replace(());
    }

    /// The listing of a directory, or of all beneath it, if everything is known.
    pub fn listing(&self, directory: &Key, pattern: Option<&str>, depth: Depth) -> Option<Tree> {
        self.lock().listings.get(directory, pattern, depth)
    }

    /// Count a request for a listing.
    pub fn count_listing(&self, found: bool) {
        self.lock().shelf.count(found);
    }

    /// Whether the listing was told after `since`, whole or through the pattern.
    pub fn listed_since(&self, directory: &Key, pattern: Option<&str>, since: u64) -> bool {
        self.lock().listings.told(directory, pattern).is_some_and(|sequence| sequence > since)
    }

    /// The number of the latest news.
    pub fn sequence(&self) -> u64 {
        self.lock().sequence
    }

    /// Ends when what is awaited has been told after `since`.
    pub async fn arrival(&self, awaited: &Awaited, since: u64) {
        let mut news = self.arrivals.subscribe();
        while !self.has_arrived(awaited, since) {
            if news.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    fn has_arrived(&self, awaited: &Awaited, since: u64) -> bool {
        match awaited {
            Awaited::File(key) => self.told_since(key, since).is_some(),
            Awaited::Listing(key, pattern) => self.listed_since(key, pattern.as_deref(), since),
        }
    }

    /// The numbers of this moment.
    pub fn stats(&self) -> Stats {
        self.lock().shelf.stats()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much of a tree is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The entries of the directory itself.
    One,
    /// Everything beneath it.
    All,
}

fn newest(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}
