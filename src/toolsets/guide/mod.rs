//! The `guide` toolset: files on the agent's side, flags and guide documents.

use super::Definition;
use crate::call::{Answer, Trail};
use crate::error::Error;

/// Every tool of the set, in the order of the reference.
pub fn tools() -> Vec<Definition> {
    vec![]
}

/// The failure as an answer.
pub fn failure(error: &Error, _tool: &Definition, _trail: &Trail) -> Answer {
    Answer::failure(error.to_string())
}
