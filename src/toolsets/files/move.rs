//! `move`: rename a file or directory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes;
use super::copy::options;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::AtHome;
use crate::sandbox::{self, PathArg};
use crate::toolsets::{Effect, Tool};

/// Move or rename a file or directory, creating missing parents of the destination
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Source path (relative to server root)
    source: PathArg,
    /// Destination path (relative to server root)
    destination: PathArg,
    /// Whether to overwrite existing files
    #[serde(default)]
    overwrite: bool,
}

/// What was moved
#[derive(Serialize, JsonSchema)]
pub struct Moved {
    success: bool,
    source: String,
    destination: String,
}

impl Tool for Move {
    type Output = Moved;
    const NAME: &'static str = "move";
    const EFFECT: Effect = Effect::Consumes;
    const HOME: Option<AtHome> = changes(&["move"]);

    fn run(self, cx: &Cx) -> Result<Moved, Error> {
        let source = cx.here_to_change(&self.source)?.called("source");
        let destination = cx.here_to_change(&self.destination)?.called("destination");
        let options = options(self.overwrite);
        let report = sandbox::rename(&source, &destination, options, cx.control())?;
        Ok(Moved { success: true, source: source.display(), destination: report.destination })
    }
}
