//! How `roots` tells a failure: one sentence.

use crate::call::{Answer, Trail};
use crate::error::Error;

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
    if let Some(hint) = error.hint() {
        text.push_str("; ");
        text.push_str(&hint);
    }
    text
}
