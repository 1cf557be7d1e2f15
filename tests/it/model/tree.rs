//! The tree that the server should have: names and contents in memory, and what each step makes of them.

use super::steps::{Expect, Mode, Pair, Search, Step};
use crate::harness::sha256;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a step comes to: parts of the answer, or how the sentence of the failure begins.
pub type Outcome = Result<Value, String>;

/// What is at a path: the text of a file, or `None` for a directory.
type Node = Option<String>;

/// Directories and files by their clean path; the top is not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree(BTreeMap<String, Node>);

/// A clean path, or the failure of one that leaves the root.
fn clean(text: &str) -> Result<String, String> {
    let mut names: Vec<&str> = Vec::new();
    for name in text.split('/').filter(|name| !matches!(*name, "" | ".")) {
        match name {
            ".." => {
                names
                    .pop()
                    .ok_or_else(|| format!("path resolves outside root boundary: {text}"))?;
            }
            name => names.push(name),
        }
    }
    Ok(names.join("/"))
}

fn beneath(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

fn parent(path: &str) -> Option<&str> {
    (!path.is_empty()).then(|| path.rsplit_once('/').map_or("", |(parent, _)| parent))
}

/// The path below `top`, if it is there.
fn within<'p>(path: &'p str, top: &str) -> Option<&'p str> {
    match top {
        "" => Some(path),
        top => path.strip_prefix(top)?.strip_prefix('/'),
    }
}

impl Tree {
    /// What `step` comes to. `None` when nobody promises what happens: the step is left out.
    pub fn step(&mut self, step: &Step) -> Option<Outcome> {
        Some(match step {
            Step::Write { path, content, mode, expect } => {
                self.write(path, content, *mode, *expect)
            }
            Step::Patch { path, line, new, expect } => self.patch(path, *line, new, *expect),
            Step::RemoveFile(path) => self.remove_file(path),
            Step::RemoveFolder(path) => self.remove_folder(path),
            Step::CreateFolder(path) => self.create_folder(path),
            Step::List(path) => self.list(path),
            Step::Read(path) => self.read(path),
            Step::Stat(path) => self.stat(path),
            Step::Hash(path) => self.hash(path),
            Step::Glob(search) => self.glob(search),
            Step::Grep(search) => self.grep(search),
            Step::Copy(pair) => return self.copy(pair).transpose(),
            Step::Move(pair) => self.rename(pair),
        })
    }

    /// The text of a patch, made for the file as it is.
    pub fn patch_text(&self, path: &str, line: Option<usize>, new: &str) -> String {
        let old = clean(path).ok().and_then(|path| self.file(&path).map(str::to_owned));
        let lines: Vec<&str> = old.as_deref().unwrap_or_default().lines().collect();
        match line {
            None => format!("@@ -1,1 +1,1 @@\n-no such line\n+{new}\n"),
            Some(_) if lines.is_empty() => format!("@@ -0,0 +1,1 @@\n+{new}\n"),
            Some(line) => {
                let at = line % lines.len();
                format!("@@ -{0},1 +{0},1 @@\n-{1}\n+{new}\n", at + 1, lines[at])
            }
        }
    }

    /// The hash that a caller gives who has read the file, or one that fits nothing.
    pub fn expected_hash(&self, path: &str, expect: Expect) -> Option<String> {
        let known = clean(path).ok().and_then(|path| self.file(&path).map(str::to_owned));
        match expect {
            Expect::Anything => None,
            Expect::WhatIsThere => Some(sha256(known.unwrap_or_default().as_bytes())),
            Expect::SomethingElse => Some(sha256(b"something else")),
        }
    }

    /// Everything as the disk would show it.
    pub fn shown(&self) -> BTreeMap<String, String> {
        let shown =
            |node: &Node| node.as_ref().map_or("directory".into(), |text| format!("{text:?}"));
        self.0.iter().map(|(path, node)| (path.clone(), shown(node))).collect()
    }

    fn is_directory(&self, path: &str) -> bool {
        path.is_empty() || matches!(self.0.get(path), Some(None))
    }

    fn file(&self, path: &str) -> Option<&str> {
        self.0.get(path).and_then(Option::as_deref)
    }

    fn exists(&self, path: &str) -> bool {
        path.is_empty() || self.0.contains_key(path)
    }

    /// Make the directories above `path`; a file among them is in the way.
    fn make_parents(&mut self, path: &str, shown: &str) -> Result<(), String> {
        let Some(above) = parent(path) else { return Ok(()) };
        self.make_directory(above)
            .map_err(|()| format!("a parent of the path is a file, not a directory: {shown}"))
    }

    fn make_directory(&mut self, path: &str) -> Result<(), ()> {
        if self.file(path).is_some() {
            return Err(());
        }
        if let Some(above) = parent(path) {
            self.make_directory(above)?;
            self.0.entry(path.to_owned()).or_insert(None);
        }
        Ok(())
    }

    fn require_hash(&self, path: &str, shown: &str, expect: Expect) -> Result<(), String> {
        match expect {
            Expect::Anything => Ok(()),
            Expect::WhatIsThere if self.file(path).is_some() => Ok(()),
            _ => Err(format!("file has changed since it was read: {shown}")),
        }
    }

    fn write(&mut self, shown: &str, content: &str, mode: Mode, expect: Expect) -> Outcome {
        let path = clean(shown)?;
        if mode == Mode::CreateOnly && self.exists(&path) {
            return Err(format!("file already exists: {shown}"));
        }
        if self.is_directory(&path) {
            return Err(format!("path is a directory, not a file: {shown}"));
        }
        self.require_hash(&path, shown, expect)?;
        self.make_parents(&path, shown)?;
        let old = self.file(&path).filter(|_| mode == Mode::Append).unwrap_or_default();
        let new = format!("{old}{content}");
        self.0.insert(path, Some(new));
        Ok(json!({"path": shown, "size": content.len(), "mode": mode.name()}))
    }

    fn patch(&mut self, shown: &str, line: Option<usize>, new: &str, expect: Expect) -> Outcome {
        let path = clean(shown)?;
        if self.is_directory(&path) {
            return Err(format!("path is a directory, not a file: {shown}"));
        }
        self.require_hash(&path, shown, expect)?;
        let line = line.ok_or("patch failed")?;
        let old = self.file(&path).unwrap_or_default().to_owned();
        let mut lines: Vec<&str> = old.split_inclusive('\n').collect();
        let new = format!("{new}\n");
        match lines.len() {
            0 => lines.push(&new),
            count => lines[line % count] = &new,
        }
        let content = lines.concat();
        self.make_parents(&path, shown)?;
        let answer = json!({"hunks_applied": 1, "sha256": sha256(content.as_bytes())});
        self.0.insert(path, Some(content));
        Ok(answer)
    }

    fn remove_file(&mut self, shown: &str) -> Outcome {
        let path = clean(shown)?;
        if self.is_directory(&path) {
            return Err(format!("path is a directory, use remove_folder instead: {shown}"));
        }
        self.0.remove(&path).ok_or_else(|| format!("file not found: {shown}"))?;
        Ok(json!({"path": shown, "removed": true}))
    }

    fn remove_folder(&mut self, shown: &str) -> Outcome {
        let path = clean(shown)?;
        match self.0.get(&path) {
            _ if path.is_empty() => Err("cannot remove root directory".into()),
            None => Err(format!("directory not found: {shown}")),
            Some(Some(_)) => Err(format!("path is a file, use remove_file instead: {shown}")),
            Some(None) => {
                self.0.retain(|at, _| *at != path && within(at, &path).is_none());
                Ok(json!({"path": shown, "removed": true}))
            }
        }
    }

    fn create_folder(&mut self, shown: &str) -> Outcome {
        let path = clean(shown)?;
        if self.file(&path).is_some() {
            return Err(format!("path exists as a file: {shown}"));
        }
        self.make_parents(&path, shown)?;
        self.make_directory(&path).map_err(|()| "nothing is in the way".to_owned())?;
        Ok(json!({"path": shown, "created": true}))
    }

    fn require_directory(&self, shown: &str) -> Result<String, String> {
        let path = clean(shown)?;
        match (self.is_directory(&path), self.exists(&path)) {
            (true, _) => Ok(path),
            (_, true) => Err(format!("path is not a directory: {shown}")),
            _ => Err(format!("path not found: {shown}")),
        }
    }

    fn list(&self, shown: &str) -> Outcome {
        let path = self.require_directory(shown)?;
        let inside = self.0.iter().filter_map(|(at, node)| Some((within(at, &path)?, node)));
        let entries =
            inside.filter(|(name, _)| !name.contains('/')).map(|(name, node)| match node {
                None => json!({"name": name, "type": "directory"}),
                Some(text) => json!({"name": name, "type": "file", "size": text.len()}),
            });
        Ok(json!({"entries": entries.collect::<Vec<_>>()}))
    }

    /// The text of the file, or why there is none; `words` for a directory.
    fn text(&self, shown: &str, words: &str) -> Result<&str, String> {
        let path = clean(shown)?;
        if self.is_directory(&path) {
            return Err(format!("{words}: {shown}"));
        }
        self.file(&path).ok_or_else(|| format!("file not found: {shown}"))
    }

    fn read(&self, shown: &str) -> Outcome {
        let text = self.text(shown, "path is a directory, not a file")?;
        Ok(
            json!({"content": text, "size": text.len(), "truncated": false, "sha256": sha256(text.as_bytes())}),
        )
    }

    fn hash(&self, shown: &str) -> Outcome {
        let text = self.text(shown, "cannot hash a directory")?;
        Ok(json!({"hash": sha256(text.as_bytes()), "size": text.len()}))
    }

    fn stat(&self, shown: &str) -> Outcome {
        let path = clean(shown)?;
        if self.is_directory(&path) {
            return Ok(json!({"is_directory": true, "is_symlink": false}));
        }
        let text = self.file(&path).ok_or_else(|| format!("file not found: {shown}"))?;
        Ok(json!({"is_directory": false, "is_symlink": false, "size": text.len()}))
    }

    fn glob(&self, search: &Search) -> Outcome {
        let base = self.require_directory(&search.path)?;
        let fits = |path: &str| match search.pattern {
            "*" => !path.contains('/'),
            "**/*.txt" => path.ends_with(".txt"),
            "*/*" => path.matches('/').count() == 1,
            _ => true,
        };
        let inside = self.0.iter().filter(|(path, _)| within(path, &base).is_some_and(fits));
        let found: Vec<Value> = inside
            .map(|(path, node)| {
                let kind = if node.is_some() { "file" } else { "directory" };
                json!({"path": path, "type": kind})
            })
            .collect();
        Ok(json!({"total_matches": found.len(), "matches": found, "truncated": false}))
    }

    fn grep(&self, search: &Search) -> Outcome {
        let base = clean(&search.path)?;
        if !self.exists(&base) {
            return Err(format!("path not found: {}", search.path));
        }
        let meant = |path: &str| path == base || within(path, &base).is_some();
        let files = self.0.iter().filter(|(path, _)| meant(path));
        let found: Vec<Value> = files
            .filter_map(|(path, node)| Some((path, node.as_ref()?)))
            .flat_map(|(path, text)| {
                let lines = text.lines().enumerate().map(move |(at, line)| (path, at + 1, line));
                lines.filter(|(_, _, line)| line.contains(search.pattern))
            })
            .map(|(path, at, line)| json!({"file": path, "line_number": at, "line_content": line}))
            .collect();
        Ok(json!({"total_matches": found.len(), "matches": found, "truncated": false}))
    }

    /// Where a copy or a move ends up, when nothing speaks against it.
    fn destination(&mut self, source: &str, pair: &Pair, dest: &str) -> Result<String, String> {
        let name = source.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("workspace");
        let target = if self.is_directory(dest) { beneath(dest, name) } else { dest.to_owned() };
        if target == source {
            return Err(format!("source and destination are the same: {}", pair.source));
        }
        let is_directory = self.is_directory(source);
        if is_directory && within(&target, source).is_some() {
            let words = "the destination lies inside the source directory";
            return Err(format!("{words}: {}", pair.source));
        }
        self.make_parents(
            &target,
            &if target == dest { pair.dest.clone() } else { target.clone() },
        )?;
        match (is_directory, self.0.get(&target)) {
            (true, Some(Some(_))) => Err(format!("destination exists as a file: {target}")),
            (false, Some(None)) => Err(format!("destination exists as a directory: {target}")),
            _ => Ok(target),
        }
    }

    /// What is at a path and below it, by the path from there.
    fn branch(&self, source: &str) -> Vec<(String, Node)> {
        let below = self
            .0
            .iter()
            .filter_map(|(at, node)| Some((within(at, source)?.to_owned(), node.clone())));
        let own = self.0.get(source).map(|node| (String::new(), node.clone()));
        own.into_iter().chain(below).collect()
    }

    fn plant(&mut self, target: &str, branch: Vec<(String, Node)>) {
        for (path, node) in branch {
            let at = if path.is_empty() { target.to_owned() } else { beneath(target, &path) };
            self.0.insert(at, node);
        }
    }

    fn copy(&mut self, pair: &Pair) -> Result<Option<Value>, String> {
        let (source, dest) = (clean(&pair.source)?, clean(&pair.dest)?);
        if !self.exists(&source) {
            return Err(format!("source file not found: {}", pair.source));
        }
        let before = self.clone();
        let target = self.destination(&source, pair, &dest)?;
        let branch = self.branch(&source);
        let clashes = branch.iter().any(|(path, node)| {
            let there = self.0.get(&beneath(&target, path));
            !path.is_empty() && there.is_some_and(|there| there.is_some() != node.is_some())
        });
        // How far a merge comes that meets a file where it has a directory depends on the order on the disk.
        if clashes || branch.len() > 200 {
            *self = before;
            return Ok(None);
        }
        let mut answer = json!({"source": pair.source, "destination": target, "is_directory": self.is_directory(&source)});
        if let Some(text) = self.file(&source) {
            answer["size"] = json!(text.len());
        }
        self.plant(&target, branch);
        Ok(Some(answer))
    }

    fn rename(&mut self, pair: &Pair) -> Outcome {
        let (source, dest) = (clean(&pair.source)?, clean(&pair.dest)?);
        if source.is_empty() {
            return Err("cannot move root directory".into());
        }
        if !self.exists(&source) {
            return Err(format!("source file not found: {}", pair.source));
        }
        let target = self.destination(&source, pair, &dest)?;
        if self.0.keys().any(|at| within(at, &target).is_some()) {
            return Err(format!("directory not empty: {}", pair.dest));
        }
        let branch = self.branch(&source);
        self.0.retain(|at, _| *at != source && within(at, &source).is_none());
        self.plant(&target, branch);
        Ok(json!({"source": pair.source, "destination": target}))
    }
}
