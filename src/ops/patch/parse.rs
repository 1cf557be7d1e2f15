//! Reads a patch into hunks by the prefixes of its lines, since models get the counts wrong.
//!
//! ```text
//! patch   := (prose | file | hunk | fence)*
//! file    := "--- " name, "+++ " name | "diff --git " names | "*** Update File: " name | ...
//! hunk    := "@@" (range | anchor | "...")? "@@"? body*      the "@@" line may be left out after a file line
//! body    := (" " | "+" | "-" | tab) text | "" | "\ No newline at end of file"
//! ```

use std::collections::HashSet;

use super::error::{PatchError, clip};
use super::header::{HunkHeader, file_name, git_name, hunk_header};
use super::hunk::{BodyLine, Hunk, Kind};
use super::token::{RawLine, Token, body_line, landmark, raw_lines};

const NOWHERE: &str = "/dev/null";
/// Opens a hunk of a merge diff, whose lines have two prefixes.
const MERGE: &str = "@@@";
const UNNAMED: &str = "(unnamed)";

/// A patch for one file.
#[derive(Debug)]
pub(super) struct Patch<'p> {
    pub hunks: Vec<Hunk<'p>>,
    /// Says that the file does not exist yet.
    pub creates: bool,
}

/// Read a patch for one file
pub(super) fn parse(text: &str) -> Result<Patch<'_>, PatchError> {
    let raw = raw_lines(text);
    let mut reader = Reader::default();
    for index in 0..raw.len() {
        let window = raw.get(index..).unwrap_or_default();
        let token = reader.token(window);
        reader.take(token, index + 1)?;
    }
    reader.finish()
}

/// How many lines of each side a numbered header still promises; negative when there came more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Promise {
    old: i64,
    new: i64,
}

impl Promise {
    fn keep(&mut self, kind: Kind) {
        self.old -= i64::from(kind != Kind::Added);
        self.new -= i64::from(kind != Kind::Removed);
    }

    fn is_kept(self) -> bool {
        self.old <= 0 && self.new <= 0
    }
}

#[derive(Debug, Default)]
struct Reader<'p> {
    names: Vec<&'p str>,
    hunks: Vec<Hunk<'p>>,
    open: Option<Hunk<'p>>,
    promise: Option<Promise>,
    old_name: &'p str,
    /// Name of a `diff --git` line that no `+++` line has confirmed yet.
    git_name: Option<&'p str>,
    /// After a file line a body may follow without an `@@` line.
    awaits_body: bool,
    creates: bool,
    renamed: Option<&'p str>,
}

impl<'p> Reader<'p> {
    fn token(&self, window: &[RawLine<'p>]) -> Token<'p> {
        let Some(&raw) = window.first() else {
            return Token::Prose;
        };
        if raw.text.starts_with(MERGE) {
            return Token::Stray(raw.text);
        }
        landmark(raw.text).unwrap_or_else(|| match self.open {
            Some(_) => self.inside(raw, window),
            None => self.outside(raw, window),
        })
    }

    fn inside(&self, raw: RawLine<'p>, window: &[RawLine<'p>]) -> Token<'p> {
        if raw.text.starts_with('\\') {
            return Token::NoNewline;
        }
        if self.is_signature(window) {
            return Token::Close;
        }
        if let Some(name) = self.next_file(window) {
            return Token::OldName(name);
        }
        body_line(raw).map_or(Token::Stray(raw.text), Token::Body)
    }

    /// `--- x`, `+++ y`, `@@` is a file header, unless the hunk still wants exactly one line of each side.
    fn next_file(&self, window: &[RawLine<'p>]) -> Option<&'p str> {
        let name = window.first()?.text.strip_prefix("--- ")?;
        let is_header = follows(window, 1, "+++ ") && follows(window, 2, "@@");
        (is_header && self.promise != Some(Promise { old: 1, new: 1 })).then_some(name)
    }

    /// The `-- ` and version number that `git format-patch` puts at the end.
    fn is_signature(&self, window: &[RawLine<'p>]) -> bool {
        let is_dashes = window.first().is_some_and(|raw| raw.text.trim_end() == "--");
        let version = window
            .get(1)
            .is_some_and(|raw| raw.text.starts_with(|letter: char| letter.is_ascii_digit()));
        is_dashes && version && self.promise.is_some_and(Promise::is_kept)
    }

    fn outside(&self, raw: RawLine<'p>, window: &[RawLine<'p>]) -> Token<'p> {
        let starts_file = !self.awaits_body || follows(window, 1, "+++ ");
        match raw.text.split_once(' ') {
            Some(("---", name)) if starts_file => Token::OldName(name),
            Some(("+++", name)) if !self.awaits_body => Token::NewName(name),
            Some(("rename" | "copy", to)) if self.git_name.is_some() => {
                to.strip_prefix("to ").map_or(Token::Prose, Token::Rename)
            }
            _ if self.awaits_body && !raw.text.is_empty() => {
                body_line(raw).map_or(Token::Prose, Token::Body)
            }
            _ if !self.hunks.is_empty() && is_orphan(raw.text) => Token::Stray(raw.text),
            _ => Token::Prose,
        }
    }

    fn take(&mut self, token: Token<'p>, line: usize) -> Result<(), PatchError> {
        match token {
            Token::Hunk(rest) => self.open_hunk(hunk_header(rest)),
            Token::OldName(name) => self.start_file(name),
            Token::NewName(name) => self.name_file(name),
            Token::GitName(rest) => self.start_git_file(git_name(rest)),
            Token::Update(name) => self.open_file(name, ""),
            Token::Create(name) => self.open_file(name, NOWHERE),
            Token::Delete(name) => self.delete_file(name),
            Token::Rename(to) => self.renamed = Some(file_name(to)),
            Token::Body(body) => self.push(body),
            Token::NoNewline => self.mark_unended(),
            Token::EndOfFile => self.mark_end(),
            Token::Close => self.close(),
            Token::Prose => {}
            Token::Stray(text) => {
                let text = clip(text.as_bytes());
                return Err(PatchError::StrayLine { line, text });
            }
        }
        Ok(())
    }

    fn open_hunk(&mut self, header: HunkHeader<'p>) {
        let mut hunk = Hunk { anchors: self.anchors_above(), ..Hunk::default() };
        self.close();
        match header {
            HunkHeader::Numbered { old, new } => {
                hunk.range = Some(old);
                self.promise = new.map(|new| Promise {
                    old: i64::try_from(old.count).unwrap_or(i64::MAX),
                    new: i64::try_from(new.count).unwrap_or(i64::MAX),
                });
            }
            HunkHeader::Anchor(anchor) => hunk.anchors.push(anchor),
            HunkHeader::Bare => {}
        }
        self.open = Some(hunk);
    }

    /// `@@ class A`, `@@ fn b`: a header without a body qualifies the next one.
    fn anchors_above(&mut self) -> Vec<&'p str> {
        match &mut self.open {
            Some(hunk) if hunk.lines.is_empty() => std::mem::take(&mut hunk.anchors),
            _ => Vec::new(),
        }
    }

    fn start_file(&mut self, old_name: &'p str) {
        self.close();
        self.old_name = file_name(old_name);
    }

    fn name_file(&mut self, new_name: &'p str) {
        let new_name = file_name(new_name);
        let is_gone = new_name == NOWHERE;
        self.git_name = None;
        self.add_name(if is_gone { self.old_name } else { new_name });
        self.creates |= self.old_name == NOWHERE;
        self.awaits_body = true;
    }

    fn start_git_file(&mut self, name: &'p str) {
        self.close();
        self.confirm_git_name();
        self.git_name = Some(name);
    }

    fn confirm_git_name(&mut self) {
        if let Some(name) = self.git_name.take() {
            self.add_name(name);
        }
    }

    fn open_file(&mut self, name: &'p str, old_name: &'p str) {
        self.close();
        self.old_name = old_name;
        self.name_file(name);
    }

    fn delete_file(&mut self, name: &'p str) {
        self.close();
        self.add_name(file_name(name));
    }

    fn add_name(&mut self, name: &'p str) {
        // Hunks that came before the first name belong to some other file.
        if self.names.is_empty() && !self.hunks.is_empty() {
            self.names.push(UNNAMED);
        }
        self.names.push(name);
    }

    fn push(&mut self, body: BodyLine<'p>) {
        if let Some(promise) = &mut self.promise {
            promise.keep(body.kind);
        }
        let hunk = self.open.get_or_insert_default();
        hunk.lines.push(body);
    }

    fn mark_unended(&mut self) {
        let hunk = self.open.as_mut();
        if let Some(line) = hunk.and_then(|hunk| hunk.lines.last_mut()) {
            line.is_unended = true;
        }
    }

    fn mark_end(&mut self) {
        if let Some(hunk) = &mut self.open {
            hunk.is_at_end = true;
        }
        self.close();
    }

    fn close(&mut self) {
        self.awaits_body = false;
        let promise = self.promise.take();
        let Some(mut hunk) = self.open.take() else {
            return;
        };
        trim_tail(&mut hunk, promise);
        if !hunk.lines.is_empty() {
            hunk.number = self.hunks.len() + 1;
            self.hunks.push(hunk);
        }
    }

    fn finish(mut self) -> Result<Patch<'p>, PatchError> {
        self.close();
        self.confirm_git_name();
        let mut seen = HashSet::new();
        self.names.retain(|name| seen.insert(*name));
        if self.names.len() > 1 {
            let names = self.names.iter().map(|name| clip(name.as_bytes()));
            return Err(PatchError::SeveralFiles { names: names.collect() });
        }
        if let Some(to) = self.renamed {
            let to = clip(to.as_bytes());
            return Err(PatchError::Renames { to });
        }
        self.changes()
    }

    fn changes(self) -> Result<Patch<'p>, PatchError> {
        if self.hunks.is_empty() {
            return Err(PatchError::NoHunks);
        }
        if !self.hunks.iter().any(Hunk::has_changes) {
            return Err(PatchError::NoChanges);
        }
        Ok(Patch { hunks: self.hunks, creates: self.creates })
    }
}

/// A changed line after the end of a hunk, not a bullet: something cut the hunk short, such as a
/// context line of a Markdown file that lost its space and looks like a fence.
fn is_orphan(text: &str) -> bool {
    let is_bullet = text.starts_with("- ") && !text.starts_with("-  ");
    text.starts_with('+') || (text.starts_with('-') && !text.starts_with("--") && !is_bullet)
}

fn follows(window: &[RawLine], index: usize, prefix: &str) -> bool {
    window.get(index).is_some_and(|raw| raw.text.starts_with(prefix))
}

/// Drops the bare lines at the end that no count asks for; those it does ask for stay, loosely.
fn trim_tail(hunk: &mut Hunk, promise: Option<Promise>) {
    let bare = hunk.lines.iter().rev().take_while(|line| line.is_bare).count();
    let surplus = match promise {
        Some(promise) => usize::try_from(promise.old.saturating_neg()).unwrap_or(0),
        None => bare,
    };
    let dropped = surplus.min(bare);
    hunk.lines.truncate(hunk.lines.len() - dropped);
    hunk.loose_tail = bare - dropped;
}
