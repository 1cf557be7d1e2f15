//! `write`: create, replace or extend a file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FileMetadata, changes, not_a_file};
use crate::call::Cx;
use crate::error::Error;
use crate::policy::AtHome;
use crate::sandbox::{self, Parents, PathArg, WriteMode};
use crate::toolsets::{Effect, Tool};

/// Create or update a file, all of it or nothing. create and overwrite replace a file, append extends it,
/// create_new fails if it exists.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// Path to the file to write (relative to server root)
    path: PathArg,
    /// Content to write to the file
    content: String,
    /// Content encoding
    #[serde(default)]
    encoding: Encoding,
    /// Write mode
    #[serde(default)]
    mode: Mode,
    /// Create parent directories if they don't exist
    #[serde(default)]
    make_dirs: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Encoding {
    #[default]
    Utf8,
    Base64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Mode {
    Create,
    #[default]
    Overwrite,
    Append,
    CreateNew,
}

/// What was written
#[derive(Serialize, JsonSchema)]
pub struct Written {
    success: bool,
    path: String,
    /// Bytes written by this call
    bytes_written: usize,
    metadata: FileMetadata,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Tool for Write {
    type Output = Written;
    const NAME: &'static str = "write";
    const EFFECT: Effect = Effect::Consumes;
    const HOME: Option<AtHome> = changes(&["write_file"]);

    fn run(self, cx: &Cx) -> Result<Written, Error> {
        let place = cx.here_to_change(&self.path)?;
        let parents = if self.make_dirs { Parents::Create } else { Parents::Require };
        let mode = self.mode;
        let bytes = self.bytes()?;
        let written = match mode {
            Mode::Append => sandbox::append(&place, &bytes, parents, None),
            Mode::Create | Mode::Overwrite => {
                sandbox::write(&place, &bytes, WriteMode::Replace, parents, None)
            }
            Mode::CreateNew => sandbox::write(&place, &bytes, WriteMode::CreateOnly, parents, None),
        };
        let written = written.map_err(not_a_file("path"))?;
        Ok(Written {
            success: true,
            path: place.display(),
            bytes_written: bytes.len(),
            metadata: FileMetadata::new(&place, &written.metadata),
            warnings: written.warnings,
        })
    }
}

impl Write {
    fn bytes(self) -> Result<Vec<u8>, Error> {
        match self.encoding {
            Encoding::Utf8 => Ok(self.content.into_bytes()),
            Encoding::Base64 => BASE64.decode(&self.content).map_err(|error| {
                let reason = error.to_string().to_lowercase();
                let reason = reason.trim_end_matches('.');
                Error::argument("content", format!("content is not valid base64: {reason}"))
            }),
        }
    }
}
