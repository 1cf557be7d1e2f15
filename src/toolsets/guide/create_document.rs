//! `create_document`: write a new guide document.

use schemars::JsonSchema;
use serde::Deserialize;

use super::consent::{self, Stored};
use super::{Described, Example, Told};
use crate::call::Cx;
use crate::error::Error;
use crate::policy::AtHome;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Create a guide document
///
/// REQUIRES EXPLICIT USER INSTRUCTION: only use it when the user specifically asks for a document to be created.
/// explicit_action says that the user did. Do not use it frivolously or without clear user intent, and do not add the
/// consent yourself after a refusal.
///
/// The document is written to its category in the project's guide, which is made if it is missing. A document that
/// exists is not replaced.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateDocument {
    /// Category of the document: a plain name, no `/`, `\`, `..` or leading dot
    category: String,
    /// Name of the document with its extension: a plain name of at most 255 bytes, no `/`, `\`, `..` or leading dot
    name: String,
    /// What to write: text of at most 10 MB
    content: String,
    /// The user's consent: exactly `CREATE_DOCUMENT`. Give it only when the user asked for this
    #[serde(rename = "explicit_action")]
    _explicit_action: Consent,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
enum Consent {
    #[serde(rename = "CREATE_DOCUMENT")]
    Given,
}

impl Tool for CreateDocument {
    type Output = Told<Stored>;
    const NAME: &'static str = "create_document";
    const EFFECT: Effect = Effect::Consumes;
    const HOME: Option<AtHome> = consent::WRITES;

    fn run(self, cx: &Cx) -> Result<Told<Stored>, Error> {
        consent::done((self.category, self.name), "created in", cx, |document| {
            document.create(&self.content).map(|()| Vec::new())
        })
    }
}

impl Described for CreateDocument {
    const USAGE: &'static str = "create_document(category, name, content, explicit_action=\"CREATE_DOCUMENT\")    fails if the document exists";
    const EXAMPLES: &'static [Example] = &[Example {
        shows: "The user said: write down our Python rules as a guide document",
        arguments: r#"{"category": "lang", "name": "python.md", "content": "Use type hints.\n", "explicit_action": "CREATE_DOCUMENT"}"#,
    }];
    const SECURITY: &'static [&'static str] = &[
        "Needs the user's explicit consent.",
        "Writes only beneath the directory of the project's guide documents.",
        "The write is atomic: a reader sees the whole document or none.",
    ];
}
