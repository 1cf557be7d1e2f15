//! `delete_document`: remove a guide document.

use schemars::JsonSchema;
use serde::Deserialize;

use super::consent::{self, Stored};
use super::{Described, Example, Told};
use crate::call::Cx;
use crate::error::Error;
use crate::policy::{Access, AtHome};
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Delete a guide document
///
/// REQUIRES EXPLICIT USER INSTRUCTION: only use it when the user specifically asks for a document to be deleted.
/// explicit_action says that the user did. Do not use it frivolously or without clear user intent, and do not add the
/// consent yourself after a refusal.
///
/// The document must exist; a link is refused. It can not be brought back.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteDocument {
    /// Category of the document: a plain name, no `/`, `\`, `..` or leading dot
    category: String,
    /// Name of the document with its extension: a plain name of at most 255 bytes, no `/`, `\`, `..` or leading dot
    name: String,
    /// The user's consent: exactly `DELETE_DOCUMENT`. Give it only when the user asked for this
    #[serde(rename = "explicit_action")]
    _explicit_action: Consent,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
enum Consent {
    #[serde(rename = "DELETE_DOCUMENT")]
    Given,
}

impl Tool for DeleteDocument {
    type Output = Told<Stored>;
    const NAME: &'static str = "delete_document";
    const EFFECT: Effect = Effect::Consumes;
    const HOME: Option<AtHome> = Some(AtHome { grants: &["remove_file"], access: Access::Change });

    fn run(self, cx: &Cx) -> Result<Told<Stored>, Error> {
        consent::done((self.category, self.name), "deleted from", cx, |document| {
            document.remove(cx).map(|()| Vec::new())
        })
    }
}

impl Described for DeleteDocument {
    const USAGE: &'static str = "delete_document(category, name, explicit_action=\"DELETE_DOCUMENT\")    fails if the document does not exist";
    const EXAMPLES: &'static [Example] = &[Example {
        shows: "The user said: delete the old Python rules",
        arguments: r#"{"category": "lang", "name": "python.md", "explicit_action": "DELETE_DOCUMENT"}"#,
    }];
    const SECURITY: &'static [&'static str] = &[
        "Needs the user's explicit consent: the document is lost.",
        "Removes only files beneath the directory of the project's guide documents.",
    ];
}
