//! `remove_folder`: delete a directory with all that is in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CHANGES;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{self, Extent, Kind, PathArg};
use crate::toolsets::{Effect, Tool};

/// Delete a directory in a root and everything in it. Links in it are removed, never followed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveFolder {
    /// Root name
    root: String,
    /// Directory
    path: PathArg,
}

/// What was removed
#[derive(Serialize, JsonSchema)]
pub struct Removed {
    path: String,
    removed: bool,
}

impl Removed {
    pub(super) fn new(path: &PathArg) -> Self {
        Self { path: path.shown().to_owned(), removed: true }
    }
}

impl Tool for RemoveFolder {
    type Output = Removed;
    const NAME: &'static str = "remove_folder";
    const EFFECT: Effect = Effect::Consumes;
    const ROOTS: &'static [(&'static str, Access)] = CHANGES;

    fn run(self, cx: &Cx) -> Result<Removed, Error> {
        let place = cx.to_change(&self.root, &self.path)?.called("directory");
        sandbox::remove_directory(&place, Extent::Whole, cx.control()).map_err(|error| {
            error
                .saying(Kind::File, "path is a file, use remove_file instead")
                .saying(Kind::Symlink, "path is a symlink, use remove_file instead")
        })?;
        Ok(Removed::new(&self.path))
    }
}
