//! Writes the new content from the file and the placed hunks.

use super::error::PatchError;
use super::hunk::{BodyLine, Kind};
use super::place::Spot;
use super::text::{CRLF, Endings, File, LF, Line};

/// Write `head`, then the file with every hunk in its place
pub(super) fn weave(
    file: &File,
    spots: &[Spot],
    endings: Endings,
    head: &[u8],
) -> Result<Vec<u8>, PatchError> {
    let edits = edits(spots)?;
    let mut writer = Writer::new(head, endings);
    let mut done = 0;
    for edit in &edits {
        writer.keep(file.range(done, edit.from));
        writer.rewrite(edit, file);
        done = edit.to;
    }
    writer.keep(file.range(done, file.lines.len()));
    Ok(writer.out)
}

/// The part of a hunk from its first change to its last, so that hunks may share context.
struct Edit<'s> {
    number: usize,
    from: usize,
    to: usize,
    lines: &'s [BodyLine<'s>],
}

impl<'s> Edit<'s> {
    fn new(spot: &'s Spot) -> Self {
        let lines = spot.hunk.core();
        let from = spot.start + spot.hunk.lead();
        let old = lines.iter().filter(|line| line.kind != Kind::Added);
        Self { number: spot.hunk.number, from, to: from + old.count(), lines }
    }

    fn overlaps(&self, next: &Self) -> bool {
        let both_insert = self.from == self.to && next.from == next.to;
        next.from < self.to || (both_insert && self.from == next.from)
    }
}

/// The edits in the order of the file, none running into another.
fn edits<'s>(spots: &'s [Spot]) -> Result<Vec<Edit<'s>>, PatchError> {
    let changing = spots.iter().filter(|spot| spot.hunk.has_changes());
    let mut edits: Vec<Edit> = changing.map(Edit::new).collect();
    edits.sort_by_key(|edit| (edit.from, edit.to));
    for pair in edits.windows(2) {
        if let [first, second] = pair
            && first.overlaps(second)
        {
            return Err(PatchError::Overlap {
                first: first.number,
                second: second.number,
                line: second.from + 1,
            });
        }
    }
    Ok(edits)
}

struct Writer {
    out: Vec<u8>,
    endings: Endings,
    /// The last line written has no newline, which only the last line of all may lack.
    is_unended: bool,
}

impl Writer {
    fn new(head: &[u8], endings: Endings) -> Self {
        Self { out: head.to_vec(), endings, is_unended: false }
    }

    fn keep(&mut self, lines: &[Line]) {
        for line in lines {
            self.write(line.text, line.ending);
        }
    }

    fn rewrite(&mut self, edit: &Edit, file: &File) {
        let mut at = edit.from;
        for line in edit.lines {
            match line.kind {
                Kind::Context => self.keep(file.range(at, at + 1)),
                Kind::Added if line.is_unended => self.write(line.text.as_bytes(), b""),
                Kind::Added => self.write(line.text.as_bytes(), self.ending_of(line)),
                Kind::Removed => {}
            }
            at += usize::from(line.kind != Kind::Added);
        }
    }

    fn ending_of(&self, line: &BodyLine) -> &'static [u8] {
        let is_crlf = line.ending == CRLF;
        self.uniform().unwrap_or(if is_crlf { CRLF } else { LF })
    }

    fn uniform(&self) -> Option<&'static [u8]> {
        match self.endings {
            Endings::Uniform(ending) => Some(ending),
            Endings::AsWritten => None,
        }
    }

    fn write(&mut self, text: &[u8], ending: &[u8]) {
        if self.is_unended {
            self.out.extend_from_slice(self.uniform().unwrap_or(LF));
        }
        self.out.extend_from_slice(text);
        self.out.extend_from_slice(ending);
        self.is_unended = ending.is_empty();
    }
}
