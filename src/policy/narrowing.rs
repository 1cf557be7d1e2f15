//! What a client's own roots leave of the operator's: they narrow, and never widen.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::Policy;
use crate::error::Error;
use crate::sandbox::{Overlap, RelativePath, Root};

/// What is left of each root that is not open as a whole; nothing is left where there are no parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrowing {
    left: BTreeMap<String, Arc<[RelativePath]>>,
}

impl Narrowing {
    /// Whether anything of the root is left.
    pub fn sees(&self, root: &str) -> bool {
        self.left.get(root).is_none_or(|parts| !parts.is_empty())
    }

    /// The root as far as it is left.
    pub fn view(&self, root: &Arc<Root>) -> Result<Arc<Root>, Error> {
        match self.left.get(root.name()) {
            None => Ok(root.clone()),
            Some(parts) if parts.is_empty() => {
                Err(Error::Elsewhere { path: String::new(), open: Vec::new() })
            }
            Some(parts) => Ok(Arc::new(root.narrowed(parts))),
        }
    }
}

impl Policy {
    /// What directories of a client leave of the roots; `None` when that is nothing at all. Looks at the disk.
    pub fn narrowed(&self, directories: &[PathBuf]) -> Option<Narrowing> {
        let mut narrowing = Narrowing::default();
        let mut is_something_left = false;
        for granted in self.roots.iter().chain(&self.home) {
            let parts = parts(granted.root(), directories);
            is_something_left |= parts.as_ref().is_none_or(|parts| !parts.is_empty());
            let name = granted.root().name().to_owned();
            narrowing.left.extend(parts.map(|parts| (name, parts.into())));
        }
        is_something_left.then_some(narrowing)
    }

    /// Nothing is left of any root.
    pub fn shut(&self) -> Narrowing {
        let names = self.roots.iter().chain(&self.home).map(|granted| granted.root().name());
        Narrowing { left: names.map(|name| (name.to_owned(), Arc::default())).collect() }
    }
}

/// The parts of `root` that `directories` cover, none inside another; `None` for all of it.
fn parts(root: &Root, directories: &[PathBuf]) -> Option<Vec<RelativePath>> {
    let mut parts: Vec<RelativePath> = Vec::new();
    for directory in directories {
        match root.overlap(directory) {
            Overlap::Whole => return None,
            Overlap::Part(part) => parts.push(part),
            Overlap::Nothing => {}
        }
    }
    parts.sort();
    parts.dedup();
    let inside =
        |part: &RelativePath| parts.iter().any(|other| part != other && part.is_within(other));
    Some(parts.iter().filter(|part| !inside(part)).cloned().collect())
}
