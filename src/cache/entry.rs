//! One file: its bytes, and what is known about them.

use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};

use super::{Key, Mtime};

/// A file to hold.
#[derive(Debug, Clone)]
pub struct NewFile {
    /// Where.
    pub key: Key,
    /// As the file has them on the agent's disk.
    pub bytes: Arc<[u8]>,
    /// The encoding as the agent named it.
    pub encoding: String,
    /// When it was last changed, as the agent told it.
    pub mtime: Option<Mtime>,
    /// The same in seconds.
    pub mtime_seconds: Option<f64>,
}

/// A file that is held.
#[derive(Debug, Clone)]
pub struct Entry {
    /// As the file has them on the agent's disk.
    pub bytes: Arc<[u8]>,
    /// The encoding as the agent named it.
    pub encoding: String,
    /// When it was last changed, as the agent told it.
    pub mtime: Option<Mtime>,
    /// When it was told.
    pub timestamp: DateTime<Utc>,
    /// How often it was told anew.
    pub update_count: u64,
    /// The number of the news that brought it.
    pub(super) sequence: u64,
    /// A file changed later than this is another one, in seconds since 1970.
    pub(super) as_of: f64,
    pub(super) since: Instant,
}

impl Entry {
    /// `listed` is what a listing said: content told after that is at least as new.
    pub(super) fn new(file: &NewFile, listed: Option<f64>, sequence: u64, updates: u64) -> Self {
        let timestamp = Utc::now();
        let told = timestamp.timestamp_micros() as f64 / 1e6;
        Self {
            bytes: file.bytes.clone(),
            encoding: file.encoding.clone(),
            mtime: file.mtime.clone(),
            timestamp,
            update_count: updates,
            sequence,
            as_of: file.mtime_seconds.unwrap_or(listed.map_or(told, |listed| told.max(listed))),
            since: Instant::now(),
        }
    }
}
