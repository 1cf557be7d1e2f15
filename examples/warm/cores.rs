//! Work on many items, spread over all cores.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Items taken at once.
const BATCH: usize = 32;

/// Run what `hire` gives for each thread on every item; what came of them, in no order.
pub fn on_all<T: Sync, R: Send, W: FnMut(&T) -> R>(
    items: &[T],
    hire: impl Fn() -> W + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let toil = || {
        let mut work = hire();
        let mut done = Vec::new();
        while let Some(batch) = items.chunks(BATCH).nth(next.fetch_add(1, Ordering::Relaxed)) {
            done.extend(batch.iter().map(&mut work));
        }
        done
    };
    let threads = thread::available_parallelism().map_or(2, NonZero::get);
    thread::scope(|scope| {
        let hired: Vec<_> = (0..threads).map(|_| scope.spawn(toil)).collect();
        hired.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    })
}
