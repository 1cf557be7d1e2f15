//! How `roots` tells a failure: one sentence.

use crate::call::{Answer, Trail};
use crate::error::{Error, Escape, Manner};
use crate::sandbox::Kind;

/// The failure as an answer.
pub fn failure(error: &Error, trail: &Trail) -> Answer {
    Answer::failure(sentence(error, trail))
}

/// The sentence, the root it happened on, and what to do next.
fn sentence(error: &Error, trail: &Trail) -> String {
    let mut text = error.to_string();
    if let Some(root) = trail.root.as_ref().filter(|_| error.is_about_a_path()) {
        text.push_str(&format!(" (root: {root})"));
    }
    if let Some(hint) = error.hint().or_else(|| next_step(error).map(str::to_owned)) {
        text.push_str("; ");
        text.push_str(&hint);
    }
    text
}

/// The tool or the arguments to go on with.
fn next_step(error: &Error) -> Option<&'static str> {
    match error {
        Error::WrongKind { found: Kind::Directory, sentence: None, .. } => {
            Some("name a file in it, or use list_folder")
        }
        Error::WrongKind { found: Kind::File, sentence: Some(sentence), .. }
            if sentence.starts_with("path is not a directory") =>
        {
            Some("use read_file for a file")
        }
        Error::Outside(Escape { manner: Manner::Traversal, .. }) => {
            Some("give a path inside the root")
        }
        Error::ToolNotAllowed { .. } => Some("list_roots tells what each root allows"),
        Error::TooLarge { .. } => Some(
            "read a part with offset_bytes and limit_bytes, or with offset_lines and limit_lines",
        ),
        _ => None,
    }
}
