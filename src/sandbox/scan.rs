//! Work on every file of a tree, in parallel, with the outcomes in the order of the paths.
//!
//! One thread walks, several open and work, and the caller's thread puts the outcomes in order. A window bounds how
//! far the walk may run ahead of a slow file.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::file::RegularFile;
use super::metadata::Kind;
pub use super::walk::Flow;
use super::walk::{Entry, Tree, WalkOptions, WalkReport, walk};
use crate::control::Control;
use crate::limits::SEARCH_WINDOW;

/// What came of one file.
#[derive(Debug)]
pub enum Scanned<T> {
    /// The work's outcome.
    Done(T),
    /// It could not be opened.
    Unreadable,
}

/// A file on its way, numbered.
struct Job {
    number: u64,
    entry: Entry,
}

/// Run `work` on every file beneath `start` that `wants` it; `take` gets the outcomes in order.
pub fn scan_files<T: Send>(
    start: &Tree,
    options: &WalkOptions,
    control: &Control,
    wants: impl Fn(&Entry) -> bool + Sync,
    work: impl Fn(&Entry, RegularFile) -> T + Sync,
    mut take: impl FnMut(&Entry, Scanned<T>) -> Flow,
) -> WalkReport {
    let (jobs, queue) = bounded::<Job>(SEARCH_WINDOW);
    let (outcomes, arrivals) = bounded::<(Job, Scanned<T>)>(SEARCH_WINDOW);
    let window = Window::default();
    thread::scope(|scope| {
        let walker = scope.spawn(|| produce(start, options, control, &wants, jobs, &window));
        for _ in 0..workers() {
            let (queue, outcomes) = (queue.clone(), outcomes.clone());
            scope.spawn(|| toil(start, &work, queue, outcomes, &window));
        }
        drop((queue, outcomes));
        in_order(arrivals, &window, &mut take);
        walker.join().unwrap_or_default()
    })
}

/// More threads than cores: on a cold cache the disk is what is waited for.
fn workers() -> usize {
    thread::available_parallelism().map_or(2, NonZero::get).clamp(2, 16)
}

/// How far the walk may run ahead, and whether anyone still wants more.
#[derive(Default)]
struct Window {
    taken: AtomicU64,
    closed: AtomicBool,
}

impl Window {
    fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn is_full(&self, number: u64) -> bool {
        number >= self.taken.load(Ordering::Relaxed) + SEARCH_WINDOW as u64
    }
}

fn produce(
    start: &Tree,
    options: &WalkOptions,
    control: &Control,
    wants: impl Fn(&Entry) -> bool,
    jobs: Sender<Job>,
    window: &Window,
) -> WalkReport {
    let mut number = 0;
    walk(start, options, control, |entry| {
        if window.is_closed() {
            return Flow::Stop;
        }
        if entry.kind != Kind::File || !wants(&entry) {
            return Flow::Continue;
        }
        while window.is_full(number) && !window.is_closed() && control.check().is_ok() {
            thread::park_timeout(std::time::Duration::from_millis(1));
        }
        let sent = jobs.send(Job { number, entry });
        number += 1;
        if sent.is_ok() { Flow::Continue } else { Flow::Stop }
    })
}

fn toil<T>(
    start: &Tree,
    work: impl Fn(&Entry, RegularFile) -> T,
    queue: Receiver<Job>,
    outcomes: Sender<(Job, Scanned<T>)>,
    window: &Window,
) {
    for job in queue {
        if window.is_closed() {
            continue;
        }
        let scanned = match start.open_file(&job.entry) {
            Ok(file) => Scanned::Done(work(&job.entry, file)),
            Err(_) => Scanned::Unreadable,
        };
        if outcomes.send((job, scanned)).is_err() {
            return;
        }
    }
}

fn in_order<T>(
    arrivals: Receiver<(Job, Scanned<T>)>,
    window: &Window,
    take: &mut impl FnMut(&Entry, Scanned<T>) -> Flow,
) {
    let mut early: BTreeMap<u64, (Job, Scanned<T>)> = BTreeMap::new();
    let mut next = 0;
    for (job, scanned) in arrivals {
        early.insert(job.number, (job, scanned));
        while let Some((job, scanned)) = early.remove(&next) {
            next += 1;
            window.taken.store(next, Ordering::Relaxed);
            if !window.is_closed() && take(&job.entry, scanned) == Flow::Stop {
                window.close();
            }
        }
    }
}
