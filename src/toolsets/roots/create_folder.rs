//! `create_folder`: make a directory with its parents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CHANGES;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{self, Kind, Parents, PathArg};
use crate::toolsets::{Effect, Tool};

/// Create a directory in a root and its missing parents. Succeeds if it exists.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateFolder {
    /// Root name
    root: String,
    /// Directory
    path: PathArg,
}

/// What was created
#[derive(Serialize, JsonSchema)]
pub struct Created {
    path: String,
    created: bool,
}

impl Tool for CreateFolder {
    type Output = Created;
    const NAME: &'static str = "create_folder";
    const EFFECT: Effect = Effect::Adds;
    const ROOTS: &'static [(&'static str, Access)] = CHANGES;

    fn run(self, cx: &Cx) -> Result<Created, Error> {
        let place = cx.to_change(&self.root, &self.path)?.called("directory");
        sandbox::create_directory(&place, Parents::Create)
            .map_err(|error| error.saying(Kind::File, "path exists as a file"))?;
        Ok(Created { path: self.path.shown().to_owned(), created: true })
    }
}
