//! `remove_file`: delete one file or link.

use schemars::JsonSchema;
use serde::Deserialize;

use super::CHANGES;
use super::remove_folder::Removed;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{self, Kind, PathArg};
use crate::toolsets::{Effect, Tool};

/// Delete a file in a root. A link is removed itself, not its target.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveFile {
    /// Root name
    root: String,
    /// File
    path: PathArg,
}

impl Tool for RemoveFile {
    type Output = Removed;
    const NAME: &'static str = "remove_file";
    const EFFECT: Effect = Effect::Consumes;
    const ROOTS: &'static [(&'static str, Access)] = CHANGES;

    fn run(self, cx: &Cx) -> Result<Removed, Error> {
        let place = cx.to_change(&self.root, &self.path)?;
        sandbox::remove_entry(&place).map_err(|error| {
            error.saying(Kind::Directory, "path is a directory, use remove_folder instead")
        })?;
        Ok(Removed::new(&self.path))
    }
}
