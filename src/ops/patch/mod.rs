//! Applies a unified diff, read tolerantly, to the bytes of one file, all or nothing.

mod error;
mod explain;
mod header;
mod hunk;
mod parse;
mod place;
mod search;
mod text;
mod token;
mod weave;

pub use error::PatchError;

use place::Spot;
use search::Haystack;
use text::File;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// What a patch made of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patched {
    /// The whole new content.
    pub content: Vec<u8>,
    /// Where each hunk went, in the order of the patch.
    pub hunks: Vec<Placed>,
}

/// Where one hunk went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// First line of the hunk in the old file, counted from 1.
    pub line: usize,
    /// Lines away from where the header said; 0 when exact or when the header names no line.
    pub offset: i64,
    /// Lines the hunk removed.
    pub removed: usize,
    /// Lines the hunk added.
    pub added: usize,
}

/// Apply `patch` to `base`, where an empty `base` also stands for a file that does not exist
pub fn apply(base: &[u8], patch: &str) -> Result<Patched, PatchError> {
    let patch = patch.trim_start_matches(BYTE_ORDER_MARK);
    let (mark, body) = split_mark(base, patch);
    let file = File::new(body);
    let parsed = parse::parse(patch)?;
    let endings = text::endings(&file, &parsed.hunks);
    let spots = place::place_all(&mut Haystack::new(&file), parsed)?;
    let content = weave::weave(&file, &spots, endings, mark)?;
    Ok(Patched { content, hunks: spots.iter().map(Spot::placed).collect() })
}

/// Whether the text is a patch, whatever it is for.
pub(crate) fn is_readable(patch: &str) -> Result<(), PatchError> {
    parse::parse(patch).map(drop)
}

/// Models do not see a byte order mark, so it takes part only when the patch shows one.
fn split_mark<'b>(base: &'b [u8], patch: &str) -> (&'b [u8], &'b [u8]) {
    if base.starts_with(BYTE_ORDER_MARK.as_bytes()) && !patch.contains(BYTE_ORDER_MARK) {
        base.split_at(BYTE_ORDER_MARK.len())
    } else {
        (&[], base)
    }
}
