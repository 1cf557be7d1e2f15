//! Entries of directories: from what an agent gives to a tree that was judged, and back to what is told.

use std::ffi::OsStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::args::pattern::FileFilter;
use crate::cache::{Info, Mtime, Node, NodeKind, Tree};
use crate::call::Cx;
use crate::error::Error;
use crate::ops::budget::Budget;
use crate::policy::AgentPath;
use crate::sandbox::RelativePath;

/// An entry as the agent gives it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(super) struct GivenEntry {
    /// Name, or path relative to the directory
    name: String,
    /// What it is [default: file, or directory where there are children]
    #[serde(rename = "type")]
    kind: Option<NodeKind>,
    /// Bytes
    size: Option<u64>,
    /// When it was last changed: seconds since 1970, or a date
    mtime: Option<Mtime>,
    /// Entries of a directory, in the same form; absent when they are not known
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    children: Option<Vec<GivenEntry>>,
}

impl GivenEntry {
    fn is_directory(&self) -> bool {
        let looks_like_one = self.children.is_some() || self.name.ends_with('/');
        self.kind.map_or(looks_like_one, |kind| kind == NodeKind::Directory)
    }

    fn info(&self) -> Result<Info, Error> {
        let usual = if self.is_directory() { NodeKind::Directory } else { NodeKind::File };
        Ok(Info {
            kind: self.kind.unwrap_or(usual),
            size: self.size,
            mtime: self.mtime.clone(),
            mtime_seconds: self.mtime.as_ref().map(|mtime| mtime.seconds("mtime")).transpose()?,
        })
    }

    /// Whatever was not said to be in a directory is not in it.
    pub(super) fn assume_complete(&mut self) {
        if self.is_directory() {
            self.children.get_or_insert_default().iter_mut().for_each(Self::assume_complete);
        }
    }
}

/// An entry out of an agent's own words: a bare name will do, and so will other words for the kinds.
pub(super) fn lenient(value: Value) -> Result<GivenEntry, String> {
    let Value::Object(mut object) = value else {
        return match value {
            Value::String(name) => lenient(serde_json::json!({ "name": name })),
            other => Err(format!("an entry is an object or a name, not {other}")),
        };
    };
    if let (false, Some(path)) = (object.contains_key("name"), object.remove("path")) {
        object.insert("name".into(), path);
    }
    object.retain(|key, value| {
        ["name", "type", "size", "mtime", "children"].contains(&key.as_str()) && !value.is_null()
    });
    if let Some(Value::String(kind)) = object.get_mut("type") {
        *kind = usual_word(kind).to_owned();
    }
    let children = match object.remove("children") {
        Some(Value::Array(items)) => {
            Some(items.into_iter().map(lenient).collect::<Result<Vec<_>, _>>()?)
        }
        _ => None,
    };
    let entry: GivenEntry =
        serde_json::from_value(Value::Object(object)).map_err(|error| error.to_string())?;
    Ok(GivenEntry { children, ..entry })
}

fn usual_word(kind: &str) -> &str {
    match kind {
        "dir" | "folder" => "directory",
        "link" => "symlink",
        "file" | "directory" | "symlink" => kind,
        _ => "other",
    }
}

/// Entries that were judged, and what the pattern kept out.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub(super) tree: Tree,
    pub(super) filtered: Vec<String>,
}

/// Judge every entry, at every level; one that may not be spoken of refuses them all.
pub(super) fn judge(
    cx: &Cx,
    directory: &AgentPath,
    entries: Vec<GivenEntry>,
    filter: &FileFilter,
) -> Result<Judged, Error> {
    let mut judged = Judged::default();
    let mut judging = Judging { cx, top: directory, filter, filtered: &mut judged.filtered };
    judging.all(directory, entries, &mut judged.tree)?;
    Ok(judged)
}

struct Judging<'a> {
    cx: &'a Cx<'a>,
    top: &'a AgentPath,
    filter: &'a FileFilter,
    filtered: &'a mut Vec<String>,
}

impl Judging<'_> {
    fn all(
        &mut self,
        directory: &AgentPath,
        entries: Vec<GivenEntry>,
        tree: &mut Tree,
    ) -> Result<(), Error> {
        entries.into_iter().try_for_each(|entry| self.one(directory, entry, tree))
    }

    fn one(
        &mut self,
        directory: &AgentPath,
        entry: GivenEntry,
        tree: &mut Tree,
    ) -> Result<(), Error> {
        let path = self.cx.agent_entry(directory, &entry.name)?;
        let info = entry.info()?;
        let name = relative(&path, self.top);
        if !entry.is_directory() && !self.filter.accepts(&name) {
            self.filtered.push(name.shown());
            return Ok(());
        }
        let node = node_at(tree, &relative(&path, directory));
        node.info = info;
        if let Some(children) = entry.children {
            let mut inner = node.children.take().unwrap_or_default();
            self.all(&path, children, &mut inner)?;
            node_at(tree, &relative(&path, directory)).children = Some(inner);
        }
        Ok(())
    }
}

fn relative(path: &AgentPath, top: &AgentPath) -> RelativePath {
    path.relative.names().skip(top.relative.names().count()).collect()
}

/// The node at a path; directories on the way are made.
fn node_at<'t>(tree: &'t mut Tree, path: &RelativePath) -> &'t mut Node {
    let names: Vec<String> = path.names().map(|name| name.to_string_lossy().into_owned()).collect();
    let (last, parents) = names.split_last().map_or(("", &[][..]), |(l, p)| (l.as_str(), p));
    let mut tree = tree;
    for name in parents {
        let node = tree.entry(name.clone()).or_default();
        node.info.kind = NodeKind::Directory;
        tree = node.children.get_or_insert_default();
    }
    tree.entry(last.to_owned()).or_default()
}

/// An entry as it is told
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ToldEntry {
    name: String,
    /// From the project
    path: String,
    #[serde(rename = "type")]
    kind: NodeKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mtime: Option<Mtime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    children: Option<Vec<ToldEntry>>,
}

/// Entries for an answer: as many as fit.
#[derive(Debug)]
pub(super) struct ToldEntries {
    pub(super) entries: Vec<ToldEntry>,
    pub(super) truncated: bool,
}

/// Bytes that an entry needs beside its name and path.
const ENTRY_BYTES: usize = 80;

/// The tree as entries, within the budget of an answer.
pub(super) fn told(cx: &Cx, directory: &AgentPath, tree: &Tree) -> ToldEntries {
    // An answer carries its value twice, and other things too.
    let mut budget = Budget::of(cx.bounds().max_answer.saturating_sub(2_048));
    let entries = told_within(&directory.relative, tree, &mut budget);
    ToldEntries { entries, truncated: budget.is_spent() }
}

fn told_within(directory: &RelativePath, tree: &Tree, budget: &mut Budget) -> Vec<ToldEntry> {
    let mut told = Vec::new();
    for (name, node) in tree {
        let path = directory.join(OsStr::new(name));
        if !budget.spend(name.len() + path.as_bytes().len() + ENTRY_BYTES) {
            break;
        }
        let children = node.children.as_ref().map(|tree| told_within(&path, tree, budget));
        let Info { kind, size, mtime, .. } = node.info.clone();
        told.push(ToldEntry {
            name: name.clone(),
            path: path.shown(),
            kind,
            size,
            mtime,
            children,
        });
    }
    told
}

/// The tree without files that the filter keeps out.
pub(super) fn filtered(tree: Tree, filter: &FileFilter, directory: &RelativePath) -> Tree {
    let kept = tree.into_iter().filter_map(|(name, node)| {
        let path = directory.join(OsStr::new(&name));
        if node.info.kind != NodeKind::Directory && !filter.accepts(&path) {
            return None;
        }
        let children = node.children.map(|children| filtered(children, filter, &path));
        Some((name, Node { children, ..node }))
    });
    kept.collect()
}
