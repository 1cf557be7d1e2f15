//! Listings: a map from each known directory to its entries, so that any level of a tree is one step away.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::time::{Duration, Instant};

use lru::LruCache;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Depth, Key, Mtime};
use crate::limits::MAX_LISTING_BYTES;
use crate::sandbox::RelativePath;

/// What an entry is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum NodeKind {
    /// A file.
    #[default]
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// Anything else.
    Other,
}

/// What is known about an entry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Info {
    /// What it is.
    pub kind: NodeKind,
    /// Bytes.
    pub size: Option<u64>,
    /// When it was last changed, as the agent told it.
    pub mtime: Option<Mtime>,
    /// The same in seconds.
    pub mtime_seconds: Option<f64>,
}

/// Entries by name.
pub type Tree = BTreeMap<String, Node>;

/// An entry, and what is in it if that is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node {
    /// What is known about it.
    pub info: Info,
    /// Its entries, if it is a directory whose entries are known.
    pub children: Option<Tree>,
}

/// How many entries a tree has, at all levels.
pub fn count(tree: &Tree) -> usize {
    tree.values().map(|node| 1 + node.children.as_ref().map_or(0, count)).sum()
}

/// The files of a tree that have a modification time.
pub(super) fn files(directory: &Key, tree: &Tree) -> Vec<(Key, f64)> {
    let mut found = Vec::new();
    for (name, node) in tree {
        let key = beneath(directory, name);
        if let Some(children) = &node.children {
            found.extend(files(&key, children));
        }
        found.extend(node.info.mtime_seconds.map(|mtime| (key, mtime)));
    }
    found
}

fn beneath(directory: &Key, name: &str) -> Key {
    Key { owner: directory.owner.clone(), path: directory.path.join(OsStr::new(name)) }
}

/// A directory, seen through a pattern or whole.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct View {
    directory: Key,
    pattern: Option<String>,
}

struct Listing {
    entries: BTreeMap<String, Info>,
    /// Memory that it takes, roughly.
    bytes: usize,
    sequence: u64,
    since: Instant,
}

/// Memory that an entry takes beside its name, and a listing beside its path.
const OVERHEAD: usize = 160;

pub(super) struct Listings {
    known: LruCache<View, Listing>,
    bytes: usize,
    ttl: Option<Duration>,
}

impl Listings {
    pub(super) fn new(ttl: Option<Duration>) -> Self {
        Self { known: LruCache::unbounded(), bytes: 0, ttl }
    }

    pub(super) fn store(
        &mut self,
        directory: &Key,
        pattern: Option<&str>,
        tree: &Tree,
        sequence: u64,
    ) {
        let view = View { directory: directory.clone(), pattern: pattern.map(str::to_owned) };
        self.forget_gone(&view, tree);
        for (name, node) in tree {
            if let Some(children) = &node.children {
                self.store(&beneath(directory, name), pattern, children, sequence);
            }
        }
        let entries: BTreeMap<_, _> =
            tree.iter().map(|(name, node)| (name.clone(), node.info.clone())).collect();
        let names: usize = entries.keys().map(|name| name.len() + OVERHEAD).sum();
        let bytes = names + directory.path.as_bytes().len() + OVERHEAD;
        self.bytes += bytes;
        let old = self.known.put(view, Listing { entries, bytes, sequence, since: Instant::now() });
        self.bytes -= old.map_or(0, |old| old.bytes);
        self.make_room();
    }

    /// What is known of a directory that is no longer there says nothing.
    fn forget_gone(&mut self, view: &View, tree: &Tree) {
        let Some(old) = self.known.peek(view) else { return };
        let was_directory = |info: &Info| info.kind == NodeKind::Directory;
        let gone: Vec<RelativePath> = old
            .entries
            .iter()
            .filter(|(name, info)| was_directory(info) && !tree.contains_key(*name))
            .map(|(name, _)| beneath(&view.directory, name).path)
            .collect();
        if gone.is_empty() {
            return;
        }
        let is_gone = |other: &View| {
            other.directory.owner == view.directory.owner
                && gone.iter().any(|path| other.directory.path.is_within(path))
        };
        let views: Vec<View> = self
            .known
            .iter()
            .map(|(other, _)| other)
            .filter(|other| is_gone(other))
            .cloned()
            .collect();
        views.iter().for_each(|view| self.forget(view));
    }

    fn forget(&mut self, view: &View) {
        self.bytes -= self.known.pop(view).map_or(0, |old| old.bytes);
    }

    fn make_room(&mut self) {
        while self.bytes > MAX_LISTING_BYTES {
            let Some((_, old)) = self.known.pop_lru() else { break };
            self.bytes -= old.bytes;
        }
    }

    /// The listing, if all that is wanted is known.
    pub(super) fn get(
        &mut self,
        directory: &Key,
        pattern: Option<&str>,
        depth: Depth,
    ) -> Option<Tree> {
        let view = View { directory: directory.clone(), pattern: pattern.map(str::to_owned) };
        let entries = self.fresh(&view)?.entries.clone();
        let nodes = entries.into_iter().map(|(name, info)| {
            let children = match (depth, info.kind) {
                (Depth::All, NodeKind::Directory) => {
                    Some(self.get(&beneath(directory, &name), pattern, depth)?)
                }
                _ => None,
            };
            Some((name, Node { info, children }))
        });
        nodes.collect()
    }

    fn fresh(&mut self, view: &View) -> Option<&Listing> {
        let ttl = self.ttl;
        let expired = |listing: &Listing| ttl.is_some_and(|ttl| listing.since.elapsed() >= ttl);
        if self.known.peek(view).is_some_and(expired) {
            self.forget(view);
        }
        self.known.get(view)
    }

    /// When the directory was told last, whole or through the pattern.
    pub(super) fn told(&self, directory: &Key, pattern: Option<&str>) -> Option<u64> {
        let view = |pattern: Option<&str>| View {
            directory: directory.clone(),
            pattern: pattern.map(str::to_owned),
        };
        let views = [view(None), view(pattern)];
        let told = views.iter().filter_map(|view| self.known.peek(view));
        told.map(|listing| listing.sequence).max()
    }

    /// When a file was last changed, by the listing of its directory.
    pub(super) fn mtime_of(&mut self, file: &Key) -> Option<f64> {
        let (parent, name) = file.path.split_last()?;
        let directory = Key { owner: file.owner.clone(), path: parent };
        let listing = self.fresh(&View { directory, pattern: None })?;
        listing.entries.get(name.to_str()?)?.mtime_seconds
    }
}
