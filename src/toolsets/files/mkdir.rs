//! `mkdir`: make a directory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::AtHome;
use crate::sandbox::{self, Parents, PathArg};
use crate::toolsets::{Effect, Tool};

/// Create a directory. Succeeds if it exists.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mkdir {
    /// Path to the directory to create (relative to server root)
    path: PathArg,
    /// Create parent directories if they don't exist
    #[serde(default = "super::search::yes")]
    recursive: bool,
}

/// What was created
#[derive(Serialize, JsonSchema)]
pub struct Created {
    success: bool,
    path: String,
}

impl Tool for Mkdir {
    type Output = Created;
    const NAME: &'static str = "mkdir";
    const EFFECT: Effect = Effect::Adds;
    const HOME: Option<AtHome> = changes(&["create_folder"]);

    fn run(self, cx: &Cx) -> Result<Created, Error> {
        let place = cx.here_to_change(&self.path)?;
        let parents = if self.recursive { Parents::Create } else { Parents::Require };
        sandbox::create_directory(&place, parents).map_err(in_the_way)?;
        Ok(Created { success: true, path: place.display() })
    }
}

/// A file has the name.
fn in_the_way(error: Error) -> Error {
    match error {
        Error::WrongKind { path, .. } => Error::Exists { path, instead: None },
        other => other,
    }
}
