//! Flags: named values that the user sets for one project or for all of them.

mod value;

use std::collections::BTreeMap;
use std::path::Path;

use serde_yaml_ng::{Mapping, Value};

use crate::error::Error;
use crate::guidebook::{Guidebook, project_key, section, section_to_change};
pub use value::{FlagValue, Settable};

/// Flags by name.
pub type Flags = BTreeMap<String, FlagValue>;

/// Whose flags.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'a> {
    /// Of every project.
    Global,
    /// Of the project in this directory.
    Project(&'a Path),
}

/// The flags that are set in `scope` itself.
pub fn list(book: &Guidebook, scope: Scope<'_>) -> Result<Flags, Error> {
    Ok(flags_in(&book.read()?, scope))
}

/// The flags that hold for a project: its own, and the global ones behind them.
pub fn resolve(book: &Guidebook, project: &Path) -> Result<Flags, Error> {
    let book = book.read()?;
    let mut flags = flags_in(&book, Scope::Global);
    flags.extend(flags_in(&book, Scope::Project(project)));
    Ok(flags)
}

/// Set the flag `name`, or remove it.
pub fn set(
    book: &Guidebook,
    scope: Scope<'_>,
    name: &str,
    value: Option<&FlagValue>,
) -> Result<(), Error> {
    check_name(name)?;
    book.change(|book| {
        match value {
            Some(value) => _ = flags_to_change(book, scope)?.insert(name.into(), value.to_yaml()),
            // Nothing is made only to have nothing in it.
            None if flags_in(book, scope).contains_key(name) => {
                flags_to_change(book, scope)?.shift_remove(name);
            }
            None => {}
        }
        Ok(())
    })
}

/// A flag's name: letters, digits, `_` and `-` of any script.
pub fn check_name(name: &str) -> Result<(), Error> {
    let fits = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(fits) {
        return Ok(());
    }
    let sentence =
        format!("feature_name: expected letters, digits, _ and - only, got {}", quoted(name));
    Err(Error::argument("feature_name", sentence))
}

fn quoted(name: &str) -> String {
    format!("'{}'", name.escape_debug())
}

fn flags_in(book: &Mapping, scope: Scope<'_>) -> Flags {
    let found = match scope {
        Scope::Global => section(book, &["feature_flags"]),
        Scope::Project(directory) => {
            section(book, &["projects", &project_key(book, directory), "project_flags"])
        }
    };
    let pairs = found.into_iter().flatten();
    pairs
        .filter_map(|(name, value)| Some((name.as_str()?.to_owned(), FlagValue::of_yaml(value)?)))
        .collect()
}

fn flags_to_change<'a>(book: &'a mut Mapping, scope: Scope<'_>) -> Result<&'a mut Mapping, Error> {
    let Scope::Project(directory) = scope else {
        return section_to_change(book, &["feature_flags"]);
    };
    let key = project_key(book, directory);
    let is_new = section(book, &["projects", &key]).is_none();
    let project = section_to_change(book, &["projects", &key])?;
    if is_new {
        // Another project of the same name must not take these flags for its own.
        project.insert("path".into(), Value::from(&*directory.to_string_lossy()));
    }
    section_to_change(project, &["project_flags"])
}
