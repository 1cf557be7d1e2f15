//! Change notification: directories are watched by handle, so that a watch can no more leave its root than a read.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::OFlags;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

use super::metadata::Kind;
use super::path::RelativePath;
use super::place::Place;
use super::resolve::Fault;
use super::temporary::is_temporary;
use super::walk::{Flow, Tree, WalkOptions, walk};
use crate::control::Control;
use crate::error::Error;

/// What is asked of the kernel: what clients can see, and nothing about mere reading.
const WANTED: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// A watched directory. Two places that are one directory share it.
pub type WatchId = i32;

/// Something happened in a watched directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The content of the entry `name`.
    Content(WatchId, OsString),
    /// The entry `name` came, went or was replaced.
    Entry(WatchId, OsString),
    /// The directory itself went away.
    Gone(WatchId),
    /// More happened than could be told.
    Overflow,
}

/// Watches directories and tells of changes, from a thread of its own.
pub struct Watcher {
    handle: Arc<OwnedFd>,
    users: Mutex<HashMap<WatchId, usize>>,
}

impl Watcher {
    /// Start, telling every change to `tell`.
    pub fn start(tell: impl Fn(Change) + Send + 'static) -> io::Result<Self> {
        let handle = Arc::new(inotify::init(CreateFlags::CLOEXEC)?);
        let read = handle.clone();
        std::thread::Builder::new().name("watch".into()).spawn(move || listen(&read, tell))?;
        Ok(Self { handle, users: Mutex::default() })
    }

    /// Watch the directory at `place`.
    pub fn watch(&self, place: &Place) -> Result<WatchId, Error> {
        let directory = place.root().open_at(place.path(), OFlags::PATH | OFlags::CLOEXEC);
        let directory = directory.map_err(|fault| place.fail(fault))?;
        self.add(&directory).map_err(|errno| match errno {
            rustix::io::Errno::NOSPC => Error::Refused(
                "the system watches as many directories as it allows (fs.inotify.max_user_watches); ask again later"
                    .into(),
            ),
            other => place.fail(Fault::Os(other)),
        })
    }

    /// Watch the directory at `place` and those beneath it, `most` at the most.
    pub fn watch_tree(
        &self,
        place: &Place,
        most: usize,
        options: &WalkOptions,
        control: &Control,
    ) -> Result<Vec<WatchId>, Error> {
        let tree = Tree::open(place)?;
        let mut watched = vec![self.watch(place)?];
        walk(&tree, options, control, |entry| {
            if entry.kind == Kind::Directory {
                watched.extend(self.watch_in(&tree, &entry.path));
            }
            if watched.len() < most { Flow::Continue } else { Flow::Stop }
        });
        Ok(watched)
    }

    /// One directory less to watch, unless others want it too.
    pub fn unwatch(&self, id: WatchId) {
        let mut users = self.users();
        let left = users.get(&id).copied().unwrap_or_default().saturating_sub(1);
        if left > 0 {
            users.insert(id, left);
        } else {
            users.remove(&id);
            // It may have ended by itself, with its directory.
            let _ = inotify::remove_watch(&*self.handle, id);
        }
    }

    fn watch_in(&self, tree: &Tree, path: &RelativePath) -> Option<WatchId> {
        self.add(&tree.open_directory(path).ok()?).ok()
    }

    fn add(&self, directory: &OwnedFd) -> Result<WatchId, rustix::io::Errno> {
        // The name of our own handle: no path is looked up a second time.
        let name = format!("/proc/self/fd/{}", directory.as_raw_fd());
        let mut users = self.users();
        let id = inotify::add_watch(&*self.handle, name, WANTED)?;
        *users.entry(id).or_default() += 1;
        Ok(id)
    }

    fn users(&self) -> MutexGuard<'_, HashMap<WatchId, usize>> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Read changes for as long as the process lives.
fn listen(handle: &OwnedFd, tell: impl Fn(Change)) {
    let mut buffer = [MaybeUninit::uninit(); 16 << 10];
    let mut reader = Reader::new(handle, &mut buffer);
    loop {
        match reader.next() {
            Ok(event) => {
                let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                change(event.wd(), event.events(), name).into_iter().for_each(&tell);
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

fn change(id: WatchId, events: ReadFlags, name: Option<&OsStr>) -> Option<Change> {
    if events.contains(ReadFlags::QUEUE_OVERFLOW) {
        return Some(Change::Overflow);
    }
    if events.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED) {
        return Some(Change::Gone(id));
    }
    let name = name.filter(|name| !is_temporary(name.as_bytes()))?.to_owned();
    let only_content = events.intersects(ReadFlags::MODIFY);
    Some(if only_content { Change::Content(id, name) } else { Change::Entry(id, name) })
}
