//! `write_file`: replace, extend or create a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CHANGES;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{self, Parents, PathArg, WriteMode};
use crate::toolsets::{Effect, Tool};

/// Write a file in a root atomically, creating missing parent directories
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFile {
    /// Root name
    root: String,
    /// File
    path: PathArg,
    /// Text to write
    content: String,
    /// create_only fails if the file exists
    #[serde(default)]
    #[schemars(extend("x-sentence" = "invalid write mode: {given}; valid modes: {options}"))]
    mode: Mode,
    /// sha256 the file must still have
    expected_hash: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Mode {
    #[default]
    Overwrite,
    Append,
    CreateOnly,
}

/// What was written
#[derive(Serialize, JsonSchema)]
pub struct Written {
    path: String,
    /// Bytes written by this call
    size: usize,
    mode: Mode,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Tool for WriteFile {
    type Output = Written;
    const NAME: &'static str = "write_file";
    const EFFECT: Effect = Effect::Consumes;
    const ROOTS: &'static [(&'static str, Access)] = CHANGES;

    fn run(self, cx: &Cx) -> Result<Written, Error> {
        let place = cx.to_change(&self.root, &self.path)?;
        let (bytes, expected) = (self.content.as_bytes(), self.expected_hash.as_deref());
        let written = match self.mode {
            Mode::Append => sandbox::append(&place, bytes, Parents::Create, expected)?,
            Mode::Overwrite => {
                sandbox::write(&place, bytes, WriteMode::Replace, Parents::Create, expected)?
            }
            Mode::CreateOnly => {
                sandbox::write(&place, bytes, WriteMode::CreateOnly, Parents::Create, expected)?
            }
        };
        Ok(Written {
            path: self.path.shown().to_owned(),
            size: bytes.len(),
            mode: self.mode,
            warnings: written.warnings,
        })
    }
}
