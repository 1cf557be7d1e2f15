//! Reading directories ahead of a walk: whoever is free reads the next one, in about the order of the visit.

use std::cmp::Ordering as Order;
use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use std::os::fd::AsFd;

use super::directory::each_entry;
use super::ignores::Ignores;
use super::metadata::{Kind, Metadata};
use super::path::RelativePath;
use super::tree::Tree;
use super::walk::{Choice, Choose, Entry, WalkOptions, WalkReport};

/// Steps that may wait to be taken before the helpers pause: a bound on memory, not on speed.
const AHEAD: u64 = 100_000;
/// How long a helper with nothing to do sleeps at the most.
const NAP: Duration = Duration::from_millis(2);

/// A directory that is to be read, once.
pub(super) struct Node {
    path: RelativePath,
    depth: u64,
    ignores: Ignores,
    claimed: AtomicBool,
    listing: Mutex<Option<Result<Vec<Step>, Errno>>>,
}

impl Node {
    pub(super) fn new(path: RelativePath, depth: u64, ignores: Ignores) -> Self {
        Self { path, depth, ignores, claimed: AtomicBool::new(false), listing: Mutex::new(None) }
    }

    /// Whether the caller is the one who reads it.
    fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::AcqRel)
    }
}

/// A thing to do in a directory: visit an entry, or go into it.
pub(super) struct Step {
    path: RelativePath,
    kind: Kind,
    metadata: Option<Metadata>,
    enters: Option<Arc<Node>>,
}

impl Step {
    /// The entry to visit, or the directory to go into.
    pub(super) fn into_visit(self) -> Result<Entry, Arc<Node>> {
        match self.enters {
            Some(directory) => Err(directory),
            None => Ok(Entry { path: self.path, kind: self.kind, metadata: self.metadata }),
        }
    }

    /// The order of whole paths: what is in `a` comes behind `a.txt` because `/` comes behind `.`.
    fn order(&self, other: &Self) -> Order {
        let (mine, others) = (self.path.as_bytes(), other.path.as_bytes());
        let shared = mine.len().min(others.len());
        let next = |step: &Self, bytes: &[u8]| {
            bytes.get(shared).copied().or(step.enters.as_ref().map(|_| b'/'))
        };
        mine[..shared]
            .cmp(&others[..shared])
            .then_with(|| next(self, mine).cmp(&next(other, others)))
    }
}

/// What the visiting thread and its helpers share.
pub(super) struct Crew<'a> {
    tree: &'a Tree,
    options: &'a WalkOptions,
    choose: &'a Choose<'a>,
    /// Directories to read, the next one last.
    pending: Mutex<Vec<Arc<Node>>>,
    work: Condvar,
    arrived: Condvar,
    ahead: AtomicU64,
    /// Helpers with nothing to do, and whether the visiting thread waits: nobody is woken for nothing.
    idle: AtomicU64,
    awaited: AtomicBool,
    hired: AtomicBool,
    dismissed: AtomicBool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Crew<'a> {
    pub(super) fn new(tree: &'a Tree, options: &'a WalkOptions, choose: &'a Choose<'a>) -> Self {
        Self {
            tree,
            options,
            choose,
            pending: Mutex::default(),
            work: Condvar::new(),
            arrived: Condvar::new(),
            ahead: AtomicU64::new(0),
            idle: AtomicU64::new(0),
            awaited: AtomicBool::new(false),
            hired: AtomicBool::new(false),
            dismissed: AtomicBool::new(false),
        }
    }

    pub(super) fn tree(&self) -> &Tree {
        self.tree
    }

    /// The steps of a directory, in order: read here and now, or by a helper already.
    pub(super) fn steps(
        &self,
        node: &Arc<Node>,
        report: &mut WalkReport,
    ) -> Option<std::vec::IntoIter<Step>> {
        if node.claim() {
            self.read(node);
        }
        match self.await_listing(node) {
            Ok(steps) => {
                self.ahead.fetch_sub(steps.len() as u64, Ordering::Relaxed);
                Some(steps.into_iter())
            }
            // Gone meanwhile: as if it had never been.
            Err(Errno::NOENT) => None,
            Err(_) => {
                report.unreadable += 1;
                None
            }
        }
    }

    fn await_listing(&self, node: &Node) -> Result<Vec<Step>, Errno> {
        let mut listing = locked(&node.listing);
        loop {
            match listing.take() {
                Some(ready) => return ready,
                None => {
                    self.awaited.store(true, Ordering::Relaxed);
                    let waited = self.arrived.wait_timeout(listing, NAP);
                    listing = waited.unwrap_or_else(PoisonError::into_inner).0;
                    self.awaited.store(false, Ordering::Relaxed);
                }
            }
        }
    }

    /// Read directories until there are no more to come.
    pub(super) fn help(&self) {
        self.hired.store(true, Ordering::Relaxed);
        while let Some(node) = self.next() {
            if node.claim() {
                self.read(&node);
                if self.awaited.load(Ordering::Relaxed) {
                    self.arrived.notify_all();
                }
            }
        }
    }

    fn next(&self) -> Option<Arc<Node>> {
        let mut pending = locked(&self.pending);
        loop {
            if self.dismissed.load(Ordering::Relaxed) {
                return None;
            }
            let may_go_on = self.ahead.load(Ordering::Relaxed) < AHEAD;
            match may_go_on.then(|| pending.pop()).flatten() {
                Some(node) => return Some(node),
                None => {
                    self.idle.fetch_add(1, Ordering::Relaxed);
                    let waited = self.work.wait_timeout(pending, NAP);
                    pending = waited.unwrap_or_else(PoisonError::into_inner).0;
                    self.idle.fetch_sub(1, Ordering::Relaxed);
                }
            }
        }
    }

    /// Send the helpers home.
    pub(super) fn dismiss(&self) {
        self.dismissed.store(true, Ordering::Relaxed);
        self.work.notify_all();
    }

    fn read(&self, node: &Node) {
        // Whoever waits for this directory must not wait for ever.
        let listing = catch_unwind(AssertUnwindSafe(|| self.list(node))).unwrap_or(Err(Errno::IO));
        if let Ok(steps) = &listing {
            self.ahead.fetch_add(steps.len() as u64, Ordering::Relaxed);
            self.offer(steps);
        }
        *locked(&node.listing) = Some(listing);
    }

    /// Let helpers read the directories found, the first one first.
    fn offer(&self, steps: &[Step]) {
        if !self.hired.load(Ordering::Relaxed) {
            return;
        }
        let mut pending = locked(&self.pending);
        pending.extend(steps.iter().rev().filter_map(|step| step.enters.clone()));
        drop(pending);
        if self.idle.load(Ordering::Relaxed) > 0 {
            self.work.notify_all();
        }
    }

    /// The visible entries of one directory in the order of their paths, each directory twice:
    /// once as itself and once where what is in it belongs.
    fn list(&self, node: &Node) -> Result<Vec<Step>, Errno> {
        let dir = self.tree.open_directory(&node.path)?;
        let ignores = match self.options.respect_gitignore {
            true => node.ignores.with_file_of(self.tree, &node.path),
            false => Ignores::default(),
        };
        let may_enter = self.options.max_depth.is_none_or(|depth| node.depth < depth);
        let mut steps = Vec::new();
        each_entry(dir.as_fd(), |name, kind| {
            let path = node.path.join(name);
            if self.is_left_out(&path, name, kind, &ignores) {
                return;
            }
            let choice = (self.choose)(&path, kind);
            if kind == Kind::Directory && may_enter {
                let enters = Arc::new(Node::new(path.clone(), node.depth + 1, ignores.clone()));
                steps.push(Step { path: path.clone(), kind, metadata: None, enters: Some(enters) });
            }
            let metadata = match choice {
                Choice::Pass => return,
                Choice::Visit => None,
                Choice::VisitWithMetadata => Metadata::of_entry(dir.as_fd(), name).ok(),
            };
            steps.push(Step { path, kind, metadata, enters: None });
        })?;
        steps.sort_unstable_by(Step::order);
        Ok(steps)
    }

    fn is_left_out(
        &self,
        path: &RelativePath,
        name: &OsStr,
        kind: Kind,
        ignores: &Ignores,
    ) -> bool {
        (self.options.skip_hidden && name.as_encoded_bytes().starts_with(b"."))
            || (self.options.respect_gitignore
                && ignores.excludes(&self.tree.real().append(path), name, kind))
            || self.tree.hides(path, name)
    }
}
