//! `resources/read`: a file as text or as bytes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place;
use crate::call::Cx;
use crate::error::Error;
use crate::limits::MAX_RANGE_BYTES;
use crate::ops::mime;
use crate::ops::text::Shown;
use crate::policy::Access;
use crate::sandbox::{self, Kind, PathArg};
use crate::toolsets::{Effect, Tool};

/// Read a file whole
#[derive(Deserialize, JsonSchema)]
pub struct Read {
    root: String,
    path: PathArg,
}

/// The file, or the news that it is a directory
#[derive(Default, Serialize, JsonSchema)]
pub struct Content {
    mime_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blob: Option<String>,
}

impl Read {
    /// As much as the tool that does the same returns at once.
    fn limit(&self, cx: &Cx) -> u64 {
        let bounds = cx.bounds();
        let set = if self.root.is_empty() { bounds.max_file_size } else { bounds.max_full_read };
        set.min(MAX_RANGE_BYTES)
    }
}

impl Tool for Read {
    type Output = Content;
    const NAME: &'static str = "read_file";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Content, Error> {
        let place = place(cx, &self.root, &self.path)?;
        let mut file = match sandbox::open_regular(&place) {
            Err(Error::WrongKind { found: Kind::Directory, .. }) => {
                return Ok(Content { mime_type: mime::DIRECTORY, ..Content::default() });
            }
            other => other?,
        };
        let bytes = file.read_whole(self.limit(cx))?;
        let known = mime::of_name(self.path.shown());
        Ok(match Shown::of(bytes) {
            Shown::Text(text) => Content {
                mime_type: known.unwrap_or("text/plain"),
                text: Some(text),
                ..Content::default()
            },
            Shown::Base64(blob) => Content {
                mime_type: known.unwrap_or("application/octet-stream"),
                blob: Some(blob),
                ..Content::default()
            },
        })
    }
}
