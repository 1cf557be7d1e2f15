//! `move`: rename within a root, or carry to another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::copy::OPTIONS;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{self, PathArg};
use crate::toolsets::{Effect, Tool};

/// Move or rename a file or directory, also between roots. A file at the destination is overwritten; a directory
/// there is moved into. Both roots must allow move.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Root name of the source
    source_root: String,
    /// File or directory
    source_path: PathArg,
    /// Root name of the destination
    dest_root: String,
    /// New path, or a directory to move into
    dest_path: PathArg,
}

/// What was moved
#[derive(Serialize, JsonSchema)]
pub struct Moved {
    source: String,
    destination: String,
}

impl Tool for Move {
    type Output = Moved;
    const NAME: &'static str = "move";
    const EFFECT: Effect = Effect::Consumes;
    const ROOTS: &'static [(&'static str, Access)] =
        &[("source_root", Access::Change), ("dest_root", Access::Change)];

    fn run(self, cx: &Cx) -> Result<Moved, Error> {
        let source = cx.to_change(&self.source_root, &self.source_path)?.called("source file");
        let dest = cx.to_change(&self.dest_root, &self.dest_path)?.called("destination");
        let report = sandbox::rename(&source, &dest, OPTIONS, cx.control())?;
        Ok(Moved { source: self.source_path.shown().to_owned(), destination: report.destination })
    }
}
