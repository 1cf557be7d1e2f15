//! One document: the rules for its name, and writing, replacing and removing it.

use super::catalog::Catalog;
use crate::call::Cx;
use crate::error::{Complaint, Error};
use crate::limits::{MAX_DOCUMENT_BYTES, MAX_NAME_BYTES, MAX_NAMES_COMPARED};
use crate::ops::near::near;
use crate::sandbox::{self, Kind, Parents, Place, WriteMode};

/// Where a document is, or will be.
pub struct Document {
    place: Place,
    category: String,
    name: String,
}

impl Document {
    /// The document `name` of `category`; neither need exist.
    pub fn named(category: &str, name: &str, cx: &Cx) -> Result<Self, Error> {
        let complaints = [check_name("category", category), check_name("name", name)];
        let complaints: Vec<Complaint> = complaints.into_iter().filter_map(Result::err).collect();
        if !complaints.is_empty() {
            return Err(Error::Arguments(complaints));
        }
        let catalog = Catalog::of(cx)?;
        if catalog.has_collection(category) {
            return Err(Error::Refused(format!(
                "'{category}' is a collection; documents belong to categories"
            )));
        }
        let place = cx.document(&format!("{}/{name}", catalog.directory(category)?))?;
        Ok(Self { place, category: category.to_owned(), name: name.to_owned() })
    }

    fn label(&self) -> String {
        format!("{}/{}", self.category, self.name)
    }

    /// Its path from the root of the project or of the documents.
    pub fn path(&self) -> String {
        self.place.display()
    }

    /// Write it; it must be new.
    pub fn create(&self, content: &str) -> Result<(), Error> {
        check_size(content)?;
        let bytes = content.as_bytes();
        let written =
            sandbox::write(&self.place, bytes, WriteMode::CreateOnly, Parents::Create, None);
        written.map(drop).map_err(|error| match error {
            Error::Exists { .. } => Error::Refused(format!(
                "document already exists: {}; use update_document to replace it",
                self.label()
            )),
            other => other,
        })
    }

    /// Replace it; it must be there. What could not be kept of the old file is told.
    pub fn replace(&self, content: &str, cx: &Cx) -> Result<Vec<String>, Error> {
        check_size(content)?;
        self.check_plain(cx)?;
        let bytes = content.as_bytes();
        let written =
            sandbox::write(&self.place, bytes, WriteMode::Replace, Parents::Require, None)?;
        Ok(written.warnings)
    }

    /// Remove it; it must be there.
    pub fn remove(&self, cx: &Cx) -> Result<(), Error> {
        self.check_plain(cx)?;
        sandbox::remove_entry(&self.place).map(drop)
    }

    /// The same failure; where the document is missing, with those that may be meant.
    fn offering(&self, error: Error, cx: &Cx) -> Error {
        match error {
            Error::NotFound { noun, path, blocked_by, .. } => {
                let near = self.near(cx).unwrap_or_default();
                Error::NotFound { noun, path, near, blocked_by }
            }
            other => other,
        }
    }

    /// Documents of the category with such a name; when there is no such category, categories.
    fn near(&self, cx: &Cx) -> Option<Vec<String>> {
        let catalog = Catalog::of(cx).ok()?;
        let directory = cx.near_document(&catalog.directory(&self.category).ok()?)?;
        let Some(names) = sandbox::names(&directory, MAX_NAMES_COMPARED) else {
            let near = catalog.near(&self.category, cx).into_iter();
            return Some(near.map(|category| format!("category {category}")).collect());
        };
        let near = near(&self.name, names).into_iter();
        Some(near.map(|name| format!("{}/{name}", self.category)).collect())
    }

    /// A link would carry the change to another document.
    fn check_plain(&self, cx: &Cx) -> Result<(), Error> {
        let stat = sandbox::stat_of_link(&self.place);
        let (metadata, _) = stat.map_err(|error| self.offering(error, cx))?;
        match metadata.kind {
            Kind::File if metadata.links < 2 => Ok(()),
            Kind::File | Kind::Symlink => Err(Error::Refused(format!(
                "document is a link, change it by hand: {}",
                self.label()
            ))),
            _ => Err(Error::Refused(format!("not a document: {}", self.label()))),
        }
    }
}

/// Names that some systems keep for devices.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];

/// Whether the argument `field` may name a document or a category.
pub fn check_name(field: &str, name: &str) -> Result<(), Complaint> {
    let problem = match name {
        "" => "it is empty",
        _ if name.len() > MAX_NAME_BYTES => "it has more than 255 bytes",
        _ if name.starts_with('.') => "it starts with a dot",
        _ if name.contains(['/', '\\']) || name.contains("..") => "it contains /, \\ or ..",
        _ if name.chars().any(char::is_control) => "it contains a control character",
        _ if is_device(name) => "it is the name of a device on some systems",
        _ => return Ok(()),
    };
    let given: String = name.chars().take(80).collect();
    let shown = given.escape_debug();
    Err(Complaint::new(field, format!("{field}: expected a plain name, got '{shown}': {problem}")))
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered = |device: &str| {
        let number = stem.strip_prefix(device);
        number.is_some_and(|n| n.len() == 1 && n.chars().all(|c| ('1'..='9').contains(&c)))
    };
    DEVICES.contains(&stem.as_str()) || numbered("COM") || numbered("LPT")
}

fn check_size(content: &str) -> Result<(), Error> {
    if content.len() <= MAX_DOCUMENT_BYTES {
        return Ok(());
    }
    let size = content.len();
    Err(Error::argument(
        "content",
        format!("content: expected at most {MAX_DOCUMENT_BYTES} bytes, got {size}"),
    ))
}
