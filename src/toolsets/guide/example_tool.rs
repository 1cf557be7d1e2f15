//! `example_tool`: how a guide tool is made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Described, Example, Told};
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Show the conventions of guide tools
///
/// Echoes its arguments in a whole Result: value, message and instruction. It changes nothing.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExampleTool {
    /// What to show: demo, test or validate
    action: Action,
    /// Text to echo, any string
    #[serde(default = "greeting")]
    message: String,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    Demo,
    Test,
    Validate,
}

fn greeting() -> String {
    "Hello, World!".into()
}

/// What was asked, and what that showed
#[derive(Serialize, JsonSchema)]
pub struct Shown {
    action: Action,
    message: String,
    conventions_demonstrated: [&'static str; 5],
}

const CONVENTIONS: [&str; 5] = [
    "one type is the argument list, the schema and the description",
    "unknown arguments are refused",
    "a choice is an enum in the schema",
    "every answer is a Result",
    "the instruction is for the agent, the message for the user",
];

impl Tool for ExampleTool {
    type Output = Told<Shown>;
    const NAME: &'static str = "example_tool";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, _: &Cx) -> Result<Told<Shown>, Error> {
        let Self { action, message } = self;
        let shown = Shown { action, message, conventions_demonstrated: CONVENTIONS };
        Ok(Told::ok(shown).message("The example tool ran.").instruction(
            "This is an example tool. In production tools, use the instruction field to: prevent unwanted remediation, suggest a fix, or say how to present the answer.",
        ))
    }
}

impl Described for ExampleTool {
    const USAGE: &'static str = "example_tool(action)             echo the usual greeting\nexample_tool(action, message)    echo a text";
    const EXAMPLES: &'static [Example] = &[
        Example { shows: "The smallest call", arguments: r#"{"action": "demo"}"# },
        Example {
            shows: "Every argument given",
            arguments: r#"{"action": "validate", "message": "Is this on?"}"#,
        },
    ];
    const SECURITY: &'static [&'static str] = &["Reads and writes no file."];
}
