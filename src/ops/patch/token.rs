//! What one line of a patch can be.

use super::hunk::{BodyLine, Kind};
use super::text::{CRLF, LF};

/// A line of the patch, its ending apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawLine<'p> {
    pub text: &'p str,
    pub ending: &'p [u8],
}

pub(super) fn raw_lines(text: &str) -> Vec<RawLine<'_>> {
    text.split_inclusive('\n').map(raw_line).collect()
}

fn raw_line(line: &str) -> RawLine<'_> {
    if let Some(text) = line.strip_suffix("\r\n") {
        return RawLine { text, ending: CRLF };
    }
    match line.strip_suffix('\n') {
        Some(text) => RawLine { text, ending: LF },
        None => RawLine { text: line.strip_suffix('\r').unwrap_or(line), ending: b"" },
    }
}

/// What a line means where it stands.
#[derive(Debug)]
pub(super) enum Token<'p> {
    Hunk(&'p str),
    OldName(&'p str),
    NewName(&'p str),
    GitName(&'p str),
    Update(&'p str),
    Create(&'p str),
    Delete(&'p str),
    Rename(&'p str),
    Body(BodyLine<'p>),
    NoNewline,
    EndOfFile,
    /// Closes the hunk: a fence, a signature, the end of a V4A patch.
    Close,
    Prose,
    Stray(&'p str),
}

/// How a line begins, and what the rest of it then is.
type Landmark<'p> = (&'static str, fn(&'p str) -> Token<'p>);

/// Lines that mean the same inside a hunk and outside, for no body line begins like them.
pub(super) fn landmark<'p>(text: &'p str) -> Option<Token<'p>> {
    let landmarks: [Landmark<'p>; 11] = [
        ("@@", Token::Hunk),
        ("diff --git ", Token::GitName),
        ("diff ", |_| Token::Close),
        ("Index: ", |_| Token::Close),
        ("```", |_| Token::Close),
        ("*** Update File: ", Token::Update),
        ("*** Add File: ", Token::Create),
        ("*** Delete File: ", Token::Delete),
        ("*** Move to: ", Token::Rename),
        ("*** End of File", |_| Token::EndOfFile),
        ("*** End Patch", |_| Token::Close),
    ];
    let mut found =
        landmarks.iter().filter_map(|(prefix, token)| text.strip_prefix(prefix).map(token));
    found.next()
}

pub(super) fn body_line(raw: RawLine<'_>) -> Option<BodyLine<'_>> {
    let mut rest = raw.text.chars();
    let (kind, text) = match rest.next() {
        None => (Kind::Context, ""),
        Some(' ') => (Kind::Context, rest.as_str()),
        // The space before a tab gets lost on the way; GNU patch reads such a line so too.
        Some('\t') => (Kind::Context, raw.text),
        Some('+') => (Kind::Added, rest.as_str()),
        Some('-') => (Kind::Removed, rest.as_str()),
        Some(_) => return None,
    };
    Some(BodyLine {
        kind,
        text,
        ending: raw.ending,
        is_bare: raw.text.is_empty(),
        is_unended: false,
    })
}
