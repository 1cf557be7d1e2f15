//! The one watcher of the process, started by the first who wants to know, and the word of changes to all.

use std::sync::{Arc, OnceLock};

use tokio::sync::broadcast;

use crate::error::Error;
use crate::limits::PENDING_CHANGES;
use crate::sandbox::{Change, WatchId, Watcher};

/// Where changes come from.
pub struct Watches {
    watcher: OnceLock<Result<Watcher, String>>,
    changes: broadcast::Sender<Change>,
}

impl Default for Watches {
    fn default() -> Self {
        Self { watcher: OnceLock::new(), changes: broadcast::Sender::new(PENDING_CHANGES) }
    }
}

impl Watches {
    /// The watcher, started now if it was not before.
    pub fn watcher(&self) -> Result<&Watcher, Error> {
        let started = self.watcher.get_or_init(|| {
            let changes = self.changes.clone();
            // Nobody may be listening at the moment.
            let tell = move |change| _ = changes.send(change);
            Watcher::start(tell).map_err(|error| error.to_string())
        });
        started.as_ref().map_err(|error| Error::Io { path: String::new(), reason: error.clone() })
    }

    /// All changes from now on.
    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }
}

/// Directories that are watched for as long as this lives.
pub struct Held {
    watches: Arc<Watches>,
    ids: Vec<WatchId>,
}

impl Held {
    /// Hold what was begun.
    pub fn new(watches: Arc<Watches>, ids: Vec<WatchId>) -> Self {
        Self { watches, ids }
    }

    /// Which they are.
    pub fn ids(&self) -> &[WatchId] {
        &self.ids
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Ok(watcher) = self.watches.watcher() {
            self.ids.iter().for_each(|id| watcher.unwatch(*id));
        }
    }
}
