//! Says why a hunk fits nowhere: it is already applied, or where it comes nearest and what differs.

use super::error::{PatchError, clip};
use super::hunk::{Hunk, Kind};
use super::place::named_start;
use super::search::{Haystack, Likeness};
use super::text::is_telling;

/// Lines of a hunk that vote for the nearest place; more would not name a better one.
const VOTING_LINES: usize = 64;
/// Lines of a file that are compared letter by letter, and how long they may be: some ten milliseconds of work.
const COMPARED_LINES: usize = 5_000;
const COMPARED_BYTES: usize = 120;
/// How alike a line must be to be the one that was meant, from 0 to 1.
const ALIKE: f64 = 0.7;

/// Name the reason that the old side of a hunk was not found
pub(super) fn explain(haystack: &mut Haystack, hunk: &Hunk) -> PatchError {
    if let Some(start) = applied_at(haystack, hunk) {
        return PatchError::AlreadyApplied { hunk: hunk.number, line: start + 1 };
    }
    mismatch(haystack, hunk)
}

/// Where the new side stands, if that is evidence enough that the hunk was applied before.
fn applied_at(haystack: &mut Haystack, hunk: &Hunk) -> Option<usize> {
    if !is_recognisable(hunk) {
        return None;
    }
    let new = hunk.new_side();
    match named_start(haystack, hunk) {
        Some(start) if haystack.has_at(start, &new, Likeness::ButTrailingBlanks) => Some(start),
        Some(_) if hunk.count(Kind::Context) == 0 => None,
        _ => only_place(haystack, &new),
    }
}

/// A brace or a blank line stands in every file; a telling line or a gap closed in a frame does not.
fn is_recognisable(hunk: &Hunk) -> bool {
    let is_framed = hunk.starts_with(Kind::Context) && hunk.ends_with(Kind::Context);
    is_framed || hunk.adds_telling_line()
}

fn only_place(haystack: &mut Haystack, needle: &[&[u8]]) -> Option<usize> {
    match haystack.places(needle, Likeness::ButTrailingBlanks).ok()?.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

fn mismatch(haystack: &mut Haystack, hunk: &Hunk) -> PatchError {
    let old = hunk.old_side();
    let nearest = nearest(haystack, hunk, &old);
    let agreement = agreement(haystack, &old, nearest);
    let first = agreement.iter().position(|same| !same).unwrap_or(0);
    let line = nearest.saturating_add(first);
    PatchError::Mismatch {
        hunk: hunk.number,
        line: line.saturating_add(1),
        expected: old.get(first).map(|text| clip(text)).unwrap_or_default(),
        found: haystack.file.lines.get(line).map(|line| clip(line.text)),
        nearest: nearest.saturating_add(1),
        matched: agreement.iter().filter(|same| **same).count(),
        lines: old.len(),
        file_lines: Some(haystack.len()),
    }
}

/// For each line of the old side, whether the file has it when the hunk begins at `start`.
fn agreement(haystack: &Haystack, old: &[&[u8]], start: usize) -> Vec<bool> {
    let lines = (start..=usize::MAX).zip(old);
    lines.map(|(line, text)| haystack.has_at(line, &[text], Likeness::ButTrailingBlanks)).collect()
}

/// The start where most telling lines agree; among equals the one closest to the named line.
fn nearest(haystack: &mut Haystack, hunk: &Hunk, old: &[&[u8]]) -> usize {
    let named = named_start(haystack, hunk).unwrap_or(0);
    let votes = votes(haystack, old);
    let most = votes.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return alike(haystack, old).unwrap_or(named);
    }
    let starts = (0..).zip(&votes).filter(|(_, count)| **count == most);
    starts
        .map(|(start, _)| start)
        .min_by_key(|start: &usize| start.abs_diff(named))
        .unwrap_or(named)
}

/// The start where the longest line of the hunk stands nearly as the file has it.
fn alike(haystack: &Haystack, old: &[&[u8]]) -> Option<usize> {
    let comparable = old.iter().enumerate().filter(|(_, text)| text.len() <= COMPARED_BYTES);
    let (index, wanted) = comparable.max_by_key(|(_, text)| text.len())?;
    let wanted = std::str::from_utf8(wanted).ok()?;
    let lines = haystack.file.lines.iter().take(COMPARED_LINES).enumerate();
    let close = lines.filter(|(_, line)| line.text.len() <= COMPARED_BYTES);
    let ranked = close.filter_map(|(at, line)| {
        let like = strsim::normalized_levenshtein(wanted, std::str::from_utf8(line.text).ok()?);
        (like >= ALIKE).then_some((at, like))
    });
    // The first of the most alike.
    let best = ranked.reduce(|best, other| if other.1 > best.1 { other } else { best });
    best.and_then(|(at, _)| at.checked_sub(index))
}

/// For each line of the file, how many lines of the hunk agree when it begins there.
fn votes(haystack: &mut Haystack, old: &[&[u8]]) -> Vec<usize> {
    let (numbers, lines) = haystack.numbered(old);
    let mut votes = vec![0; lines.len()];
    let voters = (0..).zip(numbers.iter().zip(old));
    let telling = voters.filter(|(_, (_, text))| is_telling(text));
    for (index, (number, _)) in telling.take(VOTING_LINES) {
        let from = lines.get(index..).unwrap_or_default();
        let agreeing = votes.iter_mut().zip(from);
        for (vote, _) in agreeing.filter(|(_, line)| Some(**line) == *number) {
            *vote += 1;
        }
    }
    votes
}
