//! `set_project_flag`: set or remove a flag of this project.

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

/// Set or remove a flag of this project
///
/// A project flag holds for this project alone and goes before the global flag of the same name. Without a value the
/// flag becomes true; null removes it, so that the global flag shows again.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetProjectFlag {
    /// Name of the flag: letters, digits, `_` and `-`
    feature_name: String,
    /// Value of the flag: a boolean, a string, an array of strings or an object of strings. null removes the flag
    #[serde(default = "flag::on")]
    #[schemars(with = "Settable")]
    value: Option<Value>,
}

impl Tool for SetProjectFlag {
    type Output = Told<String>;
    const NAME: &'static str = "set_project_flag";
    const EFFECT: Effect = Effect::Replaces;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Told<String>, Error> {
        let scope = Scope::Project(cx.project()?);
        flag::set(cx, scope, "Flag", &self.feature_name, self.value)
    }
}

impl Described for SetProjectFlag {
    const USAGE: &'static str = "set_project_flag(feature_name)           make it true\n\
    set_project_flag(feature_name, value)    give it a value; null removes it";
    const EXAMPLES: &'static [Example] = &[
        Example { shows: "Switch a flag on", arguments: r#"{"feature_name": "strict-review"}"# },
        Example {
            shows: "Give it a list",
            arguments: r#"{"feature_name": "reviewers", "value": ["ada", "grace"]}"#,
        },
        Example {
            shows: "Remove it",
            arguments: r#"{"feature_name": "strict-review", "value": null}"#,
        },
    ];
    const SECURITY: &'static [&'static str] = &[
        "Writes only the guide's own configuration file, under a lock, whole or not at all.",
        "Do not store secrets in flags: they are plain text.",
    ];
}
