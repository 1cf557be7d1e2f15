//! Searching a tree: contents and names, in the order of the paths, within the limits of an answer.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::args::pattern::{FileFilter, PathPattern};
use crate::control::{Control, Halt};
use crate::error::Error;
use crate::ops::budget::Budget;
use crate::ops::search::{FileMatches, LineMatch, Query, Searched, Seeker};
use crate::sandbox::{
    self, Choice, Entry, Flow, Kind, Looked, Metadata, Place, RelativePath, ScanFile, ScanReport,
    Tree, WalkOptions,
};

/// What to look for in files.
pub struct Ask {
    /// The pattern.
    pub query: Query,
    /// Which files.
    pub filter: FileFilter,
    /// Which part of the tree.
    pub walk: WalkOptions,
    /// Matches to count at the most.
    pub max_results: u64,
    /// Larger files are passed over.
    pub max_file_size: Option<u64>,
    /// Bytes of matches to return at the most.
    pub max_bytes: usize,
}

/// What was found in files.
#[derive(Debug, Default)]
pub struct Contents {
    /// The matches that fit into the answer, by file.
    pub lines: Vec<(String, LineMatch)>,
    /// How many there were.
    pub total: u64,
    /// Whether there may be more.
    pub truncated: bool,
    /// Whether time ran out.
    pub timed_out: bool,
    /// Files looked into.
    pub files_searched: u64,
    /// Files with a match.
    pub files_matched: u64,
    /// What could not be read.
    pub unreadable: u64,
    /// Files that were larger than `max_file_size`.
    pub too_large: u64,
}

impl Contents {
    /// What to tell about what is not in the answer.
    pub fn note(&self) -> Option<String> {
        let large = format!("{} files larger than max_file_size were not searched", self.too_large);
        let parts = note(self.total, self.lines.len(), self.unreadable).into_iter();
        let parts: Vec<String> = parts.chain((self.too_large > 0).then_some(large)).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn end(&mut self, report: ScanReport, control: &Control) -> Result<(), Error> {
        self.files_searched = report.searched;
        self.unreadable = report.unreadable + report.walk.unreadable;
        self.too_large = report.too_large;
        // The walk may have been through while the last files were still looked into.
        self.timed_out = timed_out(report.walk.halted.or(control.check().err()))?;
        Ok(())
    }

    fn take(&mut self, file: &str, found: FileMatches, ask: &Ask, room: &mut Budget) -> Flow {
        self.files_matched += 1;
        let wanted = ask.max_results - self.total;
        for line in found.lines.into_iter().take(wanted as usize) {
            if room.spend(line.weight() + file.len()) {
                self.lines.push((file.to_owned(), line));
            }
        }
        self.total += found.total.min(wanted);
        self.truncated = self.total >= ask.max_results || (self.lines.len() as u64) < self.total;
        if self.total >= ask.max_results { Flow::Stop } else { Flow::Continue }
    }
}

fn note(total: u64, shown: usize, unreadable: u64) -> Option<String> {
    let mut parts = Vec::new();
    if (shown as u64) < total {
        let left = total - shown as u64;
        parts.push(format!(
            "{left} further matches were counted but do not fit into one answer: narrow the search"
        ));
    }
    if unreadable > 0 {
        parts.push(format!("{unreadable} entries could not be read"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Out of time gives what was found; cancelled gives nothing.
fn timed_out(halted: Option<Halt>) -> Result<bool, Error> {
    match halted {
        Some(Halt::Cancelled) => Err(Halt::Cancelled.into()),
        Some(Halt::DeadlinePassed) => Ok(true),
        None => Ok(false),
    }
}

/// Search the contents of the file or the tree at `place`.
pub fn contents(place: &Place, ask: Ask, control: &Control) -> Result<Contents, Error> {
    match Tree::open(place) {
        Ok(tree) => contents_of_tree(&tree, place.path(), ask, control),
        Err(Error::WrongKind { found: Kind::File, .. }) => contents_of_file(place, ask, control),
        Err(error) => Err(error),
    }
}

/// Nothing was wanted, and whether there is something is not known.
fn unasked() -> Contents {
    Contents { truncated: true, ..Contents::default() }
}

impl Ask {
    /// A single file can have as many matches as are wanted of all.
    fn limited(self) -> Self {
        Self { query: self.query.with_limits(self.max_results, self.max_bytes), ..self }
    }
}

/// Search the contents of `tree`, whose top is at `base`.
pub fn contents_of_tree(
    tree: &Tree,
    base: &RelativePath,
    ask: Ask,
    control: &Control,
) -> Result<Contents, Error> {
    if ask.max_results == 0 {
        return Ok(unasked());
    }
    let ask = &ask.limited();
    let mut contents = Contents::default();
    let mut room = Budget::of(ask.max_bytes);
    // What no longer fits into the answer is only counted.
    let has_room = AtomicBool::new(true);
    let hire = || {
        let (mut seeker, has_room) = (ask.query.seeker(), &has_room);
        move |file| {
            if !has_room.load(Ordering::Relaxed) {
                seeker.only_count();
            }
            look_into(file, &mut seeker, ask, control)
        }
    };
    let report = sandbox::scan_files(
        tree,
        &ask.walk,
        control,
        |path| ask.filter.accepts(path),
        hire,
        |path, found| {
            let flow = contents.take(&base.append(path).shown(), found, ask, &mut room);
            has_room.store(!room.is_spent(), Ordering::Relaxed);
            flow
        },
    );
    contents.end(report, control)?;
    Ok(contents)
}

fn look_into(
    file: ScanFile,
    seeker: &mut Seeker,
    ask: &Ask,
    control: &Control,
) -> Looked<FileMatches> {
    control.advance(1);
    if ask.max_file_size.is_some_and(|limit| file.size().is_ok_and(|size| size > limit)) {
        return Looked::TooLarge;
    }
    let end = file.end();
    match seeker.search(file, end, control) {
        Searched::Text(found) if found.total > 0 => Looked::Found(found),
        Searched::Text(_) => Looked::Searched,
        Searched::Binary => Looked::PassedOver,
        Searched::Failed => Looked::Unreadable,
    }
}

fn contents_of_file(place: &Place, ask: Ask, control: &Control) -> Result<Contents, Error> {
    if ask.max_results == 0 {
        return Ok(unasked());
    }
    let ask = &ask.limited();
    let file = sandbox::open_regular(place)?;
    let mut contents = Contents::default();
    match look_into(file.into(), &mut ask.query.seeker(), ask, control) {
        Looked::Found(found) => {
            contents.take(&place.display(), found, ask, &mut Budget::of(ask.max_bytes));
            contents.files_searched = 1;
        }
        Looked::Searched => contents.files_searched = 1,
        Looked::PassedOver | Looked::TooLarge | Looked::Unreadable => {}
    }
    contents.timed_out = timed_out(control.check().err())?;
    Ok(contents)
}

/// Which names to find.
pub struct NameAsk {
    /// The pattern.
    pub pattern: PathPattern,
    /// Only entries of this kind.
    pub kind: Option<Kind>,
    /// Which part of the tree.
    pub walk: WalkOptions,
    /// Matches at the most.
    pub max_results: u64,
    /// Bytes of matches to return at the most.
    pub max_bytes: usize,
}

/// One entry that was found.
#[derive(Debug)]
pub struct NameMatch {
    /// From the root.
    pub path: String,
    /// What is known of it.
    pub metadata: Metadata,
}

/// What was found by name.
#[derive(Debug, Default)]
pub struct Names {
    /// The entries that fit into the answer.
    pub entries: Vec<NameMatch>,
    /// How many there were.
    pub total: u64,
    /// Whether there may be more.
    pub truncated: bool,
    /// Whether time ran out.
    pub timed_out: bool,
    unreadable: u64,
}

impl Names {
    /// What to tell about what is not in the answer.
    pub fn note(&self) -> Option<String> {
        note(self.total, self.entries.len(), self.unreadable)
    }
}

/// Threads that read directories ahead of a search by name, beside the one that visits.
const READERS: usize = 2;
/// Bytes an entry takes in an answer beside its path.
const ENTRY_WEIGHT: usize = 96;

/// Find entries by name beneath the directory at `place`.
pub fn names(place: &Place, ask: &NameAsk, control: &Control) -> Result<Names, Error> {
    let tree =
        Tree::open(place).map_err(|error| error.saying(Kind::File, "path is not a directory"))?;
    let mut names = Names { truncated: ask.max_results == 0, ..Names::default() };
    let mut room = Budget::of(ask.max_bytes);
    // What no longer fits into the answer is only counted: about as much is looked at as will fit.
    let planned = AtomicUsize::new(0);
    let is_planned = |weight| planned.fetch_add(weight, Ordering::Relaxed) < ask.max_bytes;
    let choose = |path: &RelativePath, kind| match ask.kind.is_none_or(|wanted| wanted == kind)
        && ask.pattern.fits(path)
    {
        false => Choice::Pass,
        true if is_planned(path.as_bytes().len() + ENTRY_WEIGHT) => Choice::VisitWithMetadata,
        true => Choice::Visit,
    };
    let report = sandbox::walk_chosen(&tree, &ask.walk, control, READERS, &choose, |entry| {
        control.advance(1);
        if names.total >= ask.max_results {
            return Flow::Stop;
        }
        names.take(&tree, place.path(), entry, &mut room);
        names.truncated |= names.total >= ask.max_results;
        Flow::Continue
    });
    names.unreadable = report.unreadable;
    names.timed_out = timed_out(report.halted)?;
    Ok(names)
}

impl Names {
    fn take(&mut self, tree: &Tree, base: &RelativePath, entry: Entry, room: &mut Budget) {
        let weight = base.as_bytes().len() + entry.path.as_bytes().len() + ENTRY_WEIGHT;
        if room.spend(weight) {
            // `None`: gone since its directory was read.
            let Some(metadata) = entry.metadata.clone().or_else(|| tree.metadata(&entry)) else {
                return;
            };
            let path = base.append(&entry.path).shown();
            self.entries.push(NameMatch { path, metadata });
        } else {
            self.truncated = true;
        }
        self.total += 1;
    }
}
