//! Finds runs of lines in a file in linear time, within a bound on the total work.

use std::collections::HashMap;

use super::text::{File, Line, trim_blanks};

/// Lines that all searches of one patch may visit together: about half a second of work, reached
/// only by a patch made to reach it.
const VISIBLE_LINES: usize = 200_000_000;

/// How alike two lines must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    Exact,
    ButTrailingBlanks,
}

impl Likeness {
    fn of_patch(self, text: &[u8]) -> &[u8] {
        match self {
            Self::Exact => text,
            Self::ButTrailingBlanks => trim_blanks(text),
        }
    }

    fn of_file<'b>(self, line: &Line<'b>) -> &'b [u8] {
        match self {
            Self::Exact => line.text,
            Self::ButTrailingBlanks => line.trimmed,
        }
    }
}

/// The search was given up.
#[derive(Debug)]
pub(super) struct TooLong;

/// The lines of a file, numbered so that equal lines have equal numbers.
#[derive(Debug)]
struct Index<'b> {
    numbers: HashMap<&'b [u8], usize>,
    lines: Vec<usize>,
}

impl<'b> Index<'b> {
    fn new(lines: &[Line<'b>], likeness: Likeness) -> Self {
        let mut numbers = HashMap::new();
        let mut numbered = Vec::with_capacity(lines.len());
        for line in lines {
            let next = numbers.len();
            let key = likeness.of_file(line);
            numbered.push(*numbers.entry(key).or_insert(next));
        }
        Self { numbers, lines: numbered }
    }
}

/// A file made ready for searching.
#[derive(Debug)]
pub(super) struct Haystack<'b> {
    pub file: &'b File<'b>,
    exact: Option<Index<'b>>,
    trimmed: Option<Index<'b>>,
    visible: usize,
}

impl<'b> Haystack<'b> {
    pub fn new(file: &'b File<'b>) -> Self {
        Self { file, exact: None, trimmed: None, visible: VISIBLE_LINES }
    }

    /// Number of lines of the file.
    pub fn len(&self) -> usize {
        self.file.lines.len()
    }

    /// Whether `needle` stands at line `start`, counted from 0.
    pub fn has_at(&self, start: usize, needle: &[&[u8]], likeness: Likeness) -> bool {
        let lines = self.file.range(start, start.saturating_add(needle.len()));
        let mut pairs = lines.iter().zip(needle);
        lines.len() == needle.len()
            && pairs.all(|(line, text)| likeness.of_file(line) == likeness.of_patch(text))
    }

    /// Every line, counted from 0, where `needle` begins.
    pub fn places(&mut self, needle: &[&[u8]], likeness: Likeness) -> Result<Vec<usize>, TooLong> {
        let index = self.index(likeness);
        let wanted: Option<Vec<usize>> =
            needle.iter().map(|text| index.numbers.get(likeness.of_patch(text)).copied()).collect();
        match wanted {
            Some(wanted) if !wanted.is_empty() => self.runs(&wanted, likeness),
            _ => Ok(Vec::new()),
        }
    }

    /// For each line of `needle`, its number in the file where it has one; and the numbered file.
    pub fn numbered(&mut self, needle: &[&[u8]]) -> (Vec<Option<usize>>, &[usize]) {
        let likeness = Likeness::ButTrailingBlanks;
        let index = self.index(likeness);
        let numbers = needle.iter().map(|text| index.numbers.get(likeness.of_patch(text)).copied());
        (numbers.collect(), &index.lines)
    }

    fn runs(&mut self, wanted: &[usize], likeness: Likeness) -> Result<Vec<usize>, TooLong> {
        self.visit(self.len() + wanted.len())?;
        Ok(occurrences(&self.index(likeness).lines, wanted))
    }

    /// Account for a look at that many lines.
    pub fn visit(&mut self, lines: usize) -> Result<(), TooLong> {
        let left = self.visible.checked_sub(lines);
        self.visible = left.ok_or(TooLong)?;
        Ok(())
    }

    fn index(&mut self, likeness: Likeness) -> &Index<'b> {
        let slot = match likeness {
            Likeness::Exact => &mut self.exact,
            Likeness::ButTrailingBlanks => &mut self.trimmed,
        };
        slot.get_or_insert_with(|| Index::new(&self.file.lines, likeness))
    }
}

/// Knuth, Morris and Pratt: hostile files of one repeated line stay linear.
fn occurrences(haystack: &[usize], needle: &[usize]) -> Vec<usize> {
    let borders = borders(needle);
    let mut matched = 0;
    let mut found = Vec::new();
    for (index, number) in haystack.iter().enumerate() {
        matched = advance(needle, &borders, matched, *number);
        if matched == needle.len() {
            found.push(index + 1 - matched);
        }
    }
    found
}

/// For each prefix of the needle, the length of its longest proper prefix that is also its suffix.
fn borders(needle: &[usize]) -> Vec<usize> {
    let mut borders = Vec::with_capacity(needle.len());
    let mut matched = 0;
    for (index, number) in needle.iter().enumerate() {
        if index > 0 {
            matched = advance(needle, &borders, matched, *number);
        }
        borders.push(matched);
    }
    borders
}

fn advance(needle: &[usize], borders: &[usize], mut matched: usize, number: usize) -> usize {
    while matched > 0 && needle.get(matched) != Some(&number) {
        matched = borders.get(matched - 1).copied().unwrap_or(0);
    }
    matched + usize::from(needle.get(matched) == Some(&number))
}
