//! `completion/complete` for the guide: which categories and collections there are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::Cx;
use crate::content;
use crate::error::Error;
use crate::policy::Access;
use crate::toolsets::{Effect, Tool};

/// List the categories and collections of the guide
#[derive(Deserialize, JsonSchema)]
pub struct Collections {}

/// Their names, sorted
#[derive(Serialize, JsonSchema)]
pub struct Names {
    names: Vec<String>,
}

impl Tool for Collections {
    type Output = Names;
    const NAME: &'static str = "get_content";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Names, Error> {
        Ok(Names { names: content::names(cx)? })
    }
}
