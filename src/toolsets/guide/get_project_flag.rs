//! `get_project_flag`: one flag as it holds for this project.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Described, Example, Told, flag};
use crate::call::Cx;
use crate::error::Error;
use crate::flags::{self, FlagValue};
use crate::policy::Access;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Get a flag as it holds for this project
///
/// The project's own flag, else the global flag of that name. A flag that is set in neither place gives success without
/// a value.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetProjectFlag {
    /// Name of the flag: letters, digits, `_` and `-`
    feature_name: String,
}

impl Tool for GetProjectFlag {
    type Output = Told<FlagValue>;
    const NAME: &'static str = "get_project_flag";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Told<FlagValue>, Error> {
        flag::one(flags::resolve(cx.guidebook(), cx.project()?)?, &self.feature_name)
    }
}

impl Described for GetProjectFlag {
    const USAGE: &'static str =
        "get_project_flag(feature_name)    the value, or no value where the flag is not set";
    const EXAMPLES: &'static [Example] = &[Example {
        shows: "Is strict review on in this project?",
        arguments: r#"{"feature_name": "strict-review"}"#,
    }];
    const SECURITY: &'static [&'static str] = &["Reads only the guide's own configuration file."];
}
