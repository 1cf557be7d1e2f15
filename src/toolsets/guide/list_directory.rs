//! `list_directory`: the agent brings the entries of a directory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::entries::{self, GivenEntry, ToldEntry};
use super::pushed::Names;
use super::{Described, Example, Told};
use crate::args::pattern::FileFilter;
use crate::cache::{Stats, count};
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::PathArg;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Provide a directory listing to the server
///
/// The agent lists a directory and brings its entries here, flat or nested. Files that a listing says are newer
/// than the cached ones are dropped from the cache.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListDirectory {
    /// Directory, relative to the project or absolute inside it
    path: PathArg,
    /// Its entries
    files: Option<Vec<GivenEntry>>,
    /// Another word for files
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    entries: Option<Vec<GivenEntry>>,
    /// Accept only files that fit this glob, as *.md or sub/**/*.md
    pattern: Option<String>,
}

/// What the server knows now
#[derive(Serialize, JsonSchema)]
pub struct Known {
    #[serde(flatten)]
    names: Names,
    files: Vec<ToldEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// Whether entries have entries
    recursive: bool,
    /// Entries accepted, at all levels
    count: usize,
    /// Files that did not fit the pattern
    filtered: usize,
    /// Whether files had to be left out of this answer; they are known all the same
    truncated: bool,
    stats: Stats,
}

impl Tool for ListDirectory {
    type Output = Told<Known>;
    const NAME: &'static str = "list_directory";
    const EFFECT: Effect = Effect::Replaces;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Told<Known>, Error> {
        let directory = cx.agent_path(&self.path)?;
        let filter = safe_filter(self.pattern.as_deref())?;
        let entries = match (self.files, self.entries) {
            (Some(entries), None) | (None, Some(entries)) => entries,
            (None, None) => return Err(Error::argument("files", "files is required")),
            _ => return Err(Error::argument("files", "files: give files or entries, not both")),
        };
        let judged = entries::judge(cx, &directory, entries, &filter)?;
        let pattern = self.pattern.as_deref();
        cx.cache()?.store_listing(&cx.key(&directory), pattern, &judged.tree);
        let told = entries::told(cx, &directory, &judged.tree);
        let value = Known {
            names: (&directory).into(),
            recursive: judged.tree.values().any(|node| node.children.is_some()),
            count: count(&judged.tree),
            filtered: judged.filtered.len(),
            files: told.entries,
            truncated: told.truncated,
            pattern: self.pattern,
            stats: cx.cache()?.stats(),
        };
        let message = match (judged.filtered.len(), value.count) {
            (0, count) => format!("{count} entries of {} are known", directory.shown()),
            (left, count) => format!("partial success: {count} entries accepted, {left} left out"),
        };
        Ok(Told::ok(value).message(message).warnings(warnings(&judged.filtered)))
    }
}

/// Names in a warning at the most.
const NAMED: usize = 20;

/// What the pattern kept out, by name.
pub(super) fn warnings(filtered: &[String]) -> Vec<String> {
    let named = filtered.iter().take(NAMED).map(|name| format!("does not fit the pattern: {name}"));
    let more = filtered.len().saturating_sub(NAMED);
    let rest = (more > 0).then(|| format!("{more} more do not fit the pattern"));
    named.chain(rest).collect()
}

/// Bytes of a pattern at the most: it is kept with every directory of a listing.
const MAX_PATTERN: usize = 1_024;

/// The filter of a pattern that can not reach out of the directory.
pub(super) fn safe_filter(pattern: Option<&str>) -> Result<FileFilter, Error> {
    let unsafe_because = pattern.and_then(|pattern| match pattern {
        pattern if pattern.len() > MAX_PATTERN => Some("it is longer than 1024 bytes"),
        pattern if pattern.starts_with('/') => Some("it is absolute"),
        pattern if pattern.split(['/', '\\']).any(|part| part == "..") => Some("it contains .."),
        pattern if pattern.chars().any(char::is_control) => Some("it contains control characters"),
        _ => None,
    });
    match (unsafe_because, pattern) {
        (Some(why), Some(pattern)) => Err(Error::argument(
            "pattern",
            format!(
                "invalid pattern: {}: {why}; give a glob relative to the directory, as *.md",
                pattern.escape_debug()
            ),
        )),
        _ => FileFilter::new("pattern", pattern),
    }
}

impl Described for ListDirectory {
    const USAGE: &'static str = "list_directory(path, files)             the entries of a directory; sub-directories with children are nested\nlist_directory(path, files, pattern)    only files that fit are accepted, the others are named in warnings";
    const EXAMPLES: &'static [Example] = &[
        Example {
            shows: "A directory with a file and a nested directory",
            arguments: r#"{"path": "docs", "files": [{"name": "a.md", "type": "file", "size": 12, "mtime": 1767323045}, {"name": "img", "type": "directory", "children": [{"name": "x.png"}]}]}"#,
        },
        Example {
            shows: "With a pattern; value.count is 1 and warnings names b.txt",
            arguments: r#"{"path": "docs", "files": [{"name": "a.md"}, {"name": "b.txt"}], "pattern": "*.md"}"#,
        },
        Example {
            shows: "An entry that leads out: success is false, error_type is security, nothing is stored",
            arguments: r#"{"path": "docs", "files": [{"name": "../../etc/passwd"}]}"#,
        },
    ];
    const SECURITY: &'static [&'static str] = &[
        "The directory and every entry, at every level, must lie in the allowed directories of the project.",
        "A pattern must be relative and may not contain `..`.",
    ];
}
