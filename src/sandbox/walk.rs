//! Walking a tree in the order of its paths, by handles, entering no link and holding no handle per entry.
//!
//! The caller's thread visits; in a large tree others read directories ahead of it.

use std::sync::Arc;
use std::thread;

use super::crew::{Crew, Node};
use super::ignores::Ignores;
use super::metadata::{Kind, Metadata};
use super::path::RelativePath;
pub use super::tree::Tree;
use crate::control::{Control, Halt};

/// Which entries a walk visits.
#[derive(Debug, Clone, Default)]
pub struct WalkOptions {
    /// Levels below the start; 0 means the entries of the start itself.
    pub max_depth: Option<u64>,
    /// Leave out what `.gitignore` files exclude, and `.git` itself.
    pub respect_gitignore: bool,
    /// Leave out entries whose name starts with a dot, and all beneath them.
    pub skip_hidden: bool,
}

/// One entry of a walk.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Relative to the start.
    pub path: RelativePath,
    /// What it is; a link is itself.
    pub kind: Kind,
    /// What is known of it, if that was wanted.
    pub metadata: Option<Metadata>,
}

/// What to do with an entry when its directory is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Do not visit it. A directory is entered all the same.
    Pass,
    /// Visit it.
    Visit,
    /// Visit it with what is known of it.
    VisitWithMetadata,
}

/// Decides about entries, on whichever thread reads their directory.
pub type Choose<'a> = dyn Fn(&RelativePath, Kind) -> Choice + Sync + 'a;

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Enough.
    Stop,
}

/// How a walk ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalkReport {
    /// Directories and files that could not be read.
    pub unreadable: u64,
    /// Why it ended early, if it did.
    pub halted: Option<Halt>,
}

/// Directories read by the visiting thread alone before others help: a small tree is done by then.
const SMALL: usize = 16;

/// Visit every entry beneath `tree` in the order of the paths.
pub fn walk(
    tree: &Tree,
    options: &WalkOptions,
    control: &Control,
    visit: impl FnMut(Entry) -> Flow,
) -> WalkReport {
    walk_chosen(tree, options, control, 0, &|_, _| Choice::Visit, visit)
}

/// Visit the entries beneath `tree` that `choose` picks, in the order of the paths, with `helpers` threads reading ahead.
pub fn walk_chosen(
    tree: &Tree,
    options: &WalkOptions,
    control: &Control,
    helpers: usize,
    choose: &Choose<'_>,
    visit: impl FnMut(Entry) -> Flow,
) -> WalkReport {
    let crew = Crew::new(tree, options, choose);
    thread::scope(|scope| {
        let hire = || (0..helpers).for_each(|_| _ = scope.spawn(|| crew.help()));
        let report = lead(&crew, options, control, hire, visit);
        crew.dismiss();
        report
    })
}

/// Visit in order, depth first.
fn lead(
    crew: &Crew<'_>,
    options: &WalkOptions,
    control: &Control,
    hire: impl Fn(),
    mut visit: impl FnMut(Entry) -> Flow,
) -> WalkReport {
    let mut report = WalkReport::default();
    let start = Node::new(RelativePath::default(), 0, Ignores::above(crew.tree(), options));
    let mut levels = Vec::from_iter(crew.steps(&Arc::new(start), &mut report));
    let mut read = 1;
    while let Some(level) = levels.last_mut() {
        if let Err(halt) = control.check() {
            report.halted = Some(halt);
            break;
        }
        match level.next() {
            None => _ = levels.pop(),
            Some(step) => match step.into_visit() {
                Ok(entry) => {
                    if visit(entry) == Flow::Stop {
                        break;
                    }
                }
                Err(directory) => {
                    levels.extend(crew.steps(&directory, &mut report));
                    read += 1;
                    if read == SMALL {
                        hire();
                    }
                }
            },
        }
    }
    report
}
