//! The ways to answer one search.

use std::time::{Duration, Instant};

use anyhow::{Error, Result};
use mcp_filesystem::args::pattern::FileFilter;
use mcp_filesystem::control::Control;
use mcp_filesystem::limits::MAX_ANSWER_BYTES;
use mcp_filesystem::ops::search::{Case, Query, Syntax};
use mcp_filesystem::sandbox::{Place, WalkOptions};
use mcp_filesystem::search::{self, Ask};

use crate::ground::Ground;
use crate::kept::{Check, Id, Kept};
use crate::trigrams::Index;

/// How a search is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// What the server does.
    Scan,
    /// The walk is saved: every file of a kept list is opened, read and searched.
    List,
    /// Only the candidates of the index are searched; nothing says that it is still right.
    Index,
    /// The same and whatever `Check` finds changed.
    CheckedIndex(Check),
}

impl Way {
    pub const ALL: [Self; 5] = [
        Self::Scan,
        Self::List,
        Self::Index,
        Self::CheckedIndex(Check::Directories),
        Self::CheckedIndex(Check::Everything),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan: walk, open, read, search",
            Self::List => "list kept: open, read, search",
            Self::Index => "index, trusted",
            Self::CheckedIndex(Check::Directories) => "index, every directory checked",
            Self::CheckedIndex(Check::Everything) => "index, every file checked",
        }
    }
}

/// All that is kept of a tree.
pub struct Warm {
    place: Place,
    pub kept: Kept,
    pub index: Index,
    pub built_in: Duration,
}

impl Warm {
    pub fn new(ground: &Ground) -> Result<Self> {
        let place = ground.place()?;
        let kept = Kept::new(&place)?;
        let started = Instant::now();
        let index = Index::new(&kept)?;
        Ok(Self { place, kept, index, built_in: started.elapsed() })
    }

    /// Lines with `word`.
    pub fn hits(&self, way: Way, word: &str) -> Result<u64> {
        let query = Query::new(word, Syntax::Literal, Case::Sensitive).map_err(Error::msg)?;
        let found = match way {
            Way::Scan => return self.scanned(query),
            Way::List => self.kept.all(),
            Way::Index => self.index.candidates(word),
            Way::CheckedIndex(check) => {
                merged(self.index.candidates(word), self.kept.changed(check))
            }
        };
        Ok(self.kept.hits(&found, &query))
    }

    fn scanned(&self, query: Query) -> Result<u64> {
        let ask = Ask {
            query,
            filter: FileFilter::new("", None).map_err(Error::msg)?,
            walk: WalkOptions::default(),
            max_results: u64::MAX,
            max_file_size: None,
            max_bytes: MAX_ANSWER_BYTES,
        };
        let found = search::contents(&self.place, ask, &Control::default());
        found.map(|found| found.total).map_err(Error::msg)
    }
}

fn merged(mut files: Vec<Id>, more: Vec<Id>) -> Vec<Id> {
    files.extend(more);
    files.sort_unstable();
    files.dedup();
    files
}
