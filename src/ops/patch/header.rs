//! What a header line of a patch says: hunk ranges, anchors, file names.

use super::hunk::Range;

/// The text after `@@`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HunkHeader<'p> {
    /// `-1,3 +1,4 @@`; a header without a new side leaves its count unknown.
    Numbered { old: Range, new: Option<Range> },
    /// `fn name`, as V4A patches have it.
    Anchor(&'p str),
    /// Nothing, or `... @@`.
    Bare,
}

/// Read what follows the first `@@` of a hunk header
pub(super) fn hunk_header(rest: &str) -> HunkHeader<'_> {
    let rest = rest.trim();
    if let Some((old, tail)) = range(rest, '-') {
        let new = range(tail.trim_start(), '+').map(|(new, _)| new);
        return HunkHeader::Numbered { old, new };
    }
    let anchor = rest.strip_suffix("@@").unwrap_or(rest).trim();
    if anchor.chars().all(|letter| matches!(letter, '.' | '…')) {
        HunkHeader::Bare
    } else {
        HunkHeader::Anchor(anchor)
    }
}

/// `-12,3` or `-12`, and what follows it.
fn range(text: &str, sign: char) -> Option<(Range, &str)> {
    let (line, rest) = number(text.strip_prefix(sign)?)?;
    match rest.strip_prefix(',') {
        Some(rest) => {
            let (count, rest) = number(rest)?;
            Some((Range { line, count }, rest))
        }
        None => Some((Range { line, count: 1 }, rest)),
    }
}

fn number(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

/// A file name as `---`, `+++` and `*** Update File:` lines carry it
pub(super) fn file_name(raw: &str) -> &str {
    let name = raw.split('\t').next().unwrap_or(raw);
    let name = name.trim().trim_matches('"');
    ["a/", "b/", "./"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// The file name of a `diff --git a/x b/x` line
pub(super) fn git_name(rest: &str) -> &str {
    let last = rest.rsplit_once(" b/").or_else(|| rest.rsplit_once(' '));
    file_name(last.map_or(rest, |(_, name)| name))
}
