//! Path text from a client, and the clean relative path that is all the sandbox works with.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Escape, Manner};

/// Untrusted path text. It can be shown and parsed, nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct PathArg(String);

/// What an absolute path from a client means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStyle {
    /// A leading `/` is the root itself, as in a chroot.
    Chroot,
    /// An absolute path must name a place inside the root on the host.
    Host,
}

impl PathArg {
    /// The text as it came, for messages.
    pub fn shown(&self) -> &str {
        &self.0
    }

    /// The clean path beneath a root whose host path is one of `homes`.
    pub(super) fn beneath(&self, style: PathStyle, homes: &[&Path]) -> Result<RelativePath, Error> {
        if self.0.contains('\0') {
            return Err(Error::NullByte { path: self.0.clone() });
        }
        let text = Path::new(&self.0);
        let inside = match style {
            PathStyle::Host if text.is_absolute() => self.inside_a_home(homes)?,
            _ => text.to_path_buf(),
        };
        RelativePath::clean(&inside).ok_or_else(|| self.escapes(None))
    }

    fn inside_a_home(&self, homes: &[&Path]) -> Result<PathBuf, Error> {
        let clean = clean_absolute(Path::new(&self.0));
        homes
            .iter()
            .find_map(|home| clean.strip_prefix(home).ok().map(Path::to_path_buf))
            .ok_or_else(|| self.escapes(Some(clean.to_string_lossy().into_owned())))
    }

    fn escapes(&self, resolved: Option<String>) -> Error {
        Error::Outside(Escape { path: self.0.clone(), manner: Manner::Traversal, resolved })
    }
}

impl From<&str> for PathArg {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// `.` and `..` resolved by name; the top stays the top.
pub(super) fn clean_absolute(path: &Path) -> PathBuf {
    let mut clean = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => clean.push(name),
            Component::ParentDir => _ = clean.pop(),
            _ => {}
        }
    }
    clean
}

/// A relative path without `.`, `..` or empty parts; empty means the root itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelativePath(Vec<u8>);

impl RelativePath {
    /// Resolve `.` and `..` by name; `None` when that leaves the top.
    pub fn clean(path: &Path) -> Option<Self> {
        let mut names: Vec<&OsStr> = Vec::new();
        for component in path.components() {
            match component {
                Component::Normal(name) => names.push(name),
                Component::ParentDir => _ = names.pop()?,
                _ => {}
            }
        }
        Some(names.into_iter().collect())
    }

    /// Whether this is the root itself.
    pub fn is_top(&self) -> bool {
        self.0.is_empty()
    }

    /// As a path for the kernel: never empty.
    pub fn as_path(&self) -> &Path {
        Path::new(if self.is_top() { OsStr::new(".") } else { OsStr::from_bytes(&self.0) })
    }

    /// The bytes, empty for the root itself.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// For answers: names that are not UTF-8 are shown with replacement characters.
    pub fn shown(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }

    /// This path with one more name.
    pub fn join(&self, name: &OsStr) -> Self {
        let mut bytes = Vec::with_capacity(self.0.len() + 1 + name.len());
        bytes.extend_from_slice(&self.0);
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes.extend_from_slice(name.as_bytes());
        Self(bytes)
    }

    /// This path with another behind it.
    pub fn append(&self, tail: &Self) -> Self {
        if tail.is_top() { self.clone() } else { self.join(OsStr::from_bytes(&tail.0)) }
    }

    /// The path of the directory that holds this, and the name in it; `None` for the root itself.
    pub fn split_last(&self) -> Option<(Self, OsString)> {
        if self.is_top() {
            return None;
        }
        let cut = self.0.iter().rposition(|byte| *byte == b'/');
        let parent = cut.map_or(&[][..], |cut| &self.0[..cut]);
        let name = cut.map_or(&self.0[..], |cut| &self.0[cut + 1..]);
        Some((Self(parent.to_vec()), OsString::from_vec(name.to_vec())))
    }

    /// The names, top first.
    pub fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.0.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).map(OsStr::from_bytes)
    }

    /// Whether this is `other` or lies beneath it.
    pub fn is_within(&self, other: &Self) -> bool {
        other.is_top()
            || self
                .0
                .strip_prefix(&other.0[..])
                .is_some_and(|rest| rest.first().is_none_or(|b| *b == b'/'))
    }
}

impl<'a> FromIterator<&'a OsStr> for RelativePath {
    fn from_iter<I: IntoIterator<Item = &'a OsStr>>(names: I) -> Self {
        let names: Vec<&[u8]> = names.into_iter().map(OsStrExt::as_bytes).collect();
        Self(names.join(&b'/'))
    }
}
