//! `list_feature_flags`: all global flags.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Described, Example, Told, flag};
use crate::call::Cx;
use crate::error::Error;
use crate::flags::{self, Flags, Scope};
use crate::policy::Access;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// List the global flags
///
/// By name. The flags of projects are not looked at.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFeatureFlags {
    /// Only this flag: letters, digits, `_` and `-`. All flags when left out
    feature_name: Option<String>,
}

impl Tool for ListFeatureFlags {
    type Output = Told<Flags>;
    const NAME: &'static str = "list_feature_flags";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Told<Flags>, Error> {
        let flags = flags::list(cx.guidebook(), Scope::Global)?;
        flag::some(flags, self.feature_name.as_deref())
    }
}

impl Described for ListFeatureFlags {
    const USAGE: &'static str = "list_feature_flags()                all global flags\n\
    list_feature_flags(feature_name)    one flag with its name";
    const EXAMPLES: &'static [Example] = &[
        Example { shows: "All global flags", arguments: r#"{}"# },
        Example { shows: "One flag with its name", arguments: r#"{"feature_name": "style"}"# },
    ];
    const SECURITY: &'static [&'static str] = &["Reads only the guide's own configuration file."];
}
