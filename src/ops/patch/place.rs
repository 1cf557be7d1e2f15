//! Decides where each hunk goes: at the place its header names, else at the only place that fits.

use super::explain::explain;
use super::hunk::{Hunk, Kind};
use super::parse::Patch;
use super::search::{Haystack, Likeness, TooLong};
use super::{PatchError, Placed};

/// A hunk and its place.
#[derive(Debug)]
pub(super) struct Spot<'p> {
    pub hunk: Hunk<'p>,
    /// First line of its old side, counted from 0.
    pub start: usize,
    offset: i64,
}

impl Spot<'_> {
    /// The place as the caller sees it.
    pub fn placed(&self) -> Placed {
        Placed {
            line: self.start + 1,
            offset: self.offset,
            removed: self.hunk.count(Kind::Removed),
            added: self.hunk.count(Kind::Added),
        }
    }
}

/// Place every hunk of a patch, or fail with the first that has no certain place
pub(super) fn place_all<'p>(
    haystack: &mut Haystack,
    patch: Patch<'p>,
) -> Result<Vec<Spot<'p>>, PatchError> {
    refuse_creation_over_content(haystack, &patch)?;
    let hunks = patch.hunks.into_iter();
    hunks.map(|hunk| place(haystack, hunk)).collect()
}

fn refuse_creation_over_content(haystack: &Haystack, patch: &Patch) -> Result<(), PatchError> {
    let is_creation = patch.creates && patch.hunks.iter().all(|hunk| hunk.old_side().is_empty());
    let Some(first) = patch.hunks.first().filter(|_| is_creation) else {
        return Ok(());
    };
    match haystack.len() {
        0 => Ok(()),
        _ if is_whole_file(haystack, first) => Err(PatchError::AlreadyApplied { hunk: 1, line: 1 }),
        file_lines => Err(PatchError::NotEmpty { file_lines }),
    }
}

/// Whether the file is what the hunk makes of an empty one, down to the final newline.
fn is_whole_file(haystack: &Haystack, hunk: &Hunk) -> bool {
    let new = hunk.new_side();
    let file_ends = haystack.file.lines.last().is_some_and(|line| !line.ending.is_empty());
    let hunk_ends = hunk.lines.last().is_some_and(|line| !line.is_unended);
    let is_as_long = new.len() == haystack.len() && file_ends == hunk_ends;
    is_as_long && haystack.has_at(0, &new, Likeness::ButTrailingBlanks)
}

/// Tries the hunk as written, then without the bare lines at its end.
fn place<'p>(haystack: &mut Haystack, hunk: Hunk<'p>) -> Result<Spot<'p>, PatchError> {
    if let Some(start) = start_of(haystack, &hunk)? {
        return spot(haystack, hunk, start);
    }
    if let Some(shorter) = hunk.without_tail()
        && let Some(start) = start_of(haystack, &shorter)?
    {
        return spot(haystack, shorter, start);
    }
    Err(explain(haystack, &hunk))
}

fn spot<'p>(haystack: &Haystack, hunk: Hunk<'p>, start: usize) -> Result<Spot<'p>, PatchError> {
    if let Some(line) = repeats_itself(haystack, &hunk, start) {
        return Err(PatchError::AlreadyApplied { hunk: hunk.number, line });
    }
    let named = named_start(haystack, &hunk).filter(|_| hunk.range.is_some());
    let offset = named.map_or(0, |named| distance(start, named));
    Ok(Spot { hunk, start, offset })
}

fn distance(start: usize, named: usize) -> i64 {
    let away = i64::try_from(start.abs_diff(named)).unwrap_or(i64::MAX);
    if start < named { -away } else { away }
}

/// The one place of a hunk, if it has any.
fn start_of(haystack: &mut Haystack, hunk: &Hunk) -> Result<Option<usize>, PatchError> {
    let old = hunk.old_side();
    if old.is_empty() {
        let start = insertion(haystack, hunk);
        return start.map(Some).ok_or(PatchError::NoPlace { hunk: hunk.number });
    }
    let named = named_start(haystack, hunk);
    match named.filter(|start| haystack.has_at(*start, &old, Likeness::ButTrailingBlanks)) {
        Some(start) => Ok(Some(start)),
        None => search(haystack, hunk, &old),
    }
}

/// The place of lines that come without context: after the line that the header names.
fn insertion(haystack: &Haystack, hunk: &Hunk) -> Option<usize> {
    if haystack.len() == 0 {
        return Some(0);
    }
    named_start(haystack, hunk).filter(|start| *start <= haystack.len())
}

/// Where the header says the old side begins, counted from 0.
pub(super) fn named_start(haystack: &Haystack, hunk: &Hunk) -> Option<usize> {
    let old = hunk.lines.len() - hunk.count(Kind::Added);
    if hunk.is_at_end {
        return haystack.len().checked_sub(old);
    }
    let range = hunk.range?;
    match (old, range.count) {
        _ if haystack.len() == 0 => Some(0),
        (0, 0) => Some(range.line),
        // The header promises old lines and the hunk has none: the number cannot be trusted.
        (0, _) => None,
        _ => Some(range.line.saturating_sub(1)),
    }
}

fn search(
    haystack: &mut Haystack,
    hunk: &Hunk,
    old: &[&[u8]],
) -> Result<Option<usize>, PatchError> {
    let gave_up = |TooLong| PatchError::SearchTooLong { hunk: hunk.number };
    for likeness in [Likeness::Exact, Likeness::ButTrailingBlanks] {
        let places = haystack.places(old, likeness).map_err(gave_up)?;
        match places.as_slice() {
            [] => {}
            [only] => return Ok(Some(*only)),
            _ => return one_of(haystack, hunk, &places).map(Some),
        }
    }
    Ok(None)
}

fn one_of(haystack: &mut Haystack, hunk: &Hunk, places: &[usize]) -> Result<usize, PatchError> {
    anchored(haystack, hunk, places).ok_or_else(|| PatchError::Ambiguous {
        hunk: hunk.number,
        places: places.iter().map(|place| place + 1).collect(),
    })
}

/// The first of several places at or after the line that the anchors name.
fn anchored(haystack: &mut Haystack, hunk: &Hunk, places: &[usize]) -> Option<usize> {
    let (first, deeper) = hunk.anchors.split_first()?;
    haystack.visit(haystack.file.bytes.saturating_mul(hunk.anchors.len() + 1)).ok()?;
    let mut line = only_line(haystack, first)?;
    for anchor in deeper {
        line = lines_like(haystack, anchor, is_equal).find(|found| *found >= line)?;
    }
    places.iter().copied().find(|place| *place >= line)
}

/// The one line that is the anchor, or else the one line that begins with it.
fn only_line(haystack: &Haystack, anchor: &str) -> Option<usize> {
    let mut equal = lines_like(haystack, anchor, is_equal);
    match (equal.next(), equal.next()) {
        (Some(only), None) => return Some(only),
        (Some(_), Some(_)) => return None,
        (None, _) => {}
    }
    let mut longer = lines_like(haystack, anchor, <[u8]>::starts_with);
    let only = longer.next()?;
    longer.next().is_none().then_some(only)
}

fn is_equal(line: &[u8], anchor: &[u8]) -> bool {
    line == anchor
}

fn lines_like<'h>(
    haystack: &'h Haystack,
    anchor: &'h str,
    is_like: fn(&[u8], &[u8]) -> bool,
) -> impl Iterator<Item = usize> + 'h {
    let lines = haystack.file.lines.iter().enumerate();
    lines.filter_map(move |(index, line)| {
        is_like(line.trimmed.trim_ascii_start(), anchor.as_bytes()).then_some(index)
    })
}

/// Whether the lines a hunk adds at its very edge stand there already, as after a retried call;
/// answers the line where the new side begins.
///
/// A diff tool ends a hunk with an added line only at the end of the file, and begins one so only
/// at its start, where nothing can stand already: only hunks written by hand are concerned.
fn repeats_itself(haystack: &Haystack, hunk: &Hunk, start: usize) -> Option<usize> {
    let (old, new) = (hunk.old_side(), hunk.new_side());
    if old.is_empty() {
        let is_repeat = start == 0 && haystack.len() > 0 && is_whole_file(haystack, hunk);
        return is_repeat.then_some(1);
    }
    if new.len() <= old.len() || !hunk.adds_telling_line() {
        return None;
    }
    let appends = hunk.ends_with(Kind::Added) && new.starts_with(&old);
    let prepends = hunk.starts_with(Kind::Added) && new.ends_with(&old);
    let after = appends.then_some(start);
    let before = (start + old.len()).checked_sub(new.len()).filter(|_| prepends);
    let mut places = [after, before].into_iter().flatten();
    let stands = |place: &usize| haystack.has_at(*place, &new, Likeness::ButTrailingBlanks);
    places.find(stands).map(|place| place + 1)
}
