//! A file that the agent brings: from its arguments to what the cache holds, and what is told about it.

use std::sync::Arc;

use chrono::SecondsFormat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cache::{self, Entry, Mtime, NewFile, Status, Stored};
use crate::call::Cx;
use crate::error::Error;
use crate::ops::encoding::Form;
use crate::policy::AgentPath;

/// What the agent says about a file beside its content.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(super) struct GivenMetadata {
    /// As the argument mtime
    pub(super) mtime: Option<Mtime>,
    /// As the argument encoding
    pub(super) encoding: Option<String>,
    /// As the argument size
    pub(super) size: Option<u64>,
}

impl GivenMetadata {
    /// What is said here, else what is said there.
    pub(super) fn or(self, other: Option<Self>) -> Self {
        let other = other.unwrap_or_default();
        Self {
            mtime: self.mtime.or(other.mtime),
            encoding: self.encoding.or(other.encoding),
            size: self.size.or(other.size),
        }
    }

    /// The form of the content; text in UTF-8 when nothing is said.
    pub(super) fn form(&self) -> Result<Form, Error> {
        self.encoding.as_deref().map_or(Ok(Form::UTF_8), form)
    }
}

/// The form that the argument `encoding` names.
pub(super) fn form(label: &str) -> Result<Form, Error> {
    Form::labelled(label).ok_or_else(|| {
        let advice = "use a label such as utf-8, latin-1, windows-1252, utf-16, shift_jis, or base64 for bytes";
        Error::argument("encoding", format!("unsupported encoding: {label}; {advice}"))
    })
}

/// The bytes that `content` stands for.
pub(super) fn bytes_of(content: &str, form: Form, path: &AgentPath) -> Result<Vec<u8>, Error> {
    form.bytes(content).map_err(|why| Error::Refused(format!("content of {}: {why}", path.shown())))
}

/// A file for the cache.
pub(super) fn new_file(
    cx: &Cx,
    path: &AgentPath,
    bytes: Vec<u8>,
    given: &GivenMetadata,
) -> Result<NewFile, Error> {
    Ok(NewFile {
        key: cx.key(path),
        bytes: Arc::from(bytes),
        encoding: given.encoding.as_deref().unwrap_or("utf-8").trim().to_owned(),
        mtime: given.mtime.clone(),
        mtime_seconds: given.mtime.as_ref().map(|mtime| mtime.seconds("mtime")).transpose()?,
    })
}

/// A complaint when the file has another size than the agent said.
pub(super) fn size_warning(path: &AgentPath, given: Option<u64>, actual: usize) -> Option<String> {
    let given = given.filter(|given| *given != actual as u64)?;
    Some(format!(
        "{}: the size was given as {given} bytes, but the content has {actual}",
        path.shown()
    ))
}

/// The names of a path
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Names {
    /// Absolute
    path: String,
    /// The key in the cache: the absolute path
    cache_key: String,
    /// From the project
    relative_path: String,
}

impl From<&AgentPath> for Names {
    fn from(path: &AgentPath) -> Self {
        let (absolute, relative_path) = (path.absolute.clone(), path.shown());
        Self { path: absolute.clone(), cache_key: absolute, relative_path }
    }
}

/// What is held beside the content
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Metadata {
    /// Bytes in the file
    size: usize,
    /// When the file was last changed, as it was given
    #[serde(skip_serializing_if = "Option::is_none")]
    mtime: Option<Mtime>,
    /// When it was cached
    timestamp: String,
    /// Encoding as it was given
    encoding: String,
}

impl From<&Entry> for Metadata {
    fn from(entry: &Entry) -> Self {
        Self {
            size: entry.bytes.len(),
            mtime: entry.mtime.clone(),
            timestamp: entry.timestamp.to_rfc3339_opts(SecondsFormat::Micros, true),
            encoding: entry.encoding.clone(),
        }
    }
}

/// A file that is now held
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Held {
    #[serde(flatten)]
    names: Names,
    status: Status,
    metadata: Metadata,
    /// Times it replaced an older version
    update_count: u64,
}

impl Held {
    pub(super) fn new(path: &AgentPath, stored: &Stored) -> Self {
        Self {
            names: path.into(),
            status: stored.status,
            metadata: (&stored.entry).into(),
            update_count: stored.entry.update_count,
        }
    }
}

/// Files that had to make room
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Evicted {
    count: usize,
    bytes: usize,
    keys: Vec<String>,
}

impl Evicted {
    pub(super) fn new(cx: &Cx, evicted: &cache::Evicted) -> Self {
        let keys = evicted.keys.iter().filter_map(|key| cx.cache_key(key)).collect();
        Self { count: evicted.keys.len(), bytes: evicted.bytes, keys }
    }
}
