//! `list_roots`: what there is, and what is allowed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::toolsets::{Effect, Tool};

/// List the roots and the tools each allows. Every other tool needs one of these names as its `root`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRoots {}

/// All roots, sorted by name
#[derive(Serialize, JsonSchema)]
pub struct Roots {
    roots: Vec<RootInfo>,
}

#[derive(Serialize, JsonSchema)]
struct RootInfo {
    name: String,
    allowed_tools: Vec<String>,
}

impl Tool for ListRoots {
    type Output = Roots;
    const NAME: &'static str = "list_roots";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];
    const TEXT: Option<&'static str> = Some("roots");

    fn run(self, cx: &Cx) -> Result<Roots, Error> {
        let roots = cx.roots().map(|granted| RootInfo {
            name: granted.root().name().to_owned(),
            allowed_tools: granted.allowed_for(cx.principal()).map(str::to_owned).collect(),
        });
        Ok(Roots { roots: roots.collect() })
    }
}
