//! A file as lines, and which line ending an added line gets.

use super::hunk::Hunk;

pub(super) const LF: &[u8] = b"\n";
pub(super) const CRLF: &[u8] = b"\r\n";

/// One line of the file, its ending apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'b> {
    pub text: &'b [u8],
    /// The text without trailing blanks, kept so that hostile lines are trimmed once.
    pub trimmed: &'b [u8],
    /// `\n`, `\r\n`, or nothing on a last line without a newline.
    pub ending: &'b [u8],
}

impl<'b> Line<'b> {
    fn new(raw: &'b [u8]) -> Self {
        let text = raw.strip_suffix(CRLF).or_else(|| raw.strip_suffix(LF)).unwrap_or(raw);
        let ending = raw.get(text.len()..).unwrap_or_default();
        Self { text, trimmed: trim_blanks(text), ending }
    }
}

/// The file a patch is for.
#[derive(Debug)]
pub(super) struct File<'b> {
    pub lines: Vec<Line<'b>>,
    /// Its length.
    pub bytes: usize,
}

impl<'b> File<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(Line::new);
        Self { lines: lines.collect(), bytes: bytes.len() }
    }

    /// Lines `from..to`, as far as the file has them.
    pub fn range(&self, from: usize, to: usize) -> &[Line<'b>] {
        let to = to.min(self.lines.len());
        self.lines.get(from..to).unwrap_or_default()
    }
}

/// The ending of the lines a patch adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endings {
    /// One ending for all.
    Uniform(&'static [u8]),
    /// As each line of the patch has it: file and patch both mix endings, so they mean them.
    AsWritten,
}

/// The file's dominant ending; where it has none, the patch's.
pub(super) fn endings(file: &File, hunks: &[Hunk]) -> Endings {
    let of_file = Tally::of(file.lines.iter().map(|line| line.ending));
    let of_patch = Tally::of(hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.ending));
    if of_file.is_mixed() && of_patch.is_mixed() {
        return Endings::AsWritten;
    }
    let dominant = of_file.dominant().or(of_patch.dominant());
    Endings::Uniform(dominant.unwrap_or(LF))
}

/// How many lines end in which way.
#[derive(Debug, Default)]
struct Tally {
    lf: usize,
    crlf: usize,
}

impl Tally {
    fn of<'a>(endings: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut tally = Self::default();
        for ending in endings {
            tally.lf += usize::from(ending == LF);
            tally.crlf += usize::from(ending == CRLF);
        }
        tally
    }

    fn is_mixed(&self) -> bool {
        self.lf > 0 && self.crlf > 0
    }

    fn dominant(&self) -> Option<&'static [u8]> {
        match (self.crlf, self.lf) {
            (0, 0) => None,
            (crlf, lf) if crlf > lf => Some(CRLF),
            _ => Some(LF),
        }
    }
}

/// A line without its trailing blanks.
pub(super) fn trim_blanks(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., b' ' | b'\t' | b'\r'] = text {
        text = rest;
    }
    text
}

/// Whether a line says something, unlike `}` or a blank line that may stand anywhere.
pub(super) fn is_telling(text: &[u8]) -> bool {
    text.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}
