//! Files that arrive in chunks: in any order, each checked, dropped when they are never finished.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use super::Key;
use crate::error::Error;
use crate::limits::{MAX_CHUNKS, MAX_UPLOADS};

/// One chunk.
#[derive(Debug)]
pub struct Chunk {
    /// Which, from 0.
    pub index: u32,
    /// Of how many.
    pub total: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// How far an upload is.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// Chunks are missing.
    Partial {
        /// Chunks received.
        received: u32,
        /// Bytes received.
        bytes: usize,
        /// The chunks that are still to come.
        missing: Vec<u32>,
        /// Whether an earlier upload with another number of chunks was dropped.
        restarted: bool,
    },
    /// All of it is here.
    Complete(Vec<u8>),
}

struct Upload {
    total: u32,
    chunks: BTreeMap<u32, Vec<u8>>,
    bytes: usize,
    touched: Instant,
}

pub(super) struct Uploads {
    open: HashMap<Key, Upload>,
    bytes: usize,
    max_bytes: usize,
    ttl: Duration,
}

impl Uploads {
    pub(super) fn new(max_bytes: usize, ttl: Duration) -> Self {
        Self { open: HashMap::new(), bytes: 0, max_bytes, ttl }
    }

    pub(super) fn add(&mut self, key: &Key, chunk: Chunk) -> Result<Progress, Error> {
        self.drop_expired();
        in_range(key, &chunk)?;
        let other_total = |upload: &Upload| upload.total != chunk.total;
        let restarted = self.open.get(key).is_some_and(other_total);
        if restarted {
            self.discard(key);
        }
        self.has_room(key, &chunk)?;
        let (size, total) = (chunk.bytes.len(), chunk.total);
        let upload = self.open.entry(key.clone()).or_insert_with(|| Upload::of(total));
        upload.put(key, chunk)?;
        self.bytes += size;
        Ok(match upload.missing() {
            missing if missing.is_empty() => Progress::Complete(self.take(key)),
            missing => Progress::Partial {
                received: upload.chunks.len() as u32,
                bytes: upload.bytes,
                missing,
                restarted,
            },
        })
    }

    pub(super) fn discard(&mut self, key: &Key) {
        if let Some(upload) = self.open.remove(key) {
            self.bytes -= upload.bytes;
        }
    }

    fn take(&mut self, key: &Key) -> Vec<u8> {
        let Some(upload) = self.open.remove(key) else { return Vec::new() };
        self.bytes -= upload.bytes;
        upload.chunks.into_values().flatten().collect()
    }

    fn drop_expired(&mut self) {
        let ttl = self.ttl;
        self.open.retain(|_, upload| upload.touched.elapsed() < ttl);
        self.bytes = self.open.values().map(|upload| upload.bytes).sum();
    }

    fn has_room(&self, key: &Key, chunk: &Chunk) -> Result<(), Error> {
        if !self.open.contains_key(key) && self.open.len() >= MAX_UPLOADS {
            return Err(Error::Refused(format!(
                "too many unfinished uploads ({MAX_UPLOADS}); finish one first"
            )));
        }
        if self.bytes + chunk.bytes.len() > self.max_bytes {
            let (path, limit) = (key.path.shown(), self.max_bytes);
            return Err(Error::Refused(format!(
                "upload larger than cache limit: {path}; all unfinished uploads together may have {limit} bytes"
            )));
        }
        Ok(())
    }
}

fn in_range(key: &Key, chunk: &Chunk) -> Result<(), Error> {
    let Chunk { index, total, .. } = *chunk;
    if (1..=MAX_CHUNKS).contains(&total) && index < total {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "no chunk {index} of {total} of {}: chunk_index is 0 to total_chunks - 1, total_chunks 1 to {MAX_CHUNKS}",
        key.path.shown()
    )))
}

impl Upload {
    fn of(total: u32) -> Self {
        Self { total, chunks: BTreeMap::new(), bytes: 0, touched: Instant::now() }
    }

    fn put(&mut self, key: &Key, chunk: Chunk) -> Result<(), Error> {
        if self.chunks.contains_key(&chunk.index) {
            let missing: Vec<String> = self.missing().iter().map(u32::to_string).collect();
            return Err(Error::Refused(format!(
                "chunk {} of {} was received already; still missing: {}",
                chunk.index,
                key.path.shown(),
                missing.join(", ")
            )));
        }
        self.bytes += chunk.bytes.len();
        self.chunks.insert(chunk.index, chunk.bytes);
        self.touched = Instant::now();
        Ok(())
    }

    fn missing(&self) -> Vec<u32> {
        (0..self.total).filter(|index| !self.chunks.contains_key(index)).collect()
    }
}
