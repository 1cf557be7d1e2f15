//! Every way a patch can fail, as data and as a sentence.

use std::fmt;

/// Longest quotation of a line in a sentence, in characters.
const QUOTE_CHARACTERS: usize = 120;
/// Places and names listed in a sentence before it says `...`.
const LISTED_PLACES: usize = 3;
const LISTED_NAMES: usize = 8;

/// Why a patch was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchError {
    /// Nothing in the text is a hunk.
    NoHunks,
    /// The hunks hold context lines only.
    NoChanges,
    /// The patch is for several files.
    SeveralFiles {
        /// The files, as the patch names them.
        names: Vec<String>,
    },
    /// The patch also renames or copies the file.
    Renames {
        /// The new name.
        to: String,
    },
    /// A line inside a hunk is neither body nor header.
    StrayLine {
        /// Line of the patch, counted from 1.
        line: usize,
        /// The line, clipped.
        text: String,
    },
    /// The old side of a hunk is nowhere in the file.
    Mismatch {
        /// Hunk, counted from 1.
        hunk: usize,
        /// Line of the file with the first difference at the nearest place.
        line: usize,
        /// What the patch wants there, clipped.
        expected: String,
        /// What the file has there, clipped; nothing past its end.
        found: Option<String>,
        /// First line of the nearest place.
        nearest: usize,
        /// Lines of the old side that match at the nearest place.
        matched: usize,
        /// Lines of the old side.
        lines: usize,
        /// Lines of the file; nothing when it does not exist.
        file_lines: Option<usize>,
    },
    /// The file is not text, and the patch does not apply to its bytes.
    Binary,
    /// A hunk fits at several places.
    Ambiguous {
        /// Hunk, counted from 1.
        hunk: usize,
        /// First line of every place.
        places: Vec<usize>,
    },
    /// A hunk only adds lines and does not say where.
    NoPlace {
        /// Hunk, counted from 1.
        hunk: usize,
    },
    /// The file already has what a hunk wants.
    AlreadyApplied {
        /// Hunk, counted from 1.
        hunk: usize,
        /// First line of the place that has it.
        line: usize,
    },
    /// The patch creates a file that has content.
    NotEmpty {
        /// Lines of the file.
        file_lines: usize,
    },
    /// Two hunks change the same line or add at the same place.
    Overlap {
        /// Hunk that comes first in the file, counted from 1.
        first: usize,
        /// Hunk that runs into it, counted from 1.
        second: usize,
        /// Line of the file where they meet.
        line: usize,
    },
    /// Finding the places of the hunks would take too long.
    SearchTooLong {
        /// Hunk at which the search stopped, counted from 1.
        hunk: usize,
    },
}

impl std::error::Error for PatchError {}

impl fmt::Display for PatchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHunks
            | Self::NoChanges
            | Self::SeveralFiles { .. }
            | Self::Renames { .. }
            | Self::StrayLine { .. } => write!(out, "parse patch: {}", self.reason()),
            _ => write!(out, "patch failed: {}", self.reason()),
        }
    }
}

impl PatchError {
    /// The same failure on a file that is not there: it counts as empty, but it is not.
    pub fn on_a_missing_file(self) -> Self {
        match self {
            Self::Mismatch { hunk, line, expected, found, nearest, matched, lines, .. } => {
                let file_lines = None;
                Self::Mismatch { hunk, line, expected, found, nearest, matched, lines, file_lines }
            }
            other => other,
        }
    }

    /// Whether the file to patch is not there.
    pub fn is_about_a_missing_file(&self) -> bool {
        matches!(self, Self::Mismatch { file_lines: None, .. })
    }

    fn reason(&self) -> String {
        match self {
            Self::NoHunks => "no hunks found in patch; a hunk is a line such as @@ -1,3 +1,3 @@ and below it lines that begin with a space, - or +".to_owned(),
            Self::Binary => "the file is binary, and a patch changes text only".to_owned(),
            Self::NoChanges => "no line of the patch begins with + or -".to_owned(),
            Self::SeveralFiles { names } => several_files(names),
            Self::Renames { to } => format!(
                "the patch renames the file to {to}; send its hunks alone and move the file in a separate call"
            ),
            Self::StrayLine { line, text } => format!(
                "line {line} of the patch has no place in a hunk ({text:?}); begin each body line with a space, + or -"
            ),
            Self::Mismatch { .. } => self.mismatch().unwrap_or_default(),
            Self::Ambiguous { hunk, places } => ambiguous(*hunk, places),
            Self::NoPlace { hunk } => format!(
                "hunk {hunk} only adds lines and does not say where; add context lines or a correct line number"
            ),
            Self::AlreadyApplied { hunk, line } => {
                format!("hunk {hunk} is already applied at line {line}")
            }
            Self::NotEmpty { file_lines } => format!(
                "the patch creates the file, but it already has {}",
                count_lines(*file_lines)
            ),
            Self::Overlap { first, second, line } => {
                format!("hunks {first} and {second} overlap at line {line}; join them into one")
            }
            Self::SearchTooLong { hunk } => format!(
                "the search for hunk {hunk} takes too long; correct the line numbers or send fewer hunks"
            ),
        }
    }

    fn mismatch(&self) -> Option<String> {
        let Self::Mismatch { hunk, line, expected, found, .. } = self else {
            return None;
        };
        let got = found.as_deref().unwrap_or("<EOF>");
        Some(format!(
            "hunk {hunk} does not match at line {line} (expected {expected:?}, got {got:?}){}",
            self.hint()
        ))
    }

    fn hint(&self) -> String {
        match self {
            Self::Mismatch { file_lines: None, .. } => "; the file does not exist".to_owned(),
            Self::Mismatch { file_lines: Some(0), .. } => "; the file is empty".to_owned(),
            Self::Mismatch { matched: 0, found: None, file_lines: Some(file_lines), .. } => {
                format!("; the file has {}", count_lines(*file_lines))
            }
            Self::Mismatch { nearest, matched: matched @ 1.., lines, .. } => {
                format!("; nearest place: line {nearest}, where {matched} of {lines} lines match")
            }
            _ => String::new(),
        }
    }
}

fn several_files(names: &[String]) -> String {
    let (count, listed) = (names.len(), list(names, LISTED_NAMES));
    format!("the patch changes {count} files ({listed}); send one patch_file call per file")
}

fn ambiguous(hunk: usize, places: &[usize]) -> String {
    let (count, listed) = (places.len(), list(places, LISTED_PLACES));
    format!(
        "hunk {hunk} matches at {count} places (lines {listed}); add context lines or a correct line number"
    )
}

fn count_lines(lines: usize) -> String {
    let noun = if lines == 1 { "line" } else { "lines" };
    format!("{lines} {noun}")
}

fn list<T: ToString>(items: &[T], limit: usize) -> String {
    let mut shown: Vec<String> = items.iter().take(limit).map(T::to_string).collect();
    if items.len() > limit {
        shown.push("...".to_owned());
    }
    shown.join(", ")
}

/// A line as a sentence may quote it: readable text of bounded length.
pub(super) fn clip(line: &[u8]) -> String {
    // A character takes at most four bytes, so nothing past this can be shown.
    let head = line.get(..QUOTE_CHARACTERS * 4 + 4).unwrap_or(line);
    let text = String::from_utf8_lossy(head);
    if text.chars().count() <= QUOTE_CHARACTERS {
        return text.into_owned();
    }
    let kept: String = text.chars().take(QUOTE_CHARACTERS - 3).collect();
    kept + "..."
}
