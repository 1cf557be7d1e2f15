//! `resources/list`: the files of a root, page by page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{listed, place};
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{
    self, Choice, Entry, Flow, Kind, PathArg, RelativePath, Stamp, Tree, WalkOptions,
};
use crate::toolsets::{Effect, Tool};

/// List the files of a root in the order of their paths
#[derive(Deserialize, JsonSchema)]
pub struct List {
    root: String,
    /// The last path of the page before
    #[serde(default)]
    after: String,
    most: u64,
}

/// A page of files
#[derive(Serialize, JsonSchema)]
pub struct Page {
    files: Vec<File>,
    /// There are more
    more: bool,
}

/// What is known of one
#[derive(Serialize, JsonSchema)]
pub struct File {
    path: String,
    size: u64,
    modified_at: String,
}

impl Tool for List {
    type Output = Page;
    const NAME: &'static str = "glob";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Page, Error> {
        let place = place(cx, &self.root, &PathArg::from("."))?;
        let control = cx.search_control(u64::MAX);
        let mut page = Page { files: Vec::new(), more: false };
        let choose = |path: &RelativePath, kind: Kind| match kind == Kind::File && self.is_due(path)
        {
            true => Choice::VisitWithMetadata,
            false => Choice::Pass,
        };
        let options: WalkOptions = listed();
        let tree = Tree::open(&place)?;
        let report = sandbox::walk_chosen(&tree, &options, &control, 0, &choose, |entry| {
            page.more = page.files.len() as u64 >= self.most;
            if page.more {
                return Flow::Stop;
            }
            page.files.extend(describe(entry));
            Flow::Continue
        });
        report.halted.map_or(Ok(page), |halt| Err(halt.into()))
    }
}

impl List {
    /// Behind the page before; a name that is not UTF-8 has no address.
    fn is_due(&self, path: &RelativePath) -> bool {
        path.as_bytes() > self.after.as_bytes() && std::str::from_utf8(path.as_bytes()).is_ok()
    }
}

fn describe(entry: Entry) -> Option<File> {
    let metadata = entry.metadata?;
    let modified_at = Stamp::iso(metadata.modified);
    Some(File { path: entry.path.shown(), size: metadata.size, modified_at })
}
