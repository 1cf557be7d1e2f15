//! What stands behind the resources of MCP: operations that take the road of the tools, though no client calls them by
//! name. Each is as allowed as the tool that does the same.

mod collections;
mod directory;
mod list;
mod read;
mod watch;

use crate::call::Cx;
use crate::error::Error;
use crate::sandbox::{PathArg, Place, WalkOptions};

use super::{Definition, Toolset, define, looks};

/// Read one file.
pub const READ: &str = "resources/read";
/// List the files of a root.
pub const LIST: &str = "resources/list";
/// List one directory.
pub const DIRECTORY: &str = "resources/directory/read";
/// Name the categories and collections of the guide.
pub const COLLECTIONS: &str = "completion/complete";
/// Watch a file or directory.
pub const WATCH: &str = "resources/subscribe";
/// Watch the directories of a root.
pub const WATCH_LIST: &str = "subscriptions/listen";

/// The operations, each with the name under which it is found.
pub(super) fn operations(toolset: Toolset) -> Vec<(&'static str, Definition)> {
    let [read, search, list] = match toolset {
        Toolset::Roots => ["read_file", "glob", "list_folder"].map(|name| (name, None)),
        Toolset::Files => {
            let lists = ("list", looks(&["list_folder"]));
            [("read", looks(&["read_file"])), lists, lists]
        }
        Toolset::Guide => return vec![(COLLECTIONS, define::<collections::Collections>())],
    };
    let like = |(name, home), definition| Definition { name, home, ..definition };
    vec![
        (READ, like(read, define::<read::Read>())),
        (LIST, like(search, define::<list::List>())),
        (DIRECTORY, like(list, define::<directory::Directory>())),
        (WATCH, like(read, define::<watch::Watch>())),
        (WATCH_LIST, like(search, define::<watch::WatchList>())),
    ]
}

/// The place that a resource names; the one directory of the server is the root without a name.
fn place(cx: &Cx, root: &str, path: &PathArg) -> Result<Place, Error> {
    if root.is_empty() { cx.here_to_read(path) } else { cx.to_read(root, path) }
}

/// What is listed: neither what `.gitignore` excludes nor what hides behind a dot. It can be read all the same.
fn listed() -> WalkOptions {
    WalkOptions { respect_gitignore: true, skip_hidden: true, max_depth: None }
}
