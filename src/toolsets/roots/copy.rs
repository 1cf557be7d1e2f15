//! `copy`: a file or a tree, within a root or between two.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{self, CopyOptions, IfDirectory, IfExists, PathArg};
use crate::toolsets::{Effect, Tool};

/// Copy a file or a whole directory, also between roots. A file at the destination is overwritten; a directory
/// there is copied into. Both roots must allow copy.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copy {
    /// Root name of the source
    source_root: String,
    /// File or directory
    source_path: PathArg,
    /// Root name of the destination
    dest_root: String,
    /// New path, or a directory to copy into
    dest_path: PathArg,
}

/// What was copied
#[derive(Serialize, JsonSchema)]
pub struct Copied {
    source: String,
    destination: String,
    is_directory: bool,
    /// Bytes, for a file
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// What was left out of a directory
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Skipped>,
}

#[derive(Serialize, JsonSchema)]
struct Skipped {
    path: String,
    reason: &'static str,
}

/// How the `roots` toolset copies and moves: over files, into directories.
pub(super) const OPTIONS: CopyOptions =
    CopyOptions { if_exists: IfExists::Replace, if_directory: IfDirectory::Into, recursive: true };

impl Tool for Copy {
    type Output = Copied;
    const NAME: &'static str = "copy";
    const EFFECT: Effect = Effect::Replaces;
    const ROOTS: &'static [(&'static str, Access)] =
        &[("source_root", Access::Read), ("dest_root", Access::Change)];

    fn run(self, cx: &Cx) -> Result<Copied, Error> {
        let source = cx.to_read(&self.source_root, &self.source_path)?.called("source file");
        let dest = cx.to_change(&self.dest_root, &self.dest_path)?.called("destination");
        let report = sandbox::copy(&source, &dest, OPTIONS, cx.control())?;
        let skipped = report.skipped.into_iter().map(|(path, reason)| Skipped { path, reason });
        Ok(Copied {
            source: self.source_path.shown().to_owned(),
            destination: report.destination,
            is_directory: report.is_directory,
            size: (!report.is_directory).then_some(report.bytes),
            skipped: skipped.collect(),
        })
    }
}
