//! Text out of bytes: what is binary, lines by number, and what can be shown.

use std::io::{self, Read};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use memchr::{memchr, memchr_iter};

use crate::control::{Control, Halt};
use crate::limits::{MAX_COUNTED_BYTES, SNIFF_BYTES, STREAM_BUFFER};

/// Whether the start of a file says that it is binary: a NUL in the first 8 KB.
pub fn is_binary(start: &[u8]) -> bool {
    memchr(0, &start[..start.len().min(SNIFF_BYTES)]).is_some()
}

/// Whether the start of a file is a UTF-16 byte-order mark.
pub fn has_utf16_mark(start: &[u8]) -> bool {
    start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff])
}

/// Bytes for an answer: as text where they are text, else in base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// UTF-8.
    Text(String),
    /// Not UTF-8.
    Base64(String),
}

impl Shown {
    /// Show these bytes.
    pub fn of(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text),
            Err(error) => Self::Base64(BASE64.encode(error.as_bytes())),
        }
    }

    /// The content and, unless it is plain text, its encoding.
    pub fn into_parts(self) -> (String, Option<&'static str>) {
        match self {
            Self::Text(text) => (text, None),
            Self::Base64(text) => (text, Some("base64")),
        }
    }
}

/// Which lines to take.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The first, counted from 1.
    pub first: u64,
    /// How many at the most.
    pub count: u64,
    /// Bytes at the most.
    pub max_bytes: u64,
    /// Where the byte limit cuts.
    pub cut: Cut,
    /// Bytes of the stream behind which lines are no longer counted.
    pub counted: u64,
}

/// Where a byte limit cuts lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Between two lines.
    BetweenLines,
    /// At the byte.
    Anywhere,
}

/// Lines of a stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Their text; without the last line's end where lines were asked for.
    pub bytes: Vec<u8>,
    /// How many there are here.
    pub count: u64,
    /// How many the whole stream has, or what was read of it.
    pub total: u64,
    /// Whether it was read to its end.
    pub to_end: bool,
    /// Whether the byte limit cut them short.
    pub cut: bool,
}

/// Why lines were not read to the end.
#[derive(Debug)]
pub enum ReadError {
    /// Told to stop.
    Halted(Halt),
    /// The stream failed.
    Io(io::Error),
}

/// Read lines by number, counting all of them, holding only the wanted ones.
pub fn read_lines(
    reader: &mut impl Read,
    wanted: Wanted,
    control: &Control,
) -> Result<Lines, ReadError> {
    let mut lines = take_lines(reader, wanted, control)?;
    if lines.bytes.last() == Some(&b'\n') {
        lines.bytes.pop();
        if lines.bytes.last() == Some(&b'\r') {
            lines.bytes.pop();
        }
    }
    Ok(lines)
}

/// Read the first `limit` bytes as they are, counting the lines of all.
pub fn read_start(
    reader: &mut impl Read,
    limit: u64,
    control: &Control,
) -> Result<Lines, ReadError> {
    let wanted = Wanted {
        first: 1,
        count: u64::MAX,
        max_bytes: limit,
        cut: Cut::Anywhere,
        counted: MAX_COUNTED_BYTES,
    };
    take_lines(reader, wanted, control)
}

fn take_lines(
    reader: &mut impl Read,
    wanted: Wanted,
    control: &Control,
) -> Result<Lines, ReadError> {
    let mut taker = Taker { wanted, line: 1, open: false, lines: Lines::default() };
    let mut buffer = vec![0; STREAM_BUFFER];
    let mut seen = 0;
    while seen < wanted.counted || !taker.has_all() {
        control.check().map_err(ReadError::Halted)?;
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(Lines { to_end: true, ..taker.finish() }),
            Ok(read) => {
                taker.feed(&buffer[..read]);
                control.advance(read as u64);
                seen += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ReadError::Io(error)),
        }
    }
    Ok(taker.finish())
}

struct Taker {
    wanted: Wanted,
    /// The line that the next byte belongs to.
    line: u64,
    /// Whether that line has a byte already.
    open: bool,
    lines: Lines,
}

impl Taker {
    fn end(&self) -> u64 {
        self.wanted.first.saturating_add(self.wanted.count)
    }

    /// Whether what is still to come is for the count only.
    fn has_all(&self) -> bool {
        self.lines.cut || self.line >= self.end()
    }

    fn feed(&mut self, mut chunk: &[u8]) {
        while !chunk.is_empty() {
            let taken = match self.line {
                line if line < self.wanted.first => self.skip(chunk, self.wanted.first - line),
                line if line < self.end() && !self.lines.cut => self.take(chunk),
                _ => self.skip(chunk, u64::MAX),
            };
            chunk = &chunk[taken..];
        }
    }

    /// Pass over at most `lines` line ends; the bytes passed.
    fn skip(&mut self, chunk: &[u8], lines: u64) -> usize {
        let ends = memchr_iter(b'\n', chunk).count() as u64;
        let passed = if ends < lines {
            self.line += ends;
            chunk.len()
        } else {
            self.line += lines;
            memchr_iter(b'\n', chunk).nth(lines as usize - 1).map_or(chunk.len(), |at| at + 1)
        };
        self.open = chunk[..passed].last() != Some(&b'\n');
        passed
    }

    /// Take the rest of one line; the bytes taken.
    fn take(&mut self, chunk: &[u8]) -> usize {
        let end = memchr(b'\n', chunk).map_or(chunk.len(), |at| at + 1);
        let piece = &chunk[..end];
        let room = self.wanted.max_bytes - self.lines.bytes.len() as u64;
        if piece.len() as u64 > room {
            self.lines.cut = true;
            return self.take_cut(&piece[..room as usize]);
        }
        if !self.open {
            self.lines.count += 1;
        }
        self.lines.bytes.extend_from_slice(piece);
        self.open = piece.last() != Some(&b'\n');
        self.line += u64::from(!self.open);
        end
    }

    /// Take what still fits of a line; the bytes taken.
    fn take_cut(&mut self, piece: &[u8]) -> usize {
        if self.wanted.cut == Cut::BetweenLines || piece.is_empty() {
            return 0;
        }
        self.lines.count += u64::from(!self.open);
        self.lines.bytes.extend_from_slice(piece);
        self.open = true;
        piece.len()
    }

    fn finish(mut self) -> Lines {
        self.lines.total = self.line - 1 + u64::from(self.open);
        self.lines
    }
}

/// `bytes` without the character at its end that is not all there.
pub fn trim_broken_character(bytes: &mut Vec<u8>) {
    if let Err(error) = std::str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
}

/// Each line with its number in front: number, tab, line.
pub fn number_lines(text: &str, first: u64) -> String {
    if text.is_empty() {
        return String::new();
    }
    let (lines, end) = text.strip_suffix('\n').map_or((text, ""), |lines| (lines, "\n"));
    let numbered = lines.split('\n').zip(first..).map(|(line, number)| format!("{number}\t{line}"));
    numbered.collect::<Vec<_>>().join("\n") + end
}

/// How many lines there are.
pub fn count_lines(bytes: &[u8]) -> u64 {
    let ends = memchr_iter(b'\n', bytes).count() as u64;
    ends + u64::from(bytes.last().is_some_and(|last| *last != b'\n'))
}
