//! `list_folder`: the entries of one directory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READS;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{self, Kind, LinkTarget, Listed, PathArg};
use crate::toolsets::{Effect, Tool};

/// List the entries of a directory in a root, sorted by name. Not recursive: use glob for that.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFolder {
    /// Root name
    root: String,
    /// Directory; "." is the root itself
    path: PathArg,
}

/// The entries of a directory
#[derive(Serialize, JsonSchema)]
pub struct Listing {
    count: usize,
    entries: Vec<EntryInfo>,
}

#[derive(Serialize, JsonSchema)]
struct EntryInfo {
    name: String,
    /// file, directory, symlink, fifo, socket or device
    r#type: &'static str,
    size: u64,
    modified_at: String,
    /// For a link: file, directory or external; absent when it leads nowhere
    #[serde(skip_serializing_if = "Option::is_none")]
    target_type: Option<&'static str>,
}

impl Tool for ListFolder {
    type Output = Listing;
    const NAME: &'static str = "list_folder";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = READS;

    fn run(self, cx: &Cx) -> Result<Listing, Error> {
        let place = cx.to_read(&self.root, &self.path)?.called("path");
        let listed = sandbox::list(&place, cx.control())
            .map_err(|error| error.saying(Kind::File, "path is not a directory"))?;
        Ok(Listing { count: listed.len(), entries: listed.into_iter().map(describe).collect() })
    }
}

fn describe(listed: Listed) -> EntryInfo {
    EntryInfo {
        name: listed.name.to_string_lossy().into_owned(),
        r#type: listed.metadata.kind.name(),
        size: listed.metadata.size,
        modified_at: listed.metadata.modified.iso(),
        target_type: listed.target.map(LinkTarget::name),
    }
}
