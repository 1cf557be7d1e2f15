//! Searching one file's content for a pattern, line by line, with context.

use std::io::{self, Cursor, Read};

use bstr::ByteSlice;
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch,
};

use super::regex::{explain, from_go};
use super::text::{has_utf16_mark, is_binary};
use crate::control::Control;
use crate::limits::{MAX_LINE_CHARS, MAX_REGEX_BYTES, MAX_SEARCH_HEAP};
use crate::sandbox::End;

/// What is read of a file at once: most files end in it.
const FIRST: usize = 128 << 10;
/// Files up to this size are searched in one piece; larger ones flow through.
const WHOLE: usize = 4 << 20;

/// What a pattern's text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// A regular expression.
    Regex,
    /// The text itself.
    Literal,
}

/// Whether case matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// It does.
    Sensitive,
    /// It does not.
    Insensitive,
}

/// A compiled pattern and how much to show around a match.
#[derive(Debug, Clone)]
pub struct Query {
    matcher: RegexMatcher,
    context: usize,
    /// Matches wanted of one file at the most.
    limit: u64,
    /// Bytes of text kept of one file at the most; further matches are only counted.
    keep: usize,
}

/// One matching line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineMatch {
    /// Counted from 1.
    pub number: u64,
    /// Its text, clipped around the match when long.
    pub text: String,
    /// Whether it was clipped.
    pub clipped: bool,
    /// The lines before it with their numbers.
    pub before: Vec<(u64, String)>,
    /// The lines behind it with their numbers.
    pub after: Vec<(u64, String)>,
}

impl LineMatch {
    /// About how many bytes it takes in an answer.
    pub fn weight(&self) -> usize {
        let around = self.before.iter().chain(&self.after).map(|(_, line)| line.len() + 24);
        self.text.len() + 96 + around.sum::<usize>()
    }
}

/// What a file had.
#[derive(Debug, Default)]
pub struct FileMatches {
    /// The matching lines that were kept.
    pub lines: Vec<LineMatch>,
    /// How many matching lines there were.
    pub total: u64,
}

/// How the search of a file ended.
#[derive(Debug)]
pub enum Searched {
    /// To the end, or to the limit.
    Text(FileMatches),
    /// It is binary and was passed over.
    Binary,
    /// It could not be read, or a line did not fit into memory.
    Failed,
}

impl Query {
    /// Compile a pattern.
    pub fn new(pattern: &str, syntax: Syntax, case: Case) -> Result<Self, String> {
        let text = match syntax {
            Syntax::Regex => from_go(pattern),
            Syntax::Literal => regex::escape(pattern),
        };
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(case == Case::Insensitive)
            .multi_line(true)
            .crlf(true)
            .size_limit(MAX_REGEX_BYTES)
            .dfa_size_limit(MAX_REGEX_BYTES)
            .build(&text)
            .map_err(|error| explain(pattern, &error.to_string()))?;
        Ok(Self { matcher, context: 0, limit: u64::MAX, keep: usize::MAX })
    }

    /// Show `lines` lines around each match.
    pub fn with_context(self, lines: u64) -> Self {
        Self { context: lines as usize, ..self }
    }

    /// Want at most `limit` matches of a file and keep at most `bytes` of their text.
    pub fn with_limits(self, limit: u64, keep: usize) -> Self {
        Self { limit, keep, ..self }
    }

    /// One who searches file after file for it, for one thread: a pattern that threads share is slower.
    pub fn seeker(&self) -> Seeker {
        let (query, searcher) = (self.clone(), self.searcher());
        Seeker { query, searcher, buffer: vec![0; FIRST] }
    }

    fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .line_terminator(grep_matcher::LineTerminator::crlf())
            .line_number(true)
            .before_context(self.context)
            .after_context(self.context)
            .max_matches(Some(self.limit))
            .heap_limit(Some(MAX_SEARCH_HEAP))
            // Another process that truncates a mapped file would kill us.
            .memory_map(MmapChoice::never())
            .binary_detection(BinaryDetection::none())
            .build()
    }
}

/// A query at work: what it needs is made once and used for every file.
pub struct Seeker {
    query: Query,
    searcher: Searcher,
    buffer: Vec<u8>,
}

impl Seeker {
    /// From now on matches are only counted.
    pub fn only_count(&mut self) {
        self.query.keep = 0;
    }

    /// Search one file.
    pub fn search(&mut self, mut file: impl Read, end: End, control: &Control) -> Searched {
        let buffer = &mut self.buffer;
        let Ok(mut length) = fill(&mut file, &mut buffer[..FIRST], end) else {
            return Searched::Failed;
        };
        if is_binary(&buffer[..length]) && !has_utf16_mark(&buffer[..length]) {
            return Searched::Binary;
        }
        if length == FIRST {
            buffer.resize(WHOLE, 0);
            let Ok(more) = fill(&mut file, &mut buffer[FIRST..], end) else {
                return Searched::Failed;
            };
            length += more;
        }
        self.run(length, (length == WHOLE).then_some(file), control)
    }

    fn run(&mut self, length: usize, tail: Option<impl Read>, control: &Control) -> Searched {
        let (head, matcher) = (&self.buffer[..length], &self.query.matcher);
        let mut collector = Collector::new(&self.query);
        let searched = match tail {
            None => self.searcher.search_slice(matcher, head, &mut collector),
            Some(tail) => {
                let reader = Reined { inner: Cursor::new(head).chain(tail), control };
                self.searcher.search_reader(matcher, reader, &mut collector)
            }
        };
        match searched {
            Err(_) if control.check().is_ok() => Searched::Failed,
            _ => Searched::Text(collector.finish()),
        }
    }
}

/// Read until the buffer is full or the file ends.
fn fill(file: &mut impl Read, buffer: &mut [u8], end: End) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => {
                filled += read;
                if end == End::AtShortRead {
                    break;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// A reader that looks at the reins with every read.
struct Reined<'a, R> {
    inner: R,
    control: &'a Control,
}

impl<R: Read> Read for Reined<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // `Interrupted` would be retried.
        self.control.check().map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?;
        self.inner.read(buffer)
    }
}

/// A line seen by the search.
struct Seen {
    number: u64,
    text: String,
    clipped: bool,
    matched: bool,
}

struct Collector<'a> {
    query: &'a Query,
    seen: Vec<Seen>,
    kept: usize,
    total: u64,
}

impl<'a> Collector<'a> {
    fn new(query: &'a Query) -> Self {
        Self { query, seen: Vec::new(), kept: 0, total: 0 }
    }

    fn keep(&mut self, number: Option<u64>, line: &[u8], matched: bool) {
        if self.kept >= self.query.keep {
            return;
        }
        let line = line.trim_end_with(|c| c == '\n' || c == '\r');
        let (text, clipped) =
            clip(line, || self.query.matcher.find(line).ok().flatten().map_or(0, |m| m.start()));
        self.kept += text.len();
        self.seen.push(Seen { number: number.unwrap_or_default(), text, clipped, matched });
    }

    fn finish(self) -> FileMatches {
        let context = self.query.context as u64;
        let lines = (0..self.seen.len())
            .filter(|at| self.seen[*at].matched)
            .map(|at| LineMatch {
                number: self.seen[at].number,
                text: self.seen[at].text.clone(),
                clipped: self.seen[at].clipped,
                before: around(self.seen[..at].iter().rev(), self.seen[at].number, context, true),
                after: around(self.seen[at + 1..].iter(), self.seen[at].number, context, false),
            })
            .collect();
        FileMatches { lines, total: self.total }
    }
}

/// The lines within `context` of `number`, nearest first in `lines`, in the order of the file.
fn around<'s>(
    lines: impl Iterator<Item = &'s Seen>,
    number: u64,
    context: u64,
    reversed: bool,
) -> Vec<(u64, String)> {
    let near = lines.take_while(|line| line.number.abs_diff(number) <= context);
    let mut near: Vec<_> = near.map(|line| (line.number, line.text.clone())).collect();
    if reversed {
        near.reverse();
    }
    near
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.total += 1;
        self.keep(found.line_number(), found.bytes(), true);
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.keep(context.line_number(), context.bytes(), false);
        Ok(true)
    }
}

/// The line as text, at most `MAX_LINE_CHARS` characters around the byte that `centre` gives.
fn clip(line: &[u8], centre: impl FnOnce() -> usize) -> (String, bool) {
    if line.len() <= MAX_LINE_CHARS {
        return (line.to_str_lossy().into_owned(), false);
    }
    let from = centre().saturating_sub(MAX_LINE_CHARS / 2).min(line.len() - MAX_LINE_CHARS);
    let window = &line[from..from + MAX_LINE_CHARS];
    let text = window.to_str_lossy();
    let text = text.trim_matches('\u{fffd}');
    let front = if from > 0 { "…" } else { "" };
    let back = if from + MAX_LINE_CHARS < line.len() { "…" } else { "" };
    (format!("{front}{text}{back}"), true)
}
