//! `glob`: search file names.

use std::ffi::OsStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READS;
use super::grep::{results, seconds, top};
use super::hash_file::HashFile;
use super::matches::Matches;
use super::read_file::hash_of;
use crate::args::pattern::PathPattern;
use crate::call::Cx;
use crate::control::{Control, Halt};
use crate::error::Error;
use crate::limits::MAX_RESULTS;
use crate::policy::Access;
use crate::sandbox::{self, Kind, PathArg, Place, WalkOptions};
use crate::search::{self, NameAsk, NameMatch};
use crate::toolsets::{Effect, Tool};

/// Find entries in a root whose path, relative to the searched directory, fits a glob (** = any directories) or a regular
/// expression; give exactly one. Sorted by path.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Glob {
    /// Root name
    root: String,
    /// Glob, as **/*.go
    pattern: Option<String>,
    /// Regular expression (RE2), unanchored
    regex: Option<String>,
    /// Directory to search
    #[serde(default = "top")]
    path: PathArg,
    /// Stop after so many
    #[serde(default = "results")]
    max_results: u64,
    /// Then return what was found
    #[serde(default = "seconds")]
    timeout_seconds: u64,
    /// 0 = only the directory itself
    max_depth: Option<u64>,
    /// Kind of entry
    #[serde(default)]
    type_filter: TypeFilter,
    /// Leave out what .gitignore excludes
    #[serde(default)]
    respect_gitignore: bool,
    /// Return the sha256 of each file, as to compare two directories
    #[serde(default)]
    with_hash: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum TypeFilter {
    #[default]
    All,
    File,
    Directory,
    Symlink,
}

impl TypeFilter {
    fn kind(self) -> Option<Kind> {
        match self {
            Self::All => None,
            Self::File => Some(Kind::File),
            Self::Directory => Some(Kind::Directory),
            Self::Symlink => Some(Kind::Symlink),
        }
    }
}

/// A matching entry
#[derive(Serialize, JsonSchema)]
pub struct Match {
    /// From the root
    path: String,
    r#type: &'static str,
    size: u64,
    modified_at: String,
    /// With with_hash; absent when the file could not be read in time
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

impl Tool for Glob {
    type Output = Matches<Match>;
    const NAME: &'static str = "glob";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = READS;

    fn run(self, cx: &Cx) -> Result<Matches<Match>, Error> {
        let place = cx.to_read(&self.root, &self.path)?.called("path");
        if self.with_hash {
            cx.needs(&self.root, HashFile::NAME)?;
        }
        let ask = NameAsk {
            pattern: PathPattern::exactly_one(self.pattern.as_deref(), self.regex.as_deref())?,
            kind: self.type_filter.kind(),
            walk: WalkOptions {
                max_depth: self.max_depth,
                respect_gitignore: self.respect_gitignore,
                skip_hidden: false,
            },
            max_results: self.max_results.min(MAX_RESULTS),
            max_bytes: cx.bounds().max_answer,
        };
        let control = cx.search_control(self.timeout_seconds);
        let found = search::names(&place, &ask, &control)?;
        let mut answer = Matches {
            note: found.note(),
            matches: found.entries.into_iter().map(show).collect(),
            total_matches: found.total,
            truncated: found.truncated,
            timed_out: found.timed_out,
        };
        if self.with_hash {
            answer.timed_out |= add_hashes(&place, &mut answer.matches, &control)?;
        }
        Ok(answer)
    }
}

/// Hash the files among the matches beneath `place`; whether time ran out before all were.
fn add_hashes(place: &Place, matches: &mut [Match], control: &Control) -> Result<bool, Error> {
    let base = place.path().shown();
    for found in matches.iter_mut().filter(|found| found.r#type == Kind::File.name()) {
        let beneath = found.path.strip_prefix(&base).unwrap_or(&found.path);
        let file = place.entry(OsStr::new(beneath.trim_start_matches('/')));
        let hashed = sandbox::open_regular(&file).and_then(|mut file| hash_of(&mut file, control));
        match hashed {
            Ok(hash) => found.sha256 = Some(hash),
            Err(Error::Halted(Halt::DeadlinePassed)) => return Ok(true),
            Err(Error::Halted(halt)) => return Err(halt.into()),
            // Gone or closed since it was found.
            Err(_) => {}
        }
    }
    Ok(false)
}

fn show(found: NameMatch) -> Match {
    Match {
        path: found.path,
        r#type: found.metadata.kind.name(),
        size: found.metadata.size,
        modified_at: found.metadata.modified.iso(),
        sha256: None,
    }
}
