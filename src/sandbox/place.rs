//! A place: a root held open, a path beneath it, and the words in which to speak of it.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::io::Errno;

use super::locks::LOCKED;
use super::path::{PathArg, PathStyle, RelativePath};
use super::resolve::Fault;
use super::root::Root;
use crate::error::{Error, Escape};

/// Where an operation happens. Made from a client's text in one way only.
#[derive(Debug, Clone)]
pub struct Place {
    root: Arc<Root>,
    path: RelativePath,
    shown: String,
    noun: &'static str,
    patience: Patience,
}

/// How long opening and reading a file may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patience {
    /// As long as the disk takes.
    #[default]
    Any,
    /// No time at all: what the kernel does not hold in memory is a failure.
    None,
}

impl Place {
    /// The place that `text` names beneath `root`. Policy has been asked by the caller, `call::Cx`.
    pub(crate) fn new(root: &Arc<Root>, text: &PathArg, style: PathStyle) -> Result<Self, Error> {
        let path = text.beneath(style, &[root.host_path(), root.given_path()])?;
        // An empty path names the root, and the sentence of a named root must name something.
        let is_top = text.shown().is_empty() && style == PathStyle::Chroot;
        let shown = if is_top { "." } else { text.shown() };
        Ok(Self {
            root: root.clone(),
            path,
            shown: shown.to_owned(),
            noun: "file",
            patience: Patience::Any,
        })
    }

    /// The same place, called `noun` when it is not there.
    pub fn called(self, noun: &'static str) -> Self {
        Self { noun, ..self }
    }

    /// The same place, opened with this patience.
    pub fn with(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// How long opening it may take.
    pub(super) fn patience(&self) -> Patience {
        self.patience
    }

    /// An entry of this directory.
    pub fn entry(&self, name: &std::ffi::OsStr) -> Self {
        self.at(self.path.join(name))
    }

    fn at(&self, path: RelativePath) -> Self {
        Self { shown: path.shown(), path, root: self.root.clone(), ..*self }
    }

    /// The directory that holds this entry, and the entry's name; `None` for the root itself.
    pub fn parent(&self) -> Option<(Self, String)> {
        let (path, name) = self.path.split_last()?;
        let name = name.into_string().ok()?;
        Some((self.at(path), name))
    }

    /// The root.
    pub fn root(&self) -> &Arc<Root> {
        &self.root
    }

    /// The clean path.
    pub fn path(&self) -> &RelativePath {
        &self.path
    }

    /// As the client wrote it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The path from the root for answers; `.` for the root itself.
    pub fn display(&self) -> String {
        if self.path.is_top() { ".".to_owned() } else { self.path.shown() }
    }

    /// Where this really is: links are followed as far as anything exists. Only an escape is a failure, for what
    /// is not here may still be elsewhere.
    pub fn resolved(&self) -> Result<RelativePath, Error> {
        match self.root.retrying(|| self.root.expand(&self.path)) {
            Ok(path) => Ok(path),
            Err(Fault::Os(_)) => Ok(self.path.clone()),
            Err(fault) => Err(self.fail(fault)),
        }
    }

    /// Make a change in `dir` durable. When that fails the change was made all the same, and the answer says so.
    pub(super) fn sync(&self, dir: &OwnedFd) -> Result<(), Error> {
        rustix::fs::fsync(dir).map_err(|errno| Error::OutcomeUnknown {
            path: self.shown.clone(),
            reason: words(errno),
        })
    }

    /// The failure of an operation here, in words without host paths.
    pub(super) fn fail(&self, fault: Fault) -> Error {
        let path = self.shown.clone();
        match fault {
            Fault::Outside { manner, resolved } => {
                Error::Outside(Escape { path, manner, resolved: Some(resolved) })
            }
            Fault::Denied => Error::Denied { path },
            Fault::Elsewhere => Error::Elsewhere { path, open: self.root.parts_shown() },
            Fault::Os(errno) => self.fail_os(errno),
        }
    }

    fn fail_os(&self, errno: Errno) -> Error {
        let path = self.shown.clone();
        match errno {
            Errno::NOENT if self.root.is_gone() => {
                let reason =
                    "the root directory itself was removed; the server must be restarted".into();
                Error::Io { path, reason }
            }
            Errno::NOENT | Errno::NOTDIR => {
                Error::NotFound { noun: self.noun, path, near: Vec::new(), blocked_by: None }
            }
            Errno::ACCESS | Errno::PERM => Error::PermissionDenied { path },
            Errno::EXIST => Error::Exists { path, instead: None },
            Errno::NOTEMPTY => Error::NotEmpty { path },
            other => Error::Io { path, reason: words(other) },
        }
    }
}

/// The system's words for an error number, with what to do where that is known.
pub(super) fn words(errno: Errno) -> String {
    match errno {
        Errno::NOSPC | Errno::DQUOT => {
            "no space left on the device; make room and try again".into()
        }
        Errno::ROFS => "the filesystem is read-only".into(),
        Errno::NAMETOOLONG => "file name too long".into(),
        Errno::MFILE | Errno::NFILE => "too many open files in the server; try again".into(),
        Errno::FBIG => "the file would exceed the size limit of the server process".into(),
        Errno::BUSY => "the path is in use by the system (a mount point?)".into(),
        LOCKED => "another process keeps the file locked; try again".into(),
        Errno::AGAIN => "the path is being renamed by someone else; try again".into(),
        other => system_words(other),
    }
}

fn system_words(errno: Errno) -> String {
    let text = std::io::Error::from(errno).to_string().to_lowercase();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
