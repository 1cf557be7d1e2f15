//! `list_project_flags`: the flags that hold for this project.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Described, Example, Told, flag};
use crate::call::Cx;
use crate::error::Error;
use crate::flags::{self, Flags, Scope};
use crate::policy::Access;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// List the flags that hold for this project
///
/// Global flags with the project's own over them, by name. With active false only the project's own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListProjectFlags {
    /// Only this flag: letters, digits, `_` and `-`. All flags when left out
    feature_name: Option<String>,
    /// true: the flags that hold, global ones included. false: only those set for this project
    #[serde(default = "merged")]
    active: bool,
}

fn merged() -> bool {
    true
}

impl Tool for ListProjectFlags {
    type Output = Told<Flags>;
    const NAME: &'static str = "list_project_flags";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Told<Flags>, Error> {
        let project = cx.project()?;
        let flags = match self.active {
            true => flags::resolve(cx.guidebook(), project)?,
            false => flags::list(cx.guidebook(), Scope::Project(project))?,
        };
        flag::some(flags, self.feature_name.as_deref())
    }
}

impl Described for ListProjectFlags {
    const USAGE: &'static str = "list_project_flags()                         everything that holds here\n\
    list_project_flags(active=false)             only what is set for this project\n\
    list_project_flags(feature_name)             one flag with its name";
    const EXAMPLES: &'static [Example] = &[
        Example { shows: "Everything that holds in this project", arguments: r#"{}"# },
        Example {
            shows: "Only what is set for the project itself",
            arguments: r#"{"active": false}"#,
        },
        Example { shows: "One flag with its name", arguments: r#"{"feature_name": "reviewers"}"# },
    ];
    const SECURITY: &'static [&'static str] = &["Reads only the guide's own configuration file."];
}
