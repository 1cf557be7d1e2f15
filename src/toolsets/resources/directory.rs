//! `resources/directory/read`: the entries of one directory; completion of paths stands on it too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{self, Kind, LinkTarget, Listed, PathArg};
use crate::toolsets::{Effect, Tool};

/// List one directory
#[derive(Deserialize, JsonSchema)]
pub struct Directory {
    root: String,
    path: PathArg,
}

/// Its entries, sorted by name
#[derive(Serialize, JsonSchema)]
pub struct Entries {
    entries: Vec<Child>,
}

/// A file or a directory
#[derive(Serialize, JsonSchema)]
pub struct Child {
    name: String,
    directory: bool,
    size: u64,
}

impl Tool for Directory {
    type Output = Entries;
    const NAME: &'static str = "list_folder";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Entries, Error> {
        let place = place(cx, &self.root, &self.path)?.called("directory");
        let listed = sandbox::list(&place, cx.control())
            .map_err(|error| error.saying(Kind::File, "path is not a directory"))?;
        Ok(Entries { entries: listed.into_iter().filter_map(child).collect() })
    }
}

/// What can be read as a resource: files and directories, also through links that stay inside.
fn child(listed: Listed) -> Option<Child> {
    let kind = match (listed.metadata.kind, listed.target) {
        (Kind::Symlink, Some(LinkTarget::Inside(kind))) => kind,
        (kind, _) => kind,
    };
    let directory = kind == Kind::Directory;
    let name = listed.name.into_string().ok()?;
    let size = if directory { 0 } else { listed.metadata.size };
    (directory || kind == Kind::File).then_some(Child { name, directory, size })
}
