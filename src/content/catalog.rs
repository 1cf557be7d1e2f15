//! The catalog: which categories and collections there are, from the disk and from the guide's configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_yaml_ng::{Mapping, Value};

use super::document::check_name;
use super::expression::{self, Part};
use crate::call::Cx;
use crate::error::Error;
use crate::guidebook::{project_key, section};
use crate::ops::near::near;
use crate::sandbox::{Kind, Place, RelativePath, inspect, list};

/// What a category without patterns of its own gives: everything.
const EVERYTHING: &str = "**/*";

/// A directory of documents, and which of them are wanted.
#[derive(Debug)]
pub struct Category {
    /// Its name.
    pub name: String,
    /// Its directory among the documents.
    pub directory: String,
    /// Which documents.
    pub patterns: Vec<String>,
}

/// Categories and collections that the configuration adds to those on the disk.
#[derive(Debug, Default)]
pub struct Catalog {
    categories: BTreeMap<String, CategoryEntry>,
    collections: BTreeMap<String, CollectionEntry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CategoryEntry {
    dir: Option<String>,
    patterns: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CollectionEntry {
    categories: Vec<String>,
}

impl Catalog {
    /// The catalog of the project at hand.
    pub fn of(cx: &Cx) -> Result<Self, Error> {
        let book = cx.guidebook().read()?;
        let key = project_key(&book, cx.project()?);
        let project = section(&book, &["projects", &key]);
        Ok(Self {
            categories: entries(project, "categories")?,
            collections: entries(project, "collections")?,
        })
    }

    /// The categories that `part` means: those of a collection, else the one of that name.
    pub fn expand(&self, part: &Part, cx: &Cx) -> Result<Vec<Category>, Error> {
        let Some(collection) = self.collections.get(&part.name) else {
            return Ok(vec![self.category(part, cx)?]);
        };
        let members = collection.categories.join(",");
        let members = if members.is_empty() { vec![] } else { expression::parse(&members, None)? };
        members.iter().map(|member| self.category(&narrowed(member, part), cx)).collect()
    }

    fn category(&self, part: &Part, cx: &Cx) -> Result<Category, Error> {
        let (directory, usual) = match self.categories.get(&part.name) {
            Some(entry) => (self.directory(&part.name)?, entry.patterns.clone()),
            None if is_directory(&part.name, cx) => (part.name.clone(), Vec::new()),
            None => return Err(self.unknown(&part.name, cx)),
        };
        let patterns = if part.patterns.is_empty() { usual } else { part.patterns.clone() };
        let patterns = if patterns.is_empty() { vec![EVERYTHING.into()] } else { patterns };
        Ok(Category { name: part.name.clone(), directory, patterns })
    }

    /// The directory of the category `name`, which need not exist.
    pub fn directory(&self, name: &str) -> Result<String, Error> {
        let configured = self.categories.get(name).and_then(|entry| entry.dir.as_deref());
        let Some(directory) = configured else { return Ok(name.to_owned()) };
        let inside = RelativePath::clean(Path::new(directory.trim_start_matches('/')));
        inside.map(|path| path.shown()).ok_or_else(|| {
            Error::Refused(format!("the directory of category '{name}' leaves the documents"))
        })
    }

    /// The names of all categories and collections, sorted.
    pub fn names(&self, cx: &Cx) -> Result<Vec<String>, Error> {
        Ok(self.names_at(&cx.document("")?, cx))
    }

    fn names_at(&self, documents: &Place, cx: &Cx) -> Vec<String> {
        // A project without documents has only what is configured.
        let found = list(documents, cx.control()).unwrap_or_default();
        let found = found.into_iter().filter(|entry| entry.metadata.kind == Kind::Directory);
        let found = found.filter_map(|entry| entry.name.into_string().ok());
        let mut names: BTreeSet<String> =
            found.filter(|name| check_name("category", name).is_ok()).collect();
        names.extend(self.categories.keys().chain(self.collections.keys()).cloned());
        names.into_iter().collect()
    }

    /// Those of these names that are like `name`, for a caller who may list them.
    pub fn near(&self, name: &str, cx: &Cx) -> Vec<String> {
        let documents = cx.near_document("");
        documents.map(|place| near(name, self.names_at(&place, cx))).unwrap_or_default()
    }

    fn unknown(&self, name: &str, cx: &Cx) -> Error {
        let sentence = format!("Category '{name}' not found in project");
        Error::Missing { sentence, near: self.near(name, cx) }
    }

    /// Whether `name` is a collection.
    pub fn has_collection(&self, name: &str) -> bool {
        self.collections.contains_key(name)
    }
}

/// Patterns that were asked for go before those of the collection.
fn narrowed(member: &Part, part: &Part) -> Part {
    let patterns = if part.patterns.is_empty() { &member.patterns } else { &part.patterns };
    Part { name: member.name.clone(), patterns: patterns.clone() }
}

fn is_directory(name: &str, cx: &Cx) -> bool {
    let there = || inspect(&cx.document(name)?);
    check_name("category", name).is_ok()
        && there().is_ok_and(|metadata| metadata.kind == Kind::Directory)
}

fn entries<T: DeserializeOwned>(
    project: Option<&Mapping>,
    key: &str,
) -> Result<BTreeMap<String, T>, Error> {
    let written = project.and_then(|project| project.get(key)).filter(|value| !value.is_null());
    let read = |value: &Value| serde_yaml_ng::from_value(value.clone());
    written.map(read).transpose().map(Option::unwrap_or_default).map_err(|error| {
        Error::Refused(format!("`{key}` in the guide's configuration is not valid: {error}"))
    })
}
