//! `read_file`: a file's content, whole, by bytes or by lines.

use std::io::Read;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READS;
use crate::call::Cx;
use crate::control::Control;
use crate::error::Error;
use crate::limits::{MAX_RANGE_BYTES, SNIFF_BYTES};
use crate::ops::hash;
use crate::ops::text::{self, Cut, Lines, Shown, Wanted};
use crate::policy::Access;
use crate::sandbox::{self, PathArg, RegularFile};
use crate::toolsets::{Effect, Tool};

/// Read a file in a root: whole, or a range of bytes or of lines (not both). Content that is not UTF-8 comes as base64.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFile {
    /// Root name
    root: String,
    /// File
    path: PathArg,
    /// First byte, from 0
    offset_bytes: Option<u64>,
    /// Bytes to read
    limit_bytes: Option<u64>,
    /// First line, from 1
    offset_lines: Option<u64>,
    /// Lines to read
    limit_lines: Option<u64>,
    /// Lines from the end, as of a log, instead of offset_lines and limit_lines
    last_lines: Option<u64>,
    /// Put each line's number and a tab in front
    #[serde(default)]
    line_numbers: bool,
    /// Return the sha256 of the whole file, for expected_hash
    #[serde(default)]
    with_hash: bool,
}

/// Content of a file
#[derive(Serialize, JsonSchema, Default)]
pub struct Content {
    content: String,
    /// Bytes in the whole file
    size: u64,
    /// The file has more than what is here
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u64>,
    /// base64 when the bytes are not UTF-8
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    /// There is a NUL in the first 8 KB
    #[serde(skip_serializing_if = "Option::is_none")]
    binary: Option<bool>,
    /// What to know about this answer
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

impl Tool for ReadFile {
    type Output = Content;
    const NAME: &'static str = "read_file";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = READS;
    const AT_HAND: bool = true;

    fn run(self, cx: &Cx) -> Result<Content, Error> {
        let by_bytes = self.offset_bytes.is_some() || self.limit_bytes.is_some();
        let from_start = self.offset_lines.is_some() || self.limit_lines.is_some();
        let by_lines = from_start || self.last_lines.is_some();
        self.refuse_two_ways(by_bytes && by_lines, from_start)?;
        let place = cx.to_read(&self.root, &self.path)?;
        let mut file = sandbox::open_regular(&place)?;
        let mut content = match (by_bytes, by_lines) {
            (true, _) => self.bytes(&mut file)?,
            (_, true) => self.lines(&mut file, cx)?,
            _ => self.whole(&mut file, cx)?,
        };
        content.size = file.metadata().size;
        if self.with_hash {
            content.sha256 = Some(hash_of(&mut file, cx.control())?);
        }
        Ok(content)
    }
}

/// The sha256 of a whole file.
pub(super) fn hash_of(file: &mut RegularFile, control: &Control) -> Result<String, Error> {
    file.seek_to(0)?;
    super::hash_file::digest(file, hash::Algorithm::Sha256, control).map(|(hash, _)| hash)
}

fn starts_binary(file: &mut RegularFile) -> Result<Option<bool>, Error> {
    Ok(text::is_binary(&file.head(SNIFF_BYTES)?).then_some(true))
}

/// So many lines of a file that stands at its start, and the number of all.
fn take(file: &mut RegularFile, first: u64, count: u64, cx: &Cx) -> Result<Lines, Error> {
    let (max_bytes, counted) = (MAX_RANGE_BYTES, u64::MAX);
    let wanted = Wanted { first, count, max_bytes, cut: Cut::BetweenLines, counted };
    let lines = text::read_lines(file, wanted, cx.control());
    lines.map_err(|error| file.fail_reading(error))
}

impl ReadFile {
    fn refuse_two_ways(&self, bytes_and_lines: bool, from_start: bool) -> Result<(), Error> {
        let sentence = match (bytes_and_lines, from_start && self.last_lines.is_some()) {
            (true, _) => "byte-based and line-based parameters are mutually exclusive",
            (_, true) => "last_lines counts from the end: leave out offset_lines and limit_lines",
            _ => return Ok(()),
        };
        Err(Error::Refused(sentence.into()))
    }

    fn whole(&self, file: &mut RegularFile, cx: &Cx) -> Result<Content, Error> {
        let limit = cx.bounds().max_full_read;
        let size = file.metadata().size;
        if size > limit {
            let path = self.path.shown().to_owned();
            return Err(Error::TooLarge { path, size, limit });
        }
        let bytes = file.read_whole(limit)?;
        let binary = text::is_binary(&bytes).then_some(true);
        Ok(Content { binary, ..self.show(bytes, 1) })
    }

    fn bytes(&self, file: &mut RegularFile) -> Result<Content, Error> {
        let size = file.metadata().size;
        let binary = starts_binary(file)?;
        let offset = self.offset_bytes.unwrap_or(0);
        let wanted = self.limit_bytes.unwrap_or(u64::MAX);
        let mut bytes = Vec::new();
        file.seek_to(offset.min(size))?;
        let read = file.take(wanted.min(MAX_RANGE_BYTES)).read_to_end(&mut bytes);
        read.map_err(|error| file.fail(&error))?;
        let end = offset.saturating_add(bytes.len() as u64);
        let mut content = Content {
            truncated: offset.min(size) > 0 || end < size,
            binary,
            ..self.show(bytes, 1)
        };
        if offset >= size && size > 0 {
            content.note =
                Some(format!("offset_bytes {offset} is past the end: the file has {size} bytes"));
        } else if wanted > MAX_RANGE_BYTES && end < size {
            content.note = Some(format!(
                "one answer carries at most {MAX_RANGE_BYTES} bytes; go on at offset_bytes {end}"
            ));
        }
        Ok(content)
    }

    fn lines(&self, file: &mut RegularFile, cx: &Cx) -> Result<Content, Error> {
        let binary = starts_binary(file)?;
        let (first, count) = match self.last_lines {
            None => (self.offset_lines.unwrap_or(1).max(1), self.limit_lines.unwrap_or(u64::MAX)),
            Some(last) => {
                // Counted first: what is the end is known at the end.
                let total = take(file, 1, 0, cx)?.total;
                file.seek_to(0)?;
                (total.saturating_sub(last) + 1, last)
            }
        };
        let lines = take(file, first, count, cx)?;
        let mut content = Content { binary, ..self.show(lines.bytes, first) };
        content.lines_total = Some(lines.total);
        content.truncated = lines.count < lines.total;
        if lines.count > 0 {
            content.start_line = Some(first);
            content.end_line = Some(first + lines.count - 1);
        } else if first > lines.total && self.last_lines.is_none() {
            content.note = Some(format!(
                "offset_lines {first} is past the end: the file has {} lines",
                lines.total
            ));
        }
        if lines.cut {
            let next = first + lines.count;
            content.note = Some(format!(
                "one answer carries at most {MAX_RANGE_BYTES} bytes; go on at offset_lines {next}, or use offset_bytes for a longer line"
            ));
        }
        Ok(content)
    }

    fn show(&self, bytes: Vec<u8>, first: u64) -> Content {
        let (content, encoding) = Shown::of(bytes).into_parts();
        let content = match encoding {
            None if self.line_numbers => text::number_lines(&content, first),
            _ => content,
        };
        Content { content, encoding, ..Content::default() }
    }
}
