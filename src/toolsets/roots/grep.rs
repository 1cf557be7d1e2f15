//! `grep`: search file contents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READS;
use super::matches::Matches;
use crate::args::pattern::FileFilter;
use crate::call::Cx;
use crate::error::Error;
use crate::limits::{DEFAULT_RESULTS, MAX_CONTEXT_LINES, MAX_RESULTS};
use crate::ops::search::{Case, LineMatch, Query, Syntax};
use crate::policy::Access;
use crate::sandbox::{PathArg, WalkOptions};
use crate::search::{self, Ask};
use crate::toolsets::{Effect, Tool};

/// Search file contents in a root for a regular expression (RE2 syntax), line by line, in path order. Binary files are
/// skipped, links not followed. `file` of a match can be given to read_file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grep {
    /// Root name
    root: String,
    /// Regular expression
    pattern: String,
    /// Directory or file to search
    #[serde(default = "top")]
    path: PathArg,
    /// Only these files, as *.go or src/**/*.go
    glob_filter: Option<String>,
    #[serde(default)]
    /// Ignore case
    case_insensitive: bool,
    /// Lines before and after each match
    #[serde(default)]
    context_lines: u64,
    /// Stop after so many
    #[serde(default = "results")]
    max_results: u64,
    /// Then return what was found
    #[serde(default = "seconds")]
    timeout_seconds: u64,
    /// 0 = only the directory itself
    max_depth: Option<u64>,
    /// Leave out what .gitignore excludes
    #[serde(default)]
    respect_gitignore: bool,
}

pub(super) fn top() -> PathArg {
    PathArg::from(".")
}

pub(super) fn results() -> u64 {
    DEFAULT_RESULTS
}

pub(super) fn seconds() -> u64 {
    crate::limits::SEARCH_TIMEOUT.as_secs()
}

/// A matching line
#[derive(Serialize, JsonSchema)]
pub struct Match {
    file: String,
    line_number: u64,
    line_content: String,
    context_before: Vec<String>,
    context_after: Vec<String>,
    /// A long line is shown around its match only
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    clipped: bool,
}

impl Tool for Grep {
    type Output = Matches<Match>;
    const NAME: &'static str = "grep";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = READS;

    fn run(self, cx: &Cx) -> Result<Matches<Match>, Error> {
        let place = cx.to_read(&self.root, &self.path)?.called("path");
        let case = if self.case_insensitive { Case::Insensitive } else { Case::Sensitive };
        let query = Query::new(&self.pattern, Syntax::Regex, case)
            .map_err(|error| Error::argument("pattern", format!("invalid pattern: {error}")))?
            .with_context(self.context_lines.min(MAX_CONTEXT_LINES));
        let filter = FileFilter::new("glob_filter", self.glob_filter.as_deref())?;
        let ask = Ask {
            query,
            filter,
            walk: WalkOptions {
                max_depth: self.max_depth,
                respect_gitignore: self.respect_gitignore,
                skip_hidden: false,
            },
            max_results: self.max_results.min(MAX_RESULTS),
            max_file_size: None,
            max_bytes: cx.bounds().max_answer,
        };
        let control = cx.search_control(self.timeout_seconds);
        let found = search::contents(&place, ask, &control)?;
        Ok(Matches {
            note: found.note(),
            matches: found.lines.into_iter().map(|(file, line)| show(file, line)).collect(),
            total_matches: found.total,
            truncated: found.truncated,
            timed_out: found.timed_out,
        })
    }
}

fn show(file: String, line: LineMatch) -> Match {
    Match {
        file,
        line_number: line.number,
        line_content: line.text,
        context_before: line.before.into_iter().map(|(_, text)| text).collect(),
        context_after: line.after.into_iter().map(|(_, text)| text).collect(),
        clipped: line.clipped,
    }
}
