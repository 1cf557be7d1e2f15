//! `set_feature_flag`: set or remove a global flag.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Described, Example, Told, flag};
use crate::call::Cx;
use crate::error::Error;
use crate::flags::{Scope, Settable};
use crate::policy::Access;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Set or remove a global flag
///
/// A global flag holds for every project that has no flag of that name itself. Without a value the flag becomes true;
/// null removes it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetFeatureFlag {
    /// Name of the flag: letters, digits, `_` and `-`
    feature_name: String,
    /// Value of the flag: a boolean, a string, an array of strings or an object of strings. null removes the flag
    #[serde(default = "flag::on")]
    #[schemars(with = "Settable")]
    value: Option<Value>,
}

impl Tool for SetFeatureFlag {
    type Output = Told<String>;
    const NAME: &'static str = "set_feature_flag";
    const EFFECT: Effect = Effect::Replaces;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Told<String>, Error> {
        flag::set(cx, Scope::Global, "Global flag", &self.feature_name, self.value)
    }
}

impl Described for SetFeatureFlag {
    const USAGE: &'static str = "set_feature_flag(feature_name)           make it true\n\
    set_feature_flag(feature_name, value)    give it a value; null removes it";
    const EXAMPLES: &'static [Example] = &[
        Example {
            shows: "Switch a flag on for all projects",
            arguments: r#"{"feature_name": "telemetry"}"#,
        },
        Example {
            shows: "Give it a text",
            arguments: r#"{"feature_name": "style", "value": "terse"}"#,
        },
        Example {
            shows: "Remove it",
            arguments: r#"{"feature_name": "telemetry", "value": null}"#,
        },
    ];
    const SECURITY: &'static [&'static str] = &[
        "Changes what holds in every project of this user.",
        "Writes only the guide's own configuration file, under a lock, whole or not at all.",
        "Do not store secrets in flags: they are plain text.",
    ];
}
