//! `.gitignore` rules along a walk.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::metadata::Kind;
use super::path::RelativePath;
use super::tree::Tree;
use super::walk::WalkOptions;

/// The rules that hold in one directory: its own first, then those above it.
#[derive(Debug, Clone, Default)]
pub(super) struct Ignores(Option<Arc<Rules>>);

#[derive(Debug)]
struct Rules {
    matcher: Gitignore,
    above: Ignores,
}

impl Ignores {
    /// The rules of the directories above the start of a walk, from the root down.
    pub(super) fn above(start: &Tree, options: &WalkOptions) -> Self {
        let mut rules = Self::default();
        if !options.respect_gitignore {
            return rules;
        }
        let mut path = RelativePath::default();
        for name in start.real().names() {
            rules = rules.with_file_at(start, &path);
            path = path.join(name);
        }
        rules
    }

    /// These rules and those of the directory `path` of the walk.
    pub(super) fn with_file_of(&self, start: &Tree, path: &RelativePath) -> Self {
        self.with_file_at(start, &start.real().append(path))
    }

    fn with_file_at(&self, start: &Tree, directory: &RelativePath) -> Self {
        let Some(text) = start.read_small(&directory.join(OsStr::new(".gitignore"))) else {
            return self.clone();
        };
        // Rules are matched on paths from the root; a relative top keeps the matcher from the disk.
        let mut builder = GitignoreBuilder::new(top(directory));
        for line in String::from_utf8_lossy(&text).lines() {
            // A line that is no pattern excludes nothing, as in git.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(matcher) => Self(Some(Arc::new(Rules { matcher, above: self.clone() }))),
            Err(_) => self.clone(),
        }
    }

    /// Whether the entry at `path` (from the root) is excluded; the nearest rule that speaks decides.
    pub(super) fn excludes(&self, path: &RelativePath, name: &OsStr, kind: Kind) -> bool {
        if name == ".git" {
            return true;
        }
        let mut rules = self;
        while let Some(here) = &rules.0 {
            let verdict = here.matcher.matched(path.as_path(), kind == Kind::Directory);
            if !verdict.is_none() {
                return verdict.is_ignore();
            }
            rules = &here.above;
        }
        false
    }
}

fn top(directory: &RelativePath) -> &Path {
    if directory.is_top() { Path::new("") } else { directory.as_path() }
}
