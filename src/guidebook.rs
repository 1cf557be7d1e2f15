//! The guide's own configuration: one YAML mapping that the user edits and the flag tools change.
//!
//! ```yaml
//! feature_flags: {...}
//! projects:
//!   <name>:
//!     path: <directory>
//!     categories: {<name>: {dir, patterns, description}}
//!     collections: {<name>: {categories, description}}
//!     project_flags: {...}
//! ```
//!
//! Keys that mean nothing to us are kept. Comments are not: the file is written anew by every change.

use std::path::{Path, PathBuf};

use serde_yaml_ng::{Mapping, Value};

use crate::error::Error;
use crate::ops::hash;
use crate::sandbox::OwnFile;

/// The file's name in its directory.
const FILE: &str = "config.yaml";

/// The configuration of the guide, wherever the user keeps it.
#[derive(Debug, Clone, Default)]
pub struct Guidebook {
    file: Option<OwnFile>,
}

impl Guidebook {
    /// The one in this directory, if there is any directory for it.
    pub fn new(directory: Option<PathBuf>) -> Self {
        Self { file: directory.map(|directory| OwnFile::new(directory.join(FILE))) }
    }

    /// The directory it is kept in.
    pub fn directory(&self) -> Option<&Path> {
        self.file.as_ref().and_then(|file| file.path().parent())
    }

    /// What it says now.
    pub fn read(&self) -> Result<Mapping, Error> {
        match &self.file {
            Some(file) => parse(file.read()?),
            None => Ok(Mapping::new()),
        }
    }

    /// Change it. Other processes wait; a crash leaves the old or the new text.
    pub fn change<T>(
        &self,
        change: impl FnOnce(&mut Mapping) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let file = self.file.as_ref().ok_or_else(homeless)?;
        let mut outcome = None;
        file.update(|text| {
            let mut book = parse(text)?;
            let before = book.clone();
            outcome = Some(change(&mut book)?);
            if book == before { Ok(None) } else { render(&book).map(Some) }
        })?;
        outcome.ok_or_else(|| Error::Internal("the configuration was not changed".into()))
    }
}

fn homeless() -> Error {
    Error::Refused("there is no directory for the guide's configuration: set guide.config_dir, --configdir or XDG_CONFIG_HOME".into())
}

/// A file that is no mapping is left alone: the user has to look at it.
fn parse(text: Option<String>) -> Result<Mapping, Error> {
    let text = text.unwrap_or_default();
    match serde_yaml_ng::from_str(&text) {
        Ok(Value::Mapping(book)) => Ok(book),
        Ok(Value::Null) => Ok(Mapping::new()),
        Ok(_) => Err(Error::Refused(format!("{FILE} is not a YAML mapping; correct it first"))),
        Err(error) => Err(Error::Refused(format!("{FILE} is not valid YAML: {error}"))),
    }
}

fn render(book: &Mapping) -> Result<String, Error> {
    serde_yaml_ng::to_string(book).map_err(|error| Error::Internal(error.to_string()))
}

/// The key of the project in `directory`: its last name, with a mark where another project has that name.
pub fn project_key(book: &Mapping, directory: &Path) -> String {
    let name = directory.file_name().map_or("root".into(), |name| name.to_string_lossy());
    let owner = section(book, &["projects", &name]).and_then(|entry| entry.get("path"));
    match owner.and_then(Value::as_str) {
        Some(path) if Path::new(path) != directory => format!("{name}-{}", mark(directory)),
        _ => name.into_owned(),
    }
}

/// Eight hexadecimal digits that stand for a directory.
fn mark(directory: &Path) -> String {
    let mut bytes = directory.as_os_str().as_encoded_bytes();
    let mut hash = hash::sha256_of(&mut bytes).unwrap_or_default();
    hash.truncate(8);
    hash
}

/// The mapping at the end of these keys.
pub fn section<'a>(book: &'a Mapping, keys: &[&str]) -> Option<&'a Mapping> {
    keys.iter().try_fold(book, |book, key| book.get(*key)?.as_mapping())
}

/// The mapping at the end of these keys, made where it is missing. What the user wrote there otherwise is kept.
pub fn section_to_change<'a>(
    book: &'a mut Mapping,
    keys: &[&str],
) -> Result<&'a mut Mapping, Error> {
    let Some((first, rest)) = keys.split_first() else { return Ok(book) };
    let entry = book.entry(Value::from(*first)).or_insert(Value::Null);
    if entry.is_null() {
        *entry = Value::Mapping(Mapping::new());
    }
    match entry {
        Value::Mapping(inner) => section_to_change(inner, rest),
        _ => Err(Error::Refused(format!("`{first}` in {FILE} is not a mapping; correct it first"))),
    }
}
