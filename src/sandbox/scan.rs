//! Work on every file of a tree, in parallel, with the outcomes in the order of the paths.
//!
//! One thread walks, several open and work, and the caller's thread puts the outcomes in order. Files travel in
//! batches, because handing them over one by one would cost as much as searching them. A window bounds how far the
//! walk may run ahead of a slow file.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::file::ScanFile;
use super::metadata::Kind;
use super::path::RelativePath;
use super::walk::{Choice, Flow, Tree, WalkOptions, WalkReport, walk_chosen};
use crate::control::Control;
use crate::limits::SEARCH_WINDOW;

/// Files handed over at once.
const BATCH: usize = 32;

/// What the work on one file came to.
#[derive(Debug)]
pub enum Looked<T> {
    /// It was not for us.
    PassedOver,
    /// It is larger than what was to be looked into.
    TooLarge,
    /// It was looked into, and there is nothing to tell.
    Searched,
    /// It was looked into, and there is something to tell.
    Found(T),
    /// It could not be read.
    Unreadable,
}

/// How a scan ended.
#[derive(Debug, Default)]
pub struct ScanReport {
    /// How the walk ended.
    pub walk: WalkReport,
    /// Files looked into, up to the last one whose outcome was taken.
    pub searched: u64,
    /// Files that could not be read, likewise.
    pub unreadable: u64,
    /// Files that were too large, likewise.
    pub too_large: u64,
}

/// Files on their way, numbered as a batch.
struct Batch {
    number: u64,
    files: Vec<RelativePath>,
}

/// What came of a batch.
struct Outcomes<T> {
    number: u64,
    files: Vec<(RelativePath, Looked<T>)>,
}

/// Run what `hire` gives for each thread on every file beneath `tree` that `wants` it; `take` gets what was found, in
/// order.
pub fn scan_files<T: Send, W: FnMut(ScanFile) -> Looked<T>>(
    tree: &Tree,
    options: &WalkOptions,
    control: &Control,
    wants: impl Fn(&RelativePath) -> bool + Sync,
    hire: impl Fn() -> W + Sync,
    mut take: impl FnMut(&RelativePath, T) -> Flow,
) -> ScanReport {
    let (jobs, queue) = bounded::<Batch>(SEARCH_WINDOW / BATCH);
    let (outcomes, arrivals) = bounded::<Outcomes<T>>(SEARCH_WINDOW / BATCH);
    let window = Window::default();
    thread::scope(|scope| {
        let walker = scope.spawn(|| produce(tree, options, control, &wants, jobs, &window));
        for _ in 0..workers() {
            let (queue, outcomes) = (queue.clone(), outcomes.clone());
            let (hire, window) = (&hire, &window);
            scope.spawn(move || toil(tree, hire(), queue, outcomes, window));
        }
        drop((queue, outcomes));
        let mut report = in_order(arrivals, &window, &mut take);
        report.walk = walker.join().unwrap_or_default();
        report
    })
}

/// More threads than cores when there are few: on a cold cache the disk is what is waited for.
pub(super) fn workers() -> usize {
    // Asked once: behind the ring the quota of a container can not be read any more.
    static WORKERS: LazyLock<usize> =
        LazyLock::new(|| thread::available_parallelism().map_or(2, NonZero::get).clamp(2, 16));
    *WORKERS
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
        number >= self.taken.load(Ordering::Relaxed) + (SEARCH_WINDOW / BATCH) as u64
    }
}

fn produce(
    tree: &Tree,
    options: &WalkOptions,
    control: &Control,
    wants: &(impl Fn(&RelativePath) -> bool + Sync),
    jobs: Sender<Batch>,
    window: &Window,
) -> WalkReport {
    let choose = |path: &RelativePath, kind| match kind == Kind::File && wants(path) {
        true => Choice::Visit,
        false => Choice::Pass,
    };
    let mut number = 0;
    let mut files = Vec::new();
    let mut send = |files: &mut Vec<RelativePath>| {
        while window.is_full(number) && !window.is_closed() && control.check().is_ok() {
            thread::sleep(Duration::from_micros(200));
        }
        let sent = jobs.send(Batch { number, files: std::mem::take(files) });
        number += 1;
        if sent.is_ok() && !window.is_closed() { Flow::Continue } else { Flow::Stop }
    };
    let report = walk_chosen(tree, options, control, 0, &choose, |entry| {
        files.push(entry.path);
        if files.len() < BATCH { Flow::Continue } else { send(&mut files) }
    });
    send(&mut files);
    report
}

fn toil<T>(
    tree: &Tree,
    mut work: impl FnMut(ScanFile) -> Looked<T>,
    queue: Receiver<Batch>,
    outcomes: Sender<Outcomes<T>>,
    window: &Window,
) {
    for batch in queue {
        let wanted = batch.files.into_iter().take_while(|_| !window.is_closed());
        let look = |path: RelativePath| {
            let looked = tree.open_file(&path).map_or(Looked::Unreadable, &mut work);
            (path, looked)
        };
        let files = wanted.map(look).collect();
        if outcomes.send(Outcomes { number: batch.number, files }).is_err() {
            return;
        }
    }
}

fn in_order<T>(
    arrivals: Receiver<Outcomes<T>>,
    window: &Window,
    take: &mut impl FnMut(&RelativePath, T) -> Flow,
) -> ScanReport {
    let mut report = ScanReport::default();
    let mut early = BTreeMap::new();
    let mut next = 0;
    for outcomes in arrivals {
        early.insert(outcomes.number, outcomes.files);
        while let Some(files) = early.remove(&next) {
            next += 1;
            window.taken.store(next, Ordering::Relaxed);
            for (path, looked) in files {
                if !window.is_closed() && report.take(&path, looked, take) == Flow::Stop {
                    window.close();
                }
            }
        }
    }
    report
}

impl ScanReport {
    fn take<T>(
        &mut self,
        path: &RelativePath,
        looked: Looked<T>,
        take: &mut impl FnMut(&RelativePath, T) -> Flow,
    ) -> Flow {
        self.searched += u64::from(matches!(looked, Looked::Searched | Looked::Found(_)));
        self.unreadable += u64::from(matches!(looked, Looked::Unreadable));
        self.too_large += u64::from(matches!(looked, Looked::TooLarge));
        match looked {
            Looked::Found(found) => take(path, found),
            _ => Flow::Continue,
        }
    }
}
