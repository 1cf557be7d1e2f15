//! `list`: the entries of a directory, or of the whole tree below it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{is_hidden, looks, not_a_directory, type_of};
use crate::args::pattern::FileFilter;
use crate::call::Cx;
use crate::control::Control;
use crate::error::Error;
use crate::ops::budget::Budget;
use crate::policy::AtHome;
use crate::sandbox::{self, Entry, Flow, Kind, PathArg, Place, Tree, WalkOptions, WalkReport};
use crate::toolsets::{Effect, Tool};

/// List files and directories, sorted by path. Links are not followed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Path to list files from (relative to server root)
    path: PathArg,
    /// Optional glob pattern to filter files
    #[serde(default = "super::search::any")]
    pattern: String,
    /// Whether to list files recursively
    #[serde(default)]
    recursive: bool,
    /// Whether to include hidden files (starting with .)
    #[serde(default)]
    include_hidden: bool,
    /// Whether to include file metadata (size, type, modification time)
    #[serde(default = "super::search::yes")]
    metadata: bool,
}

/// Files and directories
#[derive(Serialize, JsonSchema, Default)]
pub struct Listing {
    entries: Vec<ListedEntry>,
    /// Entries were left out
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// What to know about this answer
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ListedEntry {
    name: String,
    /// From the server root
    path: String,
    /// file, directory, symlink or other
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    is_hidden: bool,
}

/// Bytes an entry takes in an answer beside its name and path.
const ENTRY_WEIGHT: usize = 120;

impl Tool for List {
    type Output = Listing;
    const NAME: &'static str = "list";
    const EFFECT: Effect = Effect::Reads;
    const HOME: Option<AtHome> = looks(&["list_folder"]);

    fn run(self, cx: &Cx) -> Result<Listing, Error> {
        let filter = FileFilter::new("pattern", Some(&self.pattern))?;
        let place = cx.here_to_read(&self.path)?;
        let tree = Tree::open(&place).map_err(not_a_directory("path"))?;
        let mut listing = Listing::default();
        let (mut room, mut left_out) = (self.room(cx), 0_u64);
        let report = sandbox::walk(&tree, &self.walk(), cx.control(), |entry| {
            cx.control().advance(1);
            if filter.accepts(&entry.path) {
                let listed = self.describe(&tree, &place, &entry);
                match room.spend(listed.weight()) {
                    true => listing.entries.push(listed),
                    false => left_out += 1,
                }
            }
            Flow::Continue
        });
        listing.end(&report, left_out, cx.control())
    }
}

impl List {
    fn walk(&self) -> WalkOptions {
        WalkOptions {
            max_depth: (!self.recursive).then_some(0),
            respect_gitignore: false,
            skip_hidden: !self.include_hidden,
        }
    }

    /// One directory is always listed whole; a tree may be more than an answer holds.
    fn room(&self, cx: &Cx) -> Budget {
        Budget::of(if self.recursive { cx.bounds().max_answer } else { usize::MAX })
    }

    fn describe(&self, tree: &Tree, place: &Place, entry: &Entry) -> ListedEntry {
        let path = place.path().append(&entry.path);
        let name = path.split_last().map(|(_, name)| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let known = if self.metadata { tree.metadata(entry) } else { None };
        ListedEntry {
            is_hidden: is_hidden(&name),
            name,
            path: path.shown(),
            r#type: type_of(entry.kind),
            size: known.as_ref().filter(|_| entry.kind != Kind::Directory).map(|known| known.size),
            modified: known.map(|known| known.modified.iso()),
        }
    }
}

impl ListedEntry {
    fn weight(&self) -> usize {
        self.name.len() + self.path.len() + ENTRY_WEIGHT
    }
}

impl Listing {
    fn end(mut self, report: &WalkReport, left_out: u64, control: &Control) -> Result<Self, Error> {
        if let Some(halt) = report.halted {
            return Err(Error::from(halt).after(|| seen(control.done())));
        }
        if left_out > 0 {
            self.truncated = true;
            self.warnings.push(format!(
                "{left_out} further entries do not fit into one answer: list a directory below, or use pattern"
            ));
        }
        if report.unreadable > 0 {
            self.warnings.push(format!("{} directories could not be read", report.unreadable));
        }
        Ok(self)
    }
}

fn seen(entries: u64) -> String {
    format!("{entries} entries were seen; nothing was changed")
}
