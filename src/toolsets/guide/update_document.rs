//! `update_document`: replace a guide document.

use schemars::JsonSchema;
use serde::Deserialize;

use super::consent::{self, Stored};
use super::{Described, Example, Told};
use crate::call::Cx;
use crate::error::Error;
use crate::policy::AtHome;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Replace a guide document
///
/// REQUIRES EXPLICIT USER INSTRUCTION: only use it when the user specifically asks for a document to be changed.
/// explicit_action says that the user did. Do not use it frivolously or without clear user intent, and do not add the
/// consent yourself after a refusal.
///
/// The whole content is replaced. The document must exist; a link is refused.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateDocument {
    /// Category of the document: a plain name, no `/`, `\`, `..` or leading dot
    category: String,
    /// Name of the document with its extension: a plain name of at most 255 bytes, no `/`, `\`, `..` or leading dot
    name: String,
    /// What the document will be: text of at most 10 MB
    content: String,
    /// The user's consent: exactly `UPDATE_DOCUMENT`. Give it only when the user asked for this
    #[serde(rename = "explicit_action")]
    _explicit_action: Consent,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
enum Consent {
    #[serde(rename = "UPDATE_DOCUMENT")]
    Given,
}

impl Tool for UpdateDocument {
    type Output = Told<Stored>;
    const NAME: &'static str = "update_document";
    const EFFECT: Effect = Effect::Replaces;
    const HOME: Option<AtHome> = consent::WRITES;

    fn run(self, cx: &Cx) -> Result<Told<Stored>, Error> {
        consent::done((self.category, self.name), "updated in", cx, |document| {
            document.replace(&self.content, cx)
        })
    }
}

impl Described for UpdateDocument {
    const USAGE: &'static str = "update_document(category, name, content, explicit_action=\"UPDATE_DOCUMENT\")    fails if the document does not exist";
    const EXAMPLES: &'static [Example] = &[Example {
        shows: "The user said: our Python rules changed, update the document",
        arguments: r#"{"category": "lang", "name": "python.md", "content": "Use type hints and dataclasses.\n", "explicit_action": "UPDATE_DOCUMENT"}"#,
    }];
    const SECURITY: &'static [&'static str] = &[
        "Needs the user's explicit consent: the old content is lost.",
        "Writes only beneath the directory of the project's guide documents.",
        "The write is atomic: a reader sees the old document or the new one.",
    ];
}
