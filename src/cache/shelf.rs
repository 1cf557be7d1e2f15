//! Files in the order of their last use, with every byte and every event counted.

use std::collections::HashSet;

use lru::LruCache;
use schemars::JsonSchema;
use serde::Serialize;

use super::{CacheLimits, Entry, Key, NewFile, Stats};
use crate::error::Error;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Status {
    /// It is new here.
    Cached,
    /// It replaced an older version.
    Updated,
}

/// A file that is now held.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Where.
    pub key: Key,
    /// Whether it is new.
    pub status: Status,
    /// As it is held.
    pub entry: Entry,
}

/// What had to make room.
#[derive(Debug, Clone, Default)]
pub struct Evicted {
    /// Bytes.
    pub bytes: usize,
    /// Files, the one unused longest first.
    pub keys: Vec<Key>,
}

pub(super) struct Shelf {
    limits: CacheLimits,
    entries: LruCache<Key, Entry>,
    bytes: usize,
    hits: u64,
    misses: u64,
    evictions: u64,
    invalidations: u64,
    updates: u64,
}

impl Shelf {
    pub(super) fn new(limits: CacheLimits) -> Self {
        let entries = LruCache::unbounded();
        let (bytes, hits, misses, evictions, invalidations, updates) = (0, 0, 0, 0, 0, 0);
        Self { limits, entries, bytes, hits, misses, evictions, invalidations, updates }
    }

    /// Hold these files, all or none; `listed` is what listings say of each.
    pub(super) fn store(
        &mut self,
        files: &[NewFile],
        listed: Vec<Option<f64>>,
        sequence: u64,
    ) -> Result<(Vec<Stored>, Evicted), Error> {
        self.would_fit(files)?;
        let earlier: Vec<Option<Entry>> = files.iter().map(|file| self.take(&file.key)).collect();
        let evicted = self.make_room(files);
        let stored = files.iter().zip(earlier).zip(listed);
        let stored = stored.map(|((file, earlier), listed)| {
            let updates = earlier.as_ref().map_or(0, |entry| entry.update_count + 1);
            self.updates += u64::from(earlier.is_some());
            let entry = Entry::new(file, listed, sequence, updates);
            self.bytes += entry.bytes.len();
            self.entries.put(file.key.clone(), entry.clone());
            let status = if earlier.is_some() { Status::Updated } else { Status::Cached };
            Stored { key: file.key.clone(), status, entry }
        });
        Ok((stored.collect(), evicted))
    }

    /// `Err` when the files can not all be held at once.
    fn would_fit(&self, files: &[NewFile]) -> Result<(), Error> {
        let (max_bytes, max_entries) = (self.limits.max_bytes, self.limits.max_entries);
        let mut seen = HashSet::new();
        if let Some(twice) = files.iter().find(|file| !seen.insert(&file.key)) {
            let path = twice.key.path.shown();
            return Err(Error::Refused(format!("the same path is given twice: {path}")));
        }
        if let Some(file) = files.iter().find(|file| file.bytes.len() > max_bytes) {
            return Err(Error::Refused(format!(
                "file larger than cache limit: {} has {} bytes, the limit is {max_bytes} bytes",
                file.key.path.shown(),
                file.bytes.len()
            )));
        }
        let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
        if bytes > max_bytes || files.len() > max_entries {
            return Err(Error::Refused(format!(
                "files larger than cache limit: {} files of {bytes} bytes, the limit is {max_entries} files of {max_bytes} bytes; send fewer at once",
                files.len()
            )));
        }
        Ok(())
    }

    fn make_room(&mut self, files: &[NewFile]) -> Evicted {
        let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
        let mut evicted = Evicted::default();
        while self.bytes + bytes > self.limits.max_bytes
            || self.entries.len() + files.len() > self.limits.max_entries
        {
            let Some((key, entry)) = self.entries.pop_lru() else { break };
            self.bytes -= entry.bytes.len();
            self.evictions += 1;
            evicted.bytes += entry.bytes.len();
            evicted.keys.push(key);
        }
        evicted
    }

    /// The file, if it is not older than `current`; it counts as used.
    pub(super) fn get(&mut self, key: &Key, current: Option<f64>) -> Option<Entry> {
        let is_stale = |entry: &Entry| current.is_some_and(|current| current > entry.as_of);
        if self.peek(key).is_some_and(is_stale) {
            self.invalidate(key);
        }
        let found = self.entries.get(key).cloned();
        self.count(found.is_some());
        found
    }

    pub(super) fn count(&mut self, found: bool) {
        *(if found { &mut self.hits } else { &mut self.misses }) += 1;
    }

    /// The file, if it has not expired; it does not count as used.
    pub(super) fn peek(&mut self, key: &Key) -> Option<&Entry> {
        let ttl = self.limits.ttl;
        let has_expired = |entry: &Entry| ttl.is_some_and(|ttl| entry.since.elapsed() >= ttl);
        if self.entries.peek(key).is_some_and(has_expired) {
            self.invalidate(key);
        }
        self.entries.peek(key)
    }

    /// Drop the file if it was changed after it was told.
    pub(super) fn invalidate_older(&mut self, key: &Key, mtime: f64) {
        if self.entries.peek(key).is_some_and(|entry| mtime > entry.as_of) {
            self.invalidate(key);
        }
    }

    fn invalidate(&mut self, key: &Key) {
        self.invalidations += u64::from(self.take(key).is_some());
    }

    fn take(&mut self, key: &Key) -> Option<Entry> {
        let entry = self.entries.pop(key)?;
        self.bytes -= entry.bytes.len();
        Some(entry)
    }

    pub(super) fn stats(&self) -> Stats {
        let requests = self.hits + self.misses;
        Stats {
            hits: self.hits,
            misses: self.misses,
            evictions: self.evictions,
            invalidations: self.invalidations,
            updates: self.updates,
            entries: self.entries.len(),
            size_bytes: self.bytes,
            hit_rate: if requests == 0 { 0.0 } else { self.hits as f64 / requests as f64 },
            max_size: self.limits.max_bytes,
            max_entries: self.limits.max_entries,
        }
    }
}
