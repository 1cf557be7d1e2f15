//! The one watcher of the process, started by the first who wants to know, and the word of changes to all.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::broadcast;

use super::{Call, Service};
use crate::control::Control;
use crate::error::Error;
use crate::limits::PENDING_CHANGES;
use crate::sandbox::{Change, Patience, WatchId, Watcher};

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

/// What a call has begun to watch. It ends with the call, unless whoever called takes it.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Vec<Held>>>);

impl Kept {
    /// Take it over.
    pub fn take(&self) -> Vec<Held> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Hold what was begun.
    pub(super) fn keep(&self, watches: &Arc<Watches>, ids: Vec<WatchId>) {
        let held = Held { watches: watches.clone(), ids };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(held);
    }
}

impl Service {
    /// What a call begins to watch that will be made again by whoever it is for: that one is judged and on record.
    pub fn prepare(&self, call: Call) -> Vec<Held> {
        let kept = call.kept.clone();
        drop(self.run(call, None, Control::default(), Patience::Any));
        kept.take()
    }
}
