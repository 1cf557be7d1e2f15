//! Guide content: documents by category, asked for by expressions.

mod catalog;
mod document;
pub mod expression;
mod gather;

use crate::call::Cx;
use crate::error::Error;
use catalog::Catalog;
pub use document::{Document, check_name};
pub use expression::Part;
pub use gather::Gathered;

/// The names of all categories and collections, sorted.
pub fn names(cx: &Cx) -> Result<Vec<String>, Error> {
    Catalog::of(cx)?.names(cx)
}

/// The documents that `expression` asks for; `pattern` narrows every part of it.
pub fn find(expression: &str, pattern: Option<&str>, cx: &Cx) -> Result<Found, Error> {
    let parts = expression::parse(expression, pattern)?;
    let catalog = Catalog::of(cx)?;
    let mut gathered = Gathered::new(cx.bounds().max_answer);
    for part in &parts {
        for category in catalog.expand(part, cx)? {
            gathered.add(&category, cx)?;
        }
    }
    Ok(Found { expression: expression::shown(&parts), gathered })
}

/// What was found.
pub struct Found {
    /// What was asked for, in the short form.
    pub expression: String,
    /// The documents.
    pub gathered: Gathered,
}
