//! How running work is told to stop, and how it tells how far it has come.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Why work stopped before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// The client cancelled the call or went away.
    Cancelled,
    /// The time the call was given has passed.
    DeadlinePassed,
}

/// Told how far long work has come: units done so far.
pub type Progress = Arc<dyn Fn(u64) + Send + Sync>;

/// A listener that passes on what it hears at most once in `interval`, and only what is more than before.
pub fn paced(interval: Duration, tell: impl Fn(u64) + Send + Sync + 'static) -> Progress {
    let last = Mutex::new((Instant::now(), 0));
    Arc::new(move |done| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0.elapsed() >= interval && done > last.1 {
            *last = (Instant::now(), done);
            tell(done);
        }
    })
}

/// The reins of one call: cancellation, deadline and progress. Cheap to clone.
#[derive(Clone, Default)]
pub struct Control {
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
    done: Arc<AtomicU64>,
    progress: Option<Progress>,
}

impl Control {
    /// Reins with a progress listener.
    pub fn with_progress(progress: Option<Progress>) -> Self {
        Self { progress, ..Self::default() }
    }

    /// The same reins with a deadline `limit` from now, or the earlier one already set.
    pub fn within(&self, limit: Duration) -> Self {
        let new = Instant::now().checked_add(limit);
        let deadline = match (self.deadline, new) {
            (Some(old), Some(new)) => Some(old.min(new)),
            (old, new) => old.or(new),
        };
        Self { deadline, ..self.clone() }
    }

    /// When the time of this call has passed.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Ask the work to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// `Err` when the work should stop now.
    pub fn check(&self) -> Result<(), Halt> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Halt::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Halt::DeadlinePassed),
            _ => Ok(()),
        }
    }

    /// Count `units` more as done and tell the listener.
    pub fn advance(&self, units: u64) {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        if let Some(progress) = &self.progress {
            progress(done);
        }
    }

    /// Units counted so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }
}
