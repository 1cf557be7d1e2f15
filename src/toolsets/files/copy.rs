//! `copy`: a file or a tree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::AtHome;
use crate::sandbox::{self, CopyOptions, IfDirectory, IfExists, PathArg};
use crate::toolsets::{Effect, Tool};

/// Copy a file or directory, creating missing parents of the destination. overwrite replaces a file and merges
/// into a directory.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copy {
    /// Source path (relative to server root)
    source: PathArg,
    /// Destination path (relative to server root)
    destination: PathArg,
    /// Whether to overwrite existing files
    #[serde(default)]
    overwrite: bool,
    /// Whether to copy directories recursively
    #[serde(default = "super::search::yes")]
    recursive: bool,
}

/// What was copied
#[derive(Serialize, JsonSchema)]
pub struct Copied {
    success: bool,
    source: String,
    destination: String,
    /// Bytes of all files copied
    bytes_copied: u64,
    /// What was left out, and why
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Tool for Copy {
    type Output = Copied;
    const NAME: &'static str = "copy";
    const EFFECT: Effect = Effect::Replaces;
    const HOME: Option<AtHome> = changes(&["copy"]);

    fn run(self, cx: &Cx) -> Result<Copied, Error> {
        let source = cx.here_to_read(&self.source)?.called("source");
        let destination = cx.here_to_change(&self.destination)?.called("destination");
        let options = CopyOptions { recursive: self.recursive, ..options(self.overwrite) };
        let report = sandbox::copy(&source, &destination, options, cx.control())?;
        let left_out = report.skipped.into_iter();
        Ok(Copied {
            success: true,
            source: source.display(),
            destination: report.destination,
            bytes_copied: report.bytes,
            warnings: left_out.map(|(path, why)| format!("{path} was not copied: {why}")).collect(),
        })
    }
}

/// How the `files` toolset copies and moves: to the very path that is named.
pub(super) fn options(overwrite: bool) -> CopyOptions {
    let if_exists = if overwrite { IfExists::Replace } else { IfExists::Refuse };
    CopyOptions { if_exists, if_directory: IfDirectory::Itself, recursive: true }
}
