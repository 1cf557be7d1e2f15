//! `read_file`: the agent brings a file's content, checked by hash, in chunks if it is large.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pushed::{GivenMetadata, Metadata, Names, bytes_of, new_file};
use super::{Described, Example, Told};
use crate::cache::{Chunk, Mtime, Progress, Stats};
use crate::call::Cx;
use crate::error::Error;
use crate::ops::encoding::Form;
use crate::ops::hash;
use crate::policy::{Access, AgentPath};
use crate::sandbox::PathArg;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Provide a file's content to the server
///
/// The agent reads a file and brings its content here, as text or in base64, whole or in chunks in any order. The
/// answer has the sha256 of the file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFile {
    /// File, relative to the project or absolute inside it
    path: PathArg,
    /// Its content, or that of one chunk
    content: String,
    /// Encoding of the file, or base64 when content is base64 [default: utf-8]
    encoding: Option<String>,
    /// Content is base64
    #[serde(default)]
    binary: bool,
    /// When the file was last changed
    mtime: Option<Mtime>,
    /// sha256 that the whole file must have
    content_hash: Option<String>,
    /// Which chunk this is, from 0
    chunk_index: Option<u32>,
    /// How many chunks there are
    total_chunks: Option<u32>,
    /// sha256 that this chunk must have
    chunk_hash: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum State {
    Complete,
    Partial,
}

/// What the server has now
#[derive(Serialize, JsonSchema)]
pub struct Received {
    #[serde(flatten)]
    names: Names,
    status: State,
    /// Bytes received
    size: usize,
    /// sha256 of the whole file
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    /// Whether a hash was given and fits
    hash_verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Metadata>,
    /// Chunks received
    #[serde(skip_serializing_if = "Option::is_none")]
    chunks_received: Option<u32>,
    /// Chunks still to come
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_chunks: Vec<u32>,
    stats: Stats,
}

impl Tool for ReadFile {
    type Output = Told<Received>;
    const NAME: &'static str = "read_file";
    const EFFECT: Effect = Effect::Consumes;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Told<Received>, Error> {
        let path = cx.agent_path(&self.path)?;
        let bytes = bytes_of(&self.content, self.form()?, &path)?;
        match (self.chunk_index, self.total_chunks) {
            (None, None) if self.chunk_hash.is_none() => self.complete(cx, &path, bytes),
            (Some(index), Some(total)) => self.chunk(cx, &path, Chunk { index, total, bytes }),
            _ => Err(Error::argument(
                "chunk_index",
                "chunk_index and total_chunks: expected both or neither, and chunk_hash only with them",
            )),
        }
    }
}

impl ReadFile {
    fn form(&self) -> Result<Form, Error> {
        match self.binary {
            true => Ok(Form::Base64),
            false => self.given().form(),
        }
    }

    fn given(&self) -> GivenMetadata {
        let encoding = self.encoding.clone();
        let encoding = if self.binary { Some("base64".to_owned()) } else { encoding };
        GivenMetadata { mtime: self.mtime.clone(), encoding, size: None }
    }

    fn chunk(self, cx: &Cx, path: &AgentPath, chunk: Chunk) -> Result<Told<Received>, Error> {
        let index = chunk.index;
        expect_hash("chunk_hash", self.chunk_hash.as_deref(), &chunk.bytes)?;
        match cx.cache()?.add_chunk(&cx.key(path), chunk)? {
            Progress::Complete(bytes) => self.complete(cx, path, bytes),
            Progress::Partial { received, bytes, missing, restarted } => {
                let left = missing.len();
                let value = Received {
                    names: path.into(),
                    status: State::Partial,
                    size: bytes,
                    content_hash: None,
                    hash_verified: self.chunk_hash.is_some(),
                    metadata: None,
                    chunks_received: Some(received),
                    missing_chunks: missing,
                    stats: cx.cache()?.stats(),
                };
                let warning = "an unfinished upload with another total_chunks was dropped";
                let warnings = if restarted { vec![warning.to_owned()] } else { Vec::new() };
                Ok(Told::ok(value)
                    .message(format!("partial: chunk {index} received, {left} to come"))
                    .warnings(warnings))
            }
        }
    }

    fn complete(&self, cx: &Cx, path: &AgentPath, bytes: Vec<u8>) -> Result<Told<Received>, Error> {
        let hash = expect_hash("content_hash", self.content_hash.as_deref(), &bytes)?;
        let size = bytes.len();
        let (stored, _) = cx.cache()?.store(vec![new_file(cx, path, bytes, &self.given())?])?;
        let value = Received {
            names: path.into(),
            status: State::Complete,
            size,
            content_hash: Some(hash),
            hash_verified: self.content_hash.is_some(),
            metadata: stored.first().map(|stored| (&stored.entry).into()),
            chunks_received: self.total_chunks,
            missing_chunks: Vec::new(),
            stats: cx.cache()?.stats(),
        };
        Ok(Told::ok(value).message(format!("File content received for {}", path.shown())))
    }
}

/// The sha256 of `bytes`; another one than was given is refused.
fn expect_hash(field: &str, given: Option<&str>, bytes: &[u8]) -> Result<String, Error> {
    let actual = hash::sha256(bytes);
    match given.filter(|given| !given.eq_ignore_ascii_case(&actual)) {
        None => Ok(actual),
        Some(given) => Err(Error::Refused(format!(
            "{field}: the content has the sha256 {actual}, not {given}; send it again"
        ))),
    }
}

impl Described for ReadFile {
    const USAGE: &'static str = "read_file(path, content)                                    text\nread_file(path, content, binary, content_hash)              bytes in base64, checked\nread_file(path, content, chunk_index, total_chunks)         one chunk; an upload that stays unfinished expires after five minutes";
    const EXAMPLES: &'static [Example] = &[
        Example {
            shows: "A text; value.content_hash is the sha256 of the file",
            arguments: r#"{"path": "src/main.py", "content": "print('hi')\n"}"#,
        },
        Example {
            shows: "Bytes",
            arguments: r#"{"path": "docs/logo.png", "content": "iVBORw0KGgo=", "binary": true}"#,
        },
        Example {
            shows: "The second of three chunks; value.status is partial until all are there",
            arguments: r#"{"path": "docs/big.txt", "content": "...", "chunk_index": 1, "total_chunks": 3}"#,
        },
        Example {
            shows: "Content that is no base64: success is false, error_type is validation, nothing is stored",
            arguments: r#"{"path": "docs/logo.png", "content": "%%%", "binary": true}"#,
        },
    ];
    const SECURITY: &'static [&'static str] = &[
        "Only paths in the allowed directories of the project.",
        "Content that does not have the hash that was given is not stored.",
        "Unfinished uploads are bounded in number and size, and expire.",
    ];
}
