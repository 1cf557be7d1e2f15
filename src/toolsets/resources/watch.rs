//! `resources/subscribe` and `subscriptions/listen`: what has to be watched for a resource, or for the list of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{listed, place};
use crate::call::Cx;
use crate::error::Error;
use crate::limits::MAX_WATCHED_DIRECTORIES;
use crate::policy::Access;
use crate::sandbox::{self, Kind, PathArg};
use crate::toolsets::{Effect, Tool};

/// Watch a file or a directory
#[derive(Deserialize, JsonSchema)]
pub struct Watch {
    root: String,
    path: PathArg,
}

/// The name in the watched directory that is meant
#[derive(Serialize, JsonSchema)]
pub struct Watched {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl Tool for Watch {
    type Output = Watched;
    const NAME: &'static str = "read_file";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Watched, Error> {
        let place = place(cx, &self.root, &self.path)?;
        let found = sandbox::inspect(&place)?;
        // A file is replaced, not changed: its directory tells.
        let (directory, name) = match place.parent() {
            Some((parent, name)) if found.kind != Kind::Directory => (parent, Some(name)),
            _ => (place, None),
        };
        cx.keep(vec![cx.watcher()?.watch(&directory)?]);
        Ok(Watched { name })
    }
}

/// Watch the directories of a root
#[derive(Deserialize, JsonSchema)]
pub struct WatchList {
    root: String,
}

impl Tool for WatchList {
    type Output = Watched;
    const NAME: &'static str = "glob";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Watched, Error> {
        let top = place(cx, &self.root, &PathArg::from("."))?;
        let watcher = cx.watcher()?;
        cx.keep(watcher.watch_tree(&top, MAX_WATCHED_DIRECTORIES, &listed(), cx.control())?);
        Ok(Watched { name: None })
    }
}
