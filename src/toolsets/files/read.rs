//! `read`: a file, or lines of it, as text or in base64.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FileMetadata, looks, not_a_file};
use crate::call::Cx;
use crate::error::Error;
use crate::limits::{DEFAULT_READ_BYTES, MAX_COUNTED_BYTES, SNIFF_BYTES};
use crate::ops::text::{self, Cut, Lines, Wanted};
use crate::policy::AtHome;
use crate::sandbox::{self, PathArg, RegularFile};
use crate::toolsets::{Effect, Tool};

/// Read a file, whole or some lines of it. What is not text comes as base64.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// Path to the file to read (relative to server root)
    path: PathArg,
    /// File encoding
    #[serde(default)]
    encoding: Encoding,
    /// Start line for partial read (0-indexed)
    start_line: Option<u64>,
    /// End line for partial read (inclusive)
    end_line: Option<u64>,
    /// Maximum number of bytes to read
    #[serde(default = "default_size")]
    max_size: u64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Encoding {
    #[default]
    Utf8,
    Base64,
    Binary,
}

fn default_size() -> u64 {
    DEFAULT_READ_BYTES
}

/// Content of a file
#[derive(Serialize, JsonSchema)]
pub struct Content {
    content: String,
    /// utf8 or base64
    encoding: &'static str,
    /// Bytes in the whole file
    size: u64,
    /// Bytes of the file that are here
    bytes_read: u64,
    /// The file has more than what is here
    truncated: bool,
    /// Lines in the whole file, if it is text and not larger than 1 GiB
    #[serde(skip_serializing_if = "Option::is_none")]
    line_count: Option<u64>,
    /// Why there is less than was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    metadata: FileMetadata,
}

/// What was taken out of the file.
struct Part {
    content: String,
    encoding: &'static str,
    bytes_read: usize,
    truncated: bool,
    line_count: Option<u64>,
    warning: Option<String>,
}

/// Lines by number from 0, both ends included.
#[derive(Clone, Copy)]
struct Range {
    start: u64,
    end: u64,
}

impl Tool for Read {
    type Output = Content;
    const NAME: &'static str = "read";
    const EFFECT: Effect = Effect::Reads;
    const HOME: Option<AtHome> = looks(&["read_file"]);
    const AT_HAND: bool = true;

    fn run(self, cx: &Cx) -> Result<Content, Error> {
        let range = self.range()?;
        let place = cx.here_to_read(&self.path)?;
        let mut file = sandbox::open_regular(&place).map_err(not_a_file("path"))?;
        let is_text = !text::is_binary(&file.head(SNIFF_BYTES)?);
        let part = match (self.encoding == Encoding::Utf8 && is_text, range) {
            (true, Some(range)) => self.lines(&mut file, range, cx)?,
            (true, None) => self.start(&mut file, cx)?,
            (false, None) => self.bytes(&mut file, cx)?,
            (false, Some(_)) => return Err(no_lines()),
        };
        let mut metadata = FileMetadata::new(&place, file.metadata());
        metadata.mime_type.get_or_insert(match part.encoding {
            "utf8" => "text/plain",
            _ => "application/octet-stream",
        });
        Ok(part.told(metadata))
    }
}

impl Read {
    fn range(&self) -> Result<Option<Range>, Error> {
        if self.start_line.is_none() && self.end_line.is_none() {
            return Ok(None);
        }
        let range = Range {
            start: self.start_line.unwrap_or(0),
            end: self.end_line.unwrap_or(u64::MAX - 1),
        };
        if range.start > range.end {
            return Err(Error::argument(
                "start_line",
                format!("start_line ({}) is behind end_line ({})", range.start, range.end),
            ));
        }
        Ok(Some(range))
    }

    /// Bytes that may be returned: what the caller wants, if the operator grants it.
    fn limit(&self, cx: &Cx) -> u64 {
        self.max_size.min(cx.bounds().max_file_size)
    }

    fn lines(&self, file: &mut RegularFile, range: Range, cx: &Cx) -> Result<Part, Error> {
        let wanted = Wanted {
            first: range.start.saturating_add(1),
            count: (range.end - range.start).saturating_add(1),
            max_bytes: self.limit(cx),
            cut: Cut::Anywhere,
            counted: MAX_COUNTED_BYTES,
        };
        let lines = text::read_lines(file, wanted, cx.control());
        let lines = lines.map_err(|error| file.fail_reading(error))?;
        let truncated = lines.cut || !lines.to_end || lines.count < lines.total;
        let warning = if lines.cut {
            let rest = if wanted.count > 1 { Rest::Lines } else { Rest::Bytes };
            let more = self.more(rest, cx);
            Some(format!("the lines have more than {} bytes: {more}", wanted.max_bytes))
        } else if lines.count == 0 {
            let (start, total) = (range.start, lines.total);
            Some(format!("start_line {start} is past the end: the file has {total} lines"))
        } else {
            None
        };
        let part = Part::of_text(lines).map_err(|_| no_lines())?;
        Ok(Part { truncated, warning, ..part })
    }

    fn start(&self, file: &mut RegularFile, cx: &Cx) -> Result<Part, Error> {
        let lines = text::read_start(file, self.limit(cx), cx.control());
        let lines = lines.map_err(|error| file.fail_reading(error))?;
        let cut = lines.cut;
        let part = Part::of_text(lines).unwrap_or_else(|bytes| Part::of_bytes(&bytes));
        Ok(self.cut_short(part, cut, file, cx))
    }

    fn bytes(&self, file: &mut RegularFile, cx: &Cx) -> Result<Part, Error> {
        let limit = self.limit(cx);
        let mut bytes = Vec::new();
        let read = file.take(limit).read_to_end(&mut bytes);
        read.map_err(|error| file.fail(&error))?;
        let cut = file.metadata().size > bytes.len() as u64;
        Ok(self.cut_short(Part::of_bytes(&bytes), cut, file, cx))
    }

    fn cut_short(&self, part: Part, cut: bool, file: &RegularFile, cx: &Cx) -> Part {
        let (size, here) = (file.metadata().size, part.bytes_read);
        let rest = if part.has_lines() { Rest::Lines } else { Rest::Bytes };
        let more = self.more(rest, cx);
        let warning =
            format!("the file has {size} bytes, the first {here} of them are here: {more}");
        Part { truncated: cut, warning: cut.then_some(warning), ..part }
    }

    /// How to get the rest.
    fn more(&self, rest: Rest, cx: &Cx) -> String {
        let most = cx.bounds().max_file_size;
        match (self.max_size < most, rest) {
            (true, Rest::Lines) => {
                format!("use a larger max_size (up to {most}), or start_line and end_line")
            }
            (true, Rest::Bytes) => format!("use a larger max_size (up to {most})"),
            (false, Rest::Lines) => format!(
                "one answer holds at most {most} bytes; use start_line and end_line for other parts of it"
            ),
            (false, Rest::Bytes) => format!(
                "one answer holds at most {most} bytes, and what has no lines can not be read in parts: have the operator raise --max-file-size"
            ),
        }
    }
}

/// What the part that is not here consists of.
#[derive(Clone, Copy)]
enum Rest {
    /// Lines that can be asked for by number.
    Lines,
    /// A single line, or no text at all.
    Bytes,
}

impl Part {
    fn has_lines(&self) -> bool {
        self.encoding == "utf8" && self.line_count.is_none_or(|lines| lines > 1)
    }

    /// These lines as text, or their bytes when they are none.
    fn of_text(mut lines: Lines) -> Result<Self, Vec<u8>> {
        if lines.cut {
            text::trim_broken_character(&mut lines.bytes);
        }
        let bytes_read = lines.bytes.len();
        let content = String::from_utf8(lines.bytes).map_err(|error| error.into_bytes())?;
        let line_count = lines.to_end.then_some(lines.total);
        Ok(Self {
            content,
            encoding: "utf8",
            bytes_read,
            truncated: false,
            line_count,
            warning: None,
        })
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        Self {
            content: BASE64.encode(bytes),
            encoding: "base64",
            bytes_read: bytes.len(),
            truncated: false,
            line_count: None,
            warning: None,
        }
    }

    fn told(self, metadata: FileMetadata) -> Content {
        Content {
            content: self.content,
            encoding: self.encoding,
            size: metadata.size,
            bytes_read: self.bytes_read as u64,
            truncated: self.truncated,
            line_count: self.line_count,
            warning: self.warning,
            metadata,
        }
    }
}

/// Lines were asked for where there are none.
fn no_lines() -> Error {
    Error::argument(
        "start_line",
        "start_line and end_line need a text file and encoding=utf8; leave them out to read bytes in base64",
    )
}
