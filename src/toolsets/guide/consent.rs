//! What the tools that need the user's consent share: the answer that names the document.

use schemars::JsonSchema;
use serde::Serialize;

use crate::content::Document;

/// The document at hand
#[derive(Serialize, JsonSchema)]
pub struct Stored {
    category: String,
    name: String,
    /// Path from the project
    path: String,
}

impl Stored {
    /// The document `name` of `category`.
    pub(super) fn new(document: &Document, category: String, name: String) -> Self {
        Self { category, name, path: document.path() }
    }
}
