//! `search`: matching lines in the files of a directory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{looks, not_a_directory};
use crate::args::pattern::FileFilter;
use crate::call::Cx;
use crate::error::Error;
use crate::limits::{DEFAULT_RESULTS, DEFAULT_SEARCHED_BYTES, MAX_CONTEXT_LINES, MAX_RESULTS};
use crate::ops::search::{Case, LineMatch, Query, Syntax};
use crate::policy::AtHome;
use crate::sandbox::{PathArg, Tree, WalkOptions};
use crate::search::{self, Ask, Contents};
use crate::toolsets::{Effect, Tool};

/// Search file contents line by line, in path order, ignoring case unless told otherwise. Hidden files are
/// searched, binary files are not. Lines are counted from 1.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Root directory to start the search from (relative to server root)
    root_path: PathArg,
    /// Text pattern to search for in files
    pattern: String,
    /// Whether to treat pattern as regex
    #[serde(default)]
    regex: bool,
    /// Optional glob pattern to filter which files to search
    #[serde(default = "any")]
    file_pattern: String,
    /// Whether to search directories recursively
    #[serde(default = "yes")]
    recursive: bool,
    /// Whether the search should be case-sensitive
    #[serde(default)]
    case_sensitive: bool,
    /// Maximum number of results to return
    #[serde(default = "results")]
    max_results: u64,
    /// Maximum file size to search (in bytes)
    #[serde(default = "searched_bytes")]
    max_file_size: u64,
    /// Number of context lines to include before and after matches
    #[serde(default)]
    context_lines: u64,
}

/// The pattern that fits every name.
pub(super) fn any() -> String {
    "*".into()
}

/// A switch that is on unless turned off.
pub(super) fn yes() -> bool {
    true
}

fn results() -> u64 {
    DEFAULT_RESULTS
}

fn searched_bytes() -> u64 {
    DEFAULT_SEARCHED_BYTES
}

/// Matching lines by file
#[derive(Serialize, JsonSchema)]
pub struct Found {
    total_matches: u64,
    files_searched: u64,
    files_matched: u64,
    matches: Vec<FileMatches>,
    /// max_results was reached, or matches were left out of this answer
    truncated: bool,
    /// What to know about this answer
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct FileMatches {
    file: String,
    matches: Vec<Match>,
}

#[derive(Serialize, JsonSchema)]
struct Match {
    line_number: u64,
    line: String,
    /// Lines around the match, itself included
    context: Vec<ContextLine>,
}

#[derive(Serialize, JsonSchema)]
struct ContextLine {
    line_number: u64,
    content: String,
}

impl Tool for Search {
    type Output = Found;
    const NAME: &'static str = "search";
    const EFFECT: Effect = Effect::Reads;
    const HOME: Option<AtHome> = looks(&["grep"]);

    fn run(self, cx: &Cx) -> Result<Found, Error> {
        let ask = self.ask(cx)?;
        let place = cx.here_to_read(&self.root_path)?;
        let tree = Tree::open(&place).map_err(not_a_directory("root_path"))?;
        let found = search::contents_of_tree(&tree, place.path(), ask, cx.control())?;
        if found.timed_out {
            let state = format!(
                "{} files were searched and {} matches found; nothing was changed",
                found.files_searched, found.total
            );
            return Err(Error::TimedOut { state });
        }
        Ok(self.told(found))
    }
}

impl Search {
    fn ask(&self, cx: &Cx) -> Result<Ask, Error> {
        let syntax = if self.regex { Syntax::Regex } else { Syntax::Literal };
        let case = if self.case_sensitive { Case::Sensitive } else { Case::Insensitive };
        let query = Query::new(&self.pattern, syntax, case)
            .map_err(|error| Error::argument("pattern", format!("invalid pattern: {error}")))?;
        Ok(Ask {
            query: query.with_context(self.context_lines.min(MAX_CONTEXT_LINES)),
            filter: FileFilter::new("file_pattern", Some(&self.file_pattern))?,
            walk: WalkOptions {
                max_depth: (!self.recursive).then_some(0),
                ..WalkOptions::default()
            },
            max_results: self.max_results.min(MAX_RESULTS),
            max_file_size: Some(self.max_file_size),
            max_bytes: cx.bounds().max_answer,
        })
    }

    fn told(&self, found: Contents) -> Found {
        Found {
            total_matches: found.total,
            files_searched: found.files_searched,
            files_matched: found.files_matched,
            truncated: found.truncated,
            warning: found.note(),
            matches: self.by_file(found.lines),
        }
    }

    /// Lines of one file come together, in the order of the files.
    fn by_file(&self, lines: Vec<(String, LineMatch)>) -> Vec<FileMatches> {
        let mut files: Vec<FileMatches> = Vec::new();
        for (file, line) in lines {
            let told = self.line(line);
            match files.last_mut().filter(|last| last.file == file) {
                Some(last) => last.matches.push(told),
                None => files.push(FileMatches { file, matches: vec![told] }),
            }
        }
        files
    }

    fn line(&self, found: LineMatch) -> Match {
        let own = (found.number, found.text.clone());
        let around = found.before.into_iter().chain([own]).chain(found.after);
        let shown = around.map(|(line_number, content)| ContextLine { line_number, content });
        Match {
            line_number: found.number,
            line: found.text,
            context: if self.context_lines == 0 { Vec::new() } else { shown.collect() },
        }
    }
}
