//! `stat_file`: what is known about an entry.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hash_file::HashFile;
use super::{READS, read_file};
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{self, Kind, Metadata, PathArg, Place, Stamp};
use crate::toolsets::{Effect, Tool};

/// Tell size, times and kind of a file or directory in a root. For a link: of its target, and of the link itself.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatFile {
    /// Root name
    root: String,
    /// File or directory
    path: PathArg,
    /// Return the sha256 of the file, for expected_hash
    #[serde(default)]
    with_hash: bool,
}

/// What is known
#[derive(Serialize, JsonSchema)]
pub struct Stat {
    name: String,
    path: String,
    size: u64,
    is_directory: bool,
    is_symlink: bool,
    modified_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    /// The link itself
    #[serde(skip_serializing_if = "Option::is_none")]
    symlink: Option<Link>,
    /// What the link leads to; absent when that is nothing
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Target>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Link {
    size: u64,
    modified_at: String,
    target: String,
}

#[derive(Serialize, JsonSchema)]
struct Target {
    r#type: &'static str,
    size: u64,
    is_directory: bool,
    modified_at: String,
}

impl Tool for StatFile {
    type Output = Stat;
    const NAME: &'static str = "stat_file";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = READS;

    fn run(self, cx: &Cx) -> Result<Stat, Error> {
        let place = cx.to_read(&self.root, &self.path)?;
        let (own, link_text) = sandbox::stat_of_link(&place)?;
        let is_symlink = own.kind == Kind::Symlink;
        let behind = if is_symlink { existing(sandbox::inspect(&place))? } else { None };
        let shown = behind.as_ref().unwrap_or(&own);
        Ok(Stat {
            name: name_of(&place),
            path: self.path.shown().to_owned(),
            size: shown.size,
            is_directory: shown.kind == Kind::Directory,
            is_symlink,
            modified_at: shown.modified.iso(),
            created_at: shown.created.map(Stamp::iso),
            symlink: link_text.filter(|_| is_symlink).map(|target| link(&own, target)),
            target: behind.as_ref().map(target),
            sha256: self.hash(&place, shown.kind, cx)?,
        })
    }
}

impl StatFile {
    fn hash(&self, place: &Place, kind: Kind, cx: &Cx) -> Result<Option<String>, Error> {
        if !self.with_hash || kind != Kind::File {
            return Ok(None);
        }
        cx.needs(&self.root, HashFile::NAME)?;
        read_file::hash_of(&mut sandbox::open_regular(place)?, cx.control()).map(Some)
    }
}

/// A link may lead nowhere.
fn existing(found: Result<Metadata, Error>) -> Result<Option<Metadata>, Error> {
    match found {
        Err(Error::NotFound { .. }) => Ok(None),
        other => other.map(Some),
    }
}

fn name_of(place: &Place) -> String {
    let own = place.path().split_last().map(|(_, name)| name.to_string_lossy().into_owned());
    own.unwrap_or_else(|| place.root().name().to_owned())
}

fn link(own: &Metadata, target: String) -> Link {
    Link { size: own.size, modified_at: own.modified.iso(), target }
}

fn target(behind: &Metadata) -> Target {
    Target {
        r#type: behind.kind.name(),
        size: behind.size,
        is_directory: behind.kind == Kind::Directory,
        modified_at: behind.modified.iso(),
    }
}
