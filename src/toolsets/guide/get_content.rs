//! `get_content`: guide documents by expression.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Described, Example, Told};
use crate::call::{Answer, Cx};
use crate::content;
use crate::error::Error;
use crate::policy::{Access, AtHome};
use crate::toolsets::{Effect, Tool};

/// When nothing fits, the user has to say what was meant.
const CORRECT_THE_PATTERN: &str = "Present this error to the user so they can correct the pattern. Do NOT attempt corrective action.";

// Description: see README.md in this directory.

/// Get guide documents by category or collection
///
/// Use it to read the guidelines, conventions and other documents that the user keeps for a project. A category is a
/// directory of documents; a collection is a named list of categories. One document comes back as it is; several come
/// back in the order of the expression, each under a line `--- category/document ---`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetContent {
    /// What to get: comma-separated parts, each `name`, `name/pattern` or `name/pattern+pattern`, where name is a
    /// category or a collection. A pattern is a document name, with or without extension, or a glob (`*`, `**`, `?`,
    /// `[...]`)
    expression: String,
    /// Further patterns for every part: `lang` with pattern `python` is `lang/python`
    pattern: Option<String>,
}

impl Tool for GetContent {
    type Output = Told<String>;
    const NAME: &'static str = "get_content";
    const EFFECT: Effect = Effect::Reads;
    const HOME: Option<AtHome> = Some(AtHome { grants: &["read_file"], access: Access::Read });

    fn run(self, cx: &Cx) -> Result<Told<String>, Error> {
        let found = content::find(&self.expression, self.pattern.as_deref(), cx)?;
        let told = match found.gathered.text()? {
            Some(text) => Told::ok(text),
            None => {
                let nothing = format!("No matching content found for '{}'", found.expression);
                Told::ok(nothing).offering(found.gathered.near(), CORRECT_THE_PATTERN)
            }
        };
        Ok(told.warnings(found.gathered.warnings()))
    }
}

/// The documents in an answer of this tool; `None` when it failed or found none.
pub fn content_of(answer: &Answer) -> Option<String> {
    let told: Value = serde_json::from_str(&answer.text).ok()?;
    // Only an answer without documents tells the agent what to do.
    match told.get("instruction") {
        Some(_) => None,
        None => told.get("value")?.as_str().map(str::to_owned),
    }
}

impl Described for GetContent {
    const USAGE: &'static str = "get_content(expression)             \
        the documents that the expression names
get_content(expression, pattern)    the same, with the pattern added to every part

lang                      every document of category or collection lang
lang/python               document python of lang, whatever its extension
lang/python+java          documents that match any of the patterns
lang/python,docs/api      parts are answered in this order
docs/**/*.md              every Markdown document of docs at any depth";
    const EXAMPLES: &'static [Example] = &[
        Example { shows: "A whole category", arguments: r#"{"expression": "guidelines"}"# },
        Example {
            shows: "One document of a category",
            arguments: r#"{"expression": "lang/python"}"#,
        },
        Example {
            shows: "The same document with two arguments",
            arguments: r#"{"expression": "lang", "pattern": "python"}"#,
        },
        Example {
            shows: "Documents that match any of three patterns",
            arguments: r#"{"expression": "lang/python+java+rust"}"#,
        },
        Example {
            shows: "Several categories, answered in this order",
            arguments: r#"{"expression": "lang/python,docs/api,guidelines"}"#,
        },
    ];
    const SECURITY: &'static [&'static str] = &[
        "Reads only documents of the project's guide: nothing outside its directory can be named.",
        "Names that begin with `.` or `__` and links that leave the category are passed over.",
        "An unknown category is an error of type not_found; when no document matches, the call succeeds and says so.",
    ];
}
