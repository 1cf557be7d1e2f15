//! What the tools that need the user's consent share: doing it to a document, and the answer that names it.

use schemars::JsonSchema;
use serde::Serialize;

use super::Told;
use crate::call::Cx;
use crate::content::Document;
use crate::error::Error;
use crate::policy::{Access, AtHome};

/// The document at hand
#[derive(Serialize, JsonSchema)]
pub struct Stored {
    category: String,
    name: String,
    /// Path from the project
    path: String,
}

/// What writing a document needs.
pub(super) const WRITES: Option<AtHome> =
    Some(AtHome { grants: &["write_file"], access: Access::Change });

/// Do `act` to the document `name` of `category`, and tell that it was done: `created in`, `deleted from`. What `act`
/// gives are warnings.
pub(super) fn done(
    (category, name): (String, String),
    words: &str,
    cx: &Cx,
    act: impl FnOnce(&Document) -> Result<Vec<String>, Error>,
) -> Result<Told<Stored>, Error> {
    let document = Document::named(&category, &name, cx)?;
    let warnings = act(&document)?;
    let message = format!("Document '{name}' {words} '{category}'");
    let stored = Stored { category, name, path: document.path() };
    Ok(Told::ok(stored).message(message).warnings(warnings))
}
