//! `get_feature_flag`: one global flag.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Described, Example, Told, flag};
use crate::call::Cx;
use crate::error::Error;
use crate::flags::{self, FlagValue, Scope};
use crate::policy::Access;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Get a global flag
///
/// The flags of projects are not looked at. A flag that is not set gives success without a value.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetFeatureFlag {
    /// Name of the flag: letters, digits, `_` and `-`
    feature_name: String,
}

impl Tool for GetFeatureFlag {
    type Output = Told<FlagValue>;
    const NAME: &'static str = "get_feature_flag";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Told<FlagValue>, Error> {
        flag::one(flags::list(cx.guidebook(), Scope::Global)?, &self.feature_name)
    }
}

impl Described for GetFeatureFlag {
    const USAGE: &'static str =
        "get_feature_flag(feature_name)    the value, or no value where the flag is not set";
    const EXAMPLES: &'static [Example] =
        &[Example { shows: "The global style", arguments: r#"{"feature_name": "style"}"# }];
    const SECURITY: &'static [&'static str] = &["Reads only the guide's own configuration file."];
}
