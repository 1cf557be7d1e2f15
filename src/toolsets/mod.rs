//! Toolsets: what a tool is, how it is defined, and the table of all that are served.

pub mod files;
pub mod guide;
mod registry;
pub mod resources;
pub mod roots;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::args::{Arguments, Schema, parse};
use crate::call::{Answer, Cx, Trail};
use crate::error::Error;
use crate::policy::{Access, AtHome};
pub(crate) use registry::inner_name;
pub use registry::{Examples, Registered, Registry, Selection};

/// A face of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toolset {
    /// Named roots (`root` + `path`).
    Roots,
    /// One directory.
    Files,
    /// Files on the agent's side, and guide documents.
    Guide,
}

impl Toolset {
    /// All of them, in the order of the reference.
    pub const ALL: [Self; 3] = [Self::Roots, Self::Files, Self::Guide];

    /// The word for flags and configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Roots => "roots",
            Self::Files => "files",
            Self::Guide => "guide",
        }
    }

    /// The toolset of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|toolset| toolset.name() == name)
    }

    /// Its tools, in the order of the reference.
    pub fn tools(self, examples: Examples) -> Vec<Definition> {
        match self {
            Self::Roots => roots::tools(),
            Self::Files => files::tools(),
            Self::Guide => guide::tools(examples),
        }
    }

    /// How it tells a failure.
    pub fn failure(self, error: &Error, tool: &Definition, trail: &Trail) -> Answer {
        match self {
            Self::Roots => roots::failure(error, trail),
            Self::Files => files::failure(error, tool, trail),
            Self::Guide => guide::failure(error),
        }
    }

    /// Its reading of arguments as they came.
    pub fn arguments(self, arguments: Arguments) -> Arguments {
        match self {
            Self::Guide => guide::unwrapped(arguments),
            Self::Roots | Self::Files => arguments,
        }
    }
}

/// What a call of a tool does to the world, told to clients as hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// Adds; a second call changes nothing more.
    Adds,
    /// May replace or remove; a second call changes nothing more.
    Replaces,
    /// May replace or remove; a second call does something else or fails.
    Consumes,
}

impl Effect {
    /// Nothing changes.
    pub fn is_read_only(self) -> bool {
        self == Self::Reads
    }

    /// Something may be lost.
    pub fn is_destructive(self) -> bool {
        matches!(self, Self::Replaces | Self::Consumes)
    }

    /// Calling again changes nothing more.
    pub fn is_idempotent(self) -> bool {
        self != Self::Consumes
    }
}

/// A tool: its type is its argument list, its doc comment its description.
pub trait Tool: DeserializeOwned + JsonSchema + Send + 'static {
    /// What it answers.
    type Output: Serialize + JsonSchema;
    /// Its name, without prefix.
    const NAME: &'static str;
    /// What a call does.
    const EFFECT: Effect;
    /// The arguments that name a root, and what is done to it.
    const ROOTS: &'static [(&'static str, Access)] = &[];
    /// What it does in the one directory of the server, for toolsets that name no roots.
    const HOME: Option<AtHome> = None;
    /// The field of the answer that alone is the text for the model; all of it when `None`.
    const TEXT: Option<&'static str> = None;
    /// A prefix of its own instead of the toolset's; empty for none.
    const PREFIX: Option<&'static str> = None;

    /// Whether it may ask the agent for something; then it is run again with the reply.
    const ASKS: bool = false;

    /// Whether a call that finds all it needs in the kernel's memory is answered on the spot: only for tools that change
    /// nothing and reach the disk through `sandbox::open_regular` alone.
    const AT_HAND: bool = false;

    /// Do it.
    fn run(self, cx: &Cx) -> Result<Self::Output, Error>;
}

/// Looking at the one directory, as permitted by one of these names of an allowlist.
const fn looks(grants: &'static [&'static str]) -> Option<AtHome> {
    Some(AtHome { grants, access: Access::Read })
}

/// A tool as the table holds it.
#[derive(Clone)]
pub struct Definition {
    /// Its name, without prefix.
    pub name: &'static str,
    /// A prefix of its own instead of the toolset's.
    pub prefix: Option<&'static str>,
    /// What clients are told about it, out of the schema of its arguments.
    pub describe: fn(&Schema) -> String,
    /// Its arguments.
    pub input: Schema,
    /// Its answer.
    pub output: Schema,
    /// What a call does.
    pub effect: Effect,
    /// The arguments that name a root.
    pub roots: &'static [(&'static str, Access)],
    /// What it does in the one directory.
    pub home: Option<AtHome>,
    /// The field that is the text.
    pub text: Option<&'static str>,
    /// Whether it may ask the agent for something.
    pub asks: bool,
    /// Whether it may be tried without a thread of its own.
    pub at_hand: bool,
    /// Parse only.
    pub parse: fn(&Schema, Arguments) -> Result<(), Error>,
    /// Parse and run.
    pub run: fn(&Schema, Arguments, &Cx) -> Result<Value, Error>,
}

/// The definition of the tool `T`.
pub fn define<T: Tool>() -> Definition {
    Definition {
        name: T::NAME,
        prefix: T::PREFIX,
        describe: |input| input.description().to_owned(),
        input: Schema::of_input::<T>(),
        output: Schema::of_output::<T::Output>(),
        effect: T::EFFECT,
        roots: T::ROOTS,
        home: T::HOME,
        text: T::TEXT,
        asks: T::ASKS,
        at_hand: T::AT_HAND,
        parse: |schema, arguments| parse::<T>(schema, arguments).map(drop),
        run: run::<T>,
    }
}

fn run<T: Tool>(schema: &Schema, arguments: Arguments, cx: &Cx) -> Result<Value, Error> {
    let output = parse::<T>(schema, arguments)?.run(cx)?;
    serde_json::to_value(output).map_err(|error| Error::Internal(error.to_string()))
}
