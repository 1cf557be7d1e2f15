//! Patterns over names and paths, as arguments give them.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::bytes::{Regex, RegexBuilder};

use crate::error::Error;
use crate::limits::MAX_REGEX_BYTES;
use crate::ops::regex::{explain, from_go};
use crate::sandbox::RelativePath;

/// Which files to look into: without `/` the file name decides at any depth, with `/` the whole path.
#[derive(Debug, Clone)]
pub struct FileFilter(Option<(GlobSet, Matched)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Matched {
    Name,
    WholePath,
}

impl FileFilter {
    /// The filter that the argument `argument` gives; none lets everything through.
    pub fn new(argument: &str, pattern: Option<&str>) -> Result<Self, Error> {
        let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty() && *pattern != "*") else {
            return Ok(Self(None));
        };
        let matched = if pattern.contains('/') { Matched::WholePath } else { Matched::Name };
        Ok(Self(Some((glob(argument, pattern.trim_start_matches('/'))?, matched))))
    }

    /// Whether it lets `path` through.
    pub fn accepts(&self, path: &RelativePath) -> bool {
        match &self.0 {
            None => true,
            Some((glob, Matched::WholePath)) => glob.is_match(path.as_path()),
            Some((glob, Matched::Name)) => {
                path.as_path().file_name().is_some_and(|name| glob.is_match(Path::new(name)))
            }
        }
    }
}

/// Which paths to find.
#[derive(Debug, Clone)]
pub enum PathPattern {
    /// By a glob over the whole path.
    Glob(GlobSet),
    /// By an unanchored regular expression.
    Regex(Regex),
}

impl PathPattern {
    /// From two arguments of which one must be given.
    pub fn exactly_one(pattern: Option<&str>, regex: Option<&str>) -> Result<Self, Error> {
        match (pattern, regex) {
            (Some(pattern), None) => Ok(Self::Glob(glob("pattern", pattern)?)),
            (None, Some(regex)) => Ok(Self::Regex(path_regex(regex)?)),
            _ => {
                Err(Error::argument("pattern", "exactly one of pattern or regex must be provided"))
            }
        }
    }

    /// Whether it fits `path`.
    pub fn fits(&self, path: &RelativePath) -> bool {
        match self {
            Self::Glob(glob) => glob.is_match(path.as_path()),
            Self::Regex(regex) => regex.is_match(path.as_bytes()),
        }
    }
}

/// A glob in which `*` stops at `/` and `**` does not.
fn glob(argument: &str, pattern: &str) -> Result<GlobSet, Error> {
    // The searched directory is the top: `./a` and `/a` are `a`.
    let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
    let built = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
    let fail = |error| Error::argument(argument, format!("invalid pattern: {error}"));
    // A set of one: unlike a single matcher it knows short ways for patterns such as `**/*.rs`.
    GlobSetBuilder::new().add(built.map_err(fail)?).build().map_err(fail)
}

fn path_regex(pattern: &str) -> Result<Regex, Error> {
    let built = RegexBuilder::new(&from_go(pattern)).size_limit(MAX_REGEX_BYTES).build();
    built.map_err(|error| {
        Error::argument("regex", format!("invalid regex: {}", explain(pattern, &error.to_string())))
    })
}
