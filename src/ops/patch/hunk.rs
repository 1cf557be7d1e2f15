//! One hunk as the patch writes it.

use super::text::is_telling;

/// What a body line does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Context,
    Removed,
    Added,
}

/// One body line without its prefix and ending.
#[derive(Debug, Clone)]
pub(super) struct BodyLine<'p> {
    pub kind: Kind,
    pub text: &'p str,
    pub ending: &'p [u8],
    /// An empty line without even the space of a context line; at the end of a hunk it may be a mere separator.
    pub is_bare: bool,
    /// Followed by the no-newline marker.
    pub is_unended: bool,
}

impl BodyLine<'_> {
    fn is_change(&self) -> bool {
        self.kind != Kind::Context
    }
}

/// The old side of a numbered header, `-line,count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub line: usize,
    pub count: usize,
}

/// One hunk.
#[derive(Debug, Clone, Default)]
pub(super) struct Hunk<'p> {
    /// Its place in the patch, counted from 1.
    pub number: usize,
    pub lines: Vec<BodyLine<'p>>,
    /// Where a numbered header puts it.
    pub range: Option<Range>,
    /// Lines named by `@@ fn name` headers, outermost first.
    pub anchors: Vec<&'p str>,
    /// Marked `*** End of File`.
    pub is_at_end: bool,
    /// How many bare lines at the end may be left out.
    pub loose_tail: usize,
}

impl<'p> Hunk<'p> {
    /// Context and removed lines.
    pub fn old_side(&self) -> Vec<&'p [u8]> {
        self.side(Kind::Added)
    }

    /// Context and added lines.
    pub fn new_side(&self) -> Vec<&'p [u8]> {
        self.side(Kind::Removed)
    }

    fn side(&self, left_out: Kind) -> Vec<&'p [u8]> {
        let kept = self.lines.iter().filter(|line| line.kind != left_out);
        kept.map(|line| line.text.as_bytes()).collect()
    }

    pub fn count(&self, kind: Kind) -> usize {
        self.lines.iter().filter(|line| line.kind == kind).count()
    }

    pub fn starts_with(&self, kind: Kind) -> bool {
        self.lines.first().is_some_and(|line| line.kind == kind)
    }

    pub fn ends_with(&self, kind: Kind) -> bool {
        self.lines.last().is_some_and(|line| line.kind == kind)
    }

    pub fn has_changes(&self) -> bool {
        self.lines.iter().any(BodyLine::is_change)
    }

    /// Whether an added line could be recognised in the file.
    pub fn adds_telling_line(&self) -> bool {
        let mut added = self.lines.iter().filter(|line| line.kind == Kind::Added);
        added.any(|line| is_telling(line.text.as_bytes()))
    }

    /// Number of context lines before the first change.
    pub fn lead(&self) -> usize {
        let context = self.lines.iter().take_while(|line| !line.is_change());
        context.count()
    }

    /// The lines from the first change to the last.
    pub fn core(&self) -> &[BodyLine<'p>] {
        let end = self.lines.iter().rposition(BodyLine::is_change);
        let end = end.map_or(0, |last| last + 1);
        self.lines.get(self.lead()..end).unwrap_or_default()
    }

    /// The hunk less the bare lines at its end, when it has any to lose.
    pub fn without_tail(&self) -> Option<Self> {
        let kept = self.lines.len().checked_sub(self.loose_tail)?;
        let mut shorter = self.clone();
        shorter.lines.truncate(kept);
        shorter.loose_tail = 0;
        (self.loose_tail > 0 && kept > 0).then_some(shorter)
    }
}
