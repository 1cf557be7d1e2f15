//! The `files` toolset: one directory, nine tools.

mod copy;
mod delete;
mod envelope;
mod info;
mod list;
mod mkdir;
mod r#move;
mod read;
mod search;
mod write;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Definition, define};
use crate::error::Error;
use crate::ops::mime;
use crate::policy::{Access, AtHome};
use crate::sandbox::{Kind, Metadata, Place};
pub use envelope::failure;

/// What the server says of itself.
pub const DESCRIPTION: &str = "A secure MCP server for filesystem operations";

/// What a client is told about all tools at once.
pub const INSTRUCTIONS: &str = "A secure MCP server for filesystem operations. All paths are relative to one directory, the server root; nothing outside of it can be reached. `read` counts lines from 0, `search` from 1.";

/// Every tool of the set, in the order of the reference.
pub fn tools() -> Vec<Definition> {
    vec![
        define::<list::List>(),
        define::<read::Read>(),
        define::<write::Write>(),
        define::<mkdir::Mkdir>(),
        define::<delete::Delete>(),
        define::<copy::Copy>(),
        define::<r#move::Move>(),
        define::<info::Info>(),
        define::<search::Search>(),
    ]
}

/// A tool that looks, permitted by these names of an allowlist.
const fn looks(grants: &'static [&'static str]) -> Option<AtHome> {
    Some(AtHome { grants, access: Access::Read })
}

/// A tool that changes, permitted by these names of an allowlist.
const fn changes(grants: &'static [&'static str]) -> Option<AtHome> {
    Some(AtHome { grants, access: Access::Change })
}

/// What is told about a file beside its content.
#[derive(Serialize, JsonSchema)]
struct FileMetadata {
    path: String,
    modified: String,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'static str>,
}

impl FileMetadata {
    fn new(place: &Place, metadata: &Metadata) -> Self {
        Self {
            path: place.display(),
            modified: metadata.modified.iso(),
            size: metadata.size,
            mime_type: mime::of_name(&place.display()),
        }
    }
}

/// The word for a kind of entry.
fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::File | Kind::Directory | Kind::Symlink => kind.name(),
        Kind::Fifo | Kind::Socket | Kind::Device => "other",
    }
}

fn is_hidden(name: &str) -> bool {
    name.starts_with('.') && name != "."
}

/// The failure of a parameter that names something else than a directory.
fn not_a_directory(parameter: &'static str) -> impl Fn(Error) -> Error {
    move |error| wrong_kind(error, "Path is not a directory", parameter)
}

/// The failure of a parameter that names something else than a file.
fn not_a_file(parameter: &'static str) -> impl Fn(Error) -> Error {
    move |error| wrong_kind(error, "Path is not a file", parameter)
}

fn wrong_kind(error: Error, words: &str, parameter: &str) -> Error {
    match error {
        Error::WrongKind { path, found, .. } => {
            let shown = if path.is_empty() { "." } else { &path };
            let sentence =
                Some(format!("{words}: parameter {parameter} names a {} ({shown})", found.name()));
            Error::WrongKind { path, found, sentence }
        }
        other => other,
    }
}
