//! Fixtures that are tools like any other: same table, same road, same audit.

use std::thread::sleep;
use std::time::Duration;

use mcp_filesystem::call::Cx;
use mcp_filesystem::error::Error;
use mcp_filesystem::policy::Access;
use mcp_filesystem::toolsets::{Definition, Effect, Tool, define};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longer than the time between two progress messages.
const PAUSE: Duration = Duration::from_millis(300);

pub fn tools() -> Vec<Definition> {
    vec![define::<SimpleText>(), define::<ErrorHandling>(), define::<WithProgress>()]
}

/// Text
#[derive(Serialize, JsonSchema)]
pub struct Said {
    text: &'static str,
}

/// Return text
#[derive(Deserialize, JsonSchema)]
pub struct SimpleText {}

impl Tool for SimpleText {
    type Output = Said;
    const NAME: &'static str = "test_simple_text";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, _: &Cx) -> Result<Said, Error> {
        Ok(Said { text: "This is a simple text response for testing." })
    }
}

/// Fail
#[derive(Deserialize, JsonSchema)]
pub struct ErrorHandling {}

impl Tool for ErrorHandling {
    type Output = Said;
    const NAME: &'static str = "test_error_handling";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, _: &Cx) -> Result<Said, Error> {
        Err(Error::Refused("This tool intentionally returns an error for testing".into()))
    }
}

/// Work for a while, telling how far it is
#[derive(Deserialize, JsonSchema)]
pub struct WithProgress {}

impl Tool for WithProgress {
    type Output = Said;
    const NAME: &'static str = "test_tool_with_progress";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Said, Error> {
        for _ in 0..4 {
            sleep(PAUSE);
            cx.control().advance(25);
            cx.control().check()?;
        }
        Ok(Said { text: "done" })
    }
}
