//! Gathering documents: by pattern, each once, in the order they were asked for, within the size of an answer.

use std::collections::HashSet;

use super::catalog::Category;
use crate::args::pattern::PathPattern;
use crate::call::Cx;
use crate::error::Error;
use crate::limits::{MAX_DOCUMENT_DEPTH, MAX_DOCUMENTS};
use crate::ops::near::near;
use crate::sandbox::{self, Entry, Flow, Kind, Place, RelativePath, Tree, WalkOptions};

/// Documents in order, and what was left out.
#[derive(Debug)]
pub struct Gathered {
    documents: Vec<(String, String)>,
    left_out: Vec<String>,
    warnings: Vec<String>,
    seen: HashSet<RelativePath>,
    near: Vec<String>,
    room: usize,
    limit: usize,
}

/// A document of a category that was not read yet.
struct Candidate {
    path: RelativePath,
    /// Where it really is: the same document under two names is given once.
    real: RelativePath,
}

impl Gathered {
    /// Nothing yet; `room` bytes of an answer.
    pub fn new(room: usize) -> Self {
        let (documents, left_out, warnings, near) = Default::default();
        Self { documents, left_out, warnings, near, seen: HashSet::new(), room, limit: room }
    }

    /// Add what `category` has for its patterns.
    pub fn add(&mut self, category: &Category, cx: &Cx) -> Result<(), Error> {
        let place = cx.document(&category.directory)?;
        let candidates = match Tree::open(&place) {
            Ok(tree) => candidates(&tree, &place, cx)?,
            // A category of the configuration whose directory is not there yet.
            Err(Error::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        for pattern in &category.patterns {
            self.add_matching(pattern, &candidates, category, &place)?;
        }
        Ok(())
    }

    fn add_matching(
        &mut self,
        pattern: &str,
        candidates: &[Candidate],
        category: &Category,
        place: &Place,
    ) -> Result<(), Error> {
        let matching = matching(pattern, candidates)?;
        if matching.is_empty() {
            let names = candidates.iter().map(|candidate| candidate.path.shown());
            let near = near(pattern, names).into_iter();
            self.near.extend(near.map(|name| format!("{}/{name}", category.name)));
        }
        if matching.len() > MAX_DOCUMENTS {
            self.warnings.push(format!(
                "{}/{pattern} matches {} documents; only the first {MAX_DOCUMENTS} are given",
                category.name,
                matching.len()
            ));
        }
        for candidate in matching.into_iter().take(MAX_DOCUMENTS) {
            if self.seen.insert(candidate.real.clone()) {
                let label = format!("{}/{}", category.name, candidate.path.shown());
                self.take(label, &place.entry(candidate.path.as_path().as_os_str()));
            }
        }
        Ok(())
    }

    /// Read one document; what can not be given is told.
    fn take(&mut self, label: String, place: &Place) {
        match read(place, self.limit) {
            Ok(text) => self.put(label, text),
            Err(Error::TooLarge { .. }) => self.left_out.push(label),
            Err(error) => self.warnings.push(format!("{label} was passed over: {error}")),
        }
    }

    fn put(&mut self, label: String, text: String) {
        let weight = serde_json::Value::from(text.as_str()).to_string().len() + label.len();
        if weight > self.room {
            self.left_out.push(label);
        } else {
            self.room -= weight;
            self.documents.push((label, text));
        }
    }

    /// One document as it is; several each under its name. `None` when there is none.
    pub fn text(&self) -> Result<Option<String>, Error> {
        match (self.documents.as_slice(), self.left_out.as_slice()) {
            ([], []) => Ok(None),
            ([], left_out) => Err(Error::Refused(format!(
                "document too large for one answer (the limit is {} bytes): {}",
                self.limit,
                left_out.join(", ")
            ))),
            ([(_, text)], []) => Ok(Some(text.clone())),
            (several, _) => {
                let sections =
                    several.iter().map(|(label, text)| format!("--- {label} ---\n{text}"));
                Ok(Some(sections.collect::<Vec<_>>().join("\n")))
            }
        }
    }

    /// Documents that may be meant by patterns that nothing fits.
    pub fn near(&self) -> &[String] {
        &self.near
    }

    /// What was left out and why.
    pub fn warnings(mut self) -> Vec<String> {
        if !self.left_out.is_empty() {
            self.warnings.push(format!(
                "these documents do not fit into one answer, ask for them one by one: {}",
                self.left_out.join(", ")
            ));
        }
        self.warnings
    }
}

fn read(place: &Place, limit: usize) -> Result<String, Error> {
    let bytes = sandbox::open_regular(place)?.read_whole(limit as u64)?;
    String::from_utf8(bytes).map_err(|_| Error::Refused("it is not UTF-8 text".into()))
}

/// Every document beneath the directory of a category, in the order of the paths.
fn candidates(tree: &Tree, place: &Place, cx: &Cx) -> Result<Vec<Candidate>, Error> {
    let options = WalkOptions {
        max_depth: Some(MAX_DOCUMENT_DEPTH),
        skip_hidden: true,
        ..WalkOptions::default()
    };
    let home = place.resolved()?;
    let mut found = Vec::new();
    let report = sandbox::walk(tree, &options, cx.control(), |entry| {
        found.extend(candidate(entry, place, &home));
        Flow::Continue
    });
    report.halted.map_or(Ok(found), |halt| Err(halt.into()))
}

/// A file, or a link to one that stays within the category.
fn candidate(entry: Entry, place: &Place, home: &RelativePath) -> Option<Candidate> {
    if entry.path.names().any(|name| name.as_encoded_bytes().starts_with(b"__")) {
        return None;
    }
    let real = match entry.kind {
        Kind::File => home.append(&entry.path),
        Kind::Symlink => linked(&place.entry(entry.path.as_path().as_os_str()), home)?,
        _ => return None,
    };
    Some(Candidate { path: entry.path, real })
}

fn linked(link: &Place, home: &RelativePath) -> Option<RelativePath> {
    let real = link.resolved().ok().filter(|real| real.is_within(home))?;
    let is_file = sandbox::inspect(link).is_ok_and(|metadata| metadata.kind == Kind::File);
    is_file.then_some(real)
}

/// What `pattern` names: as written, then with any extension.
fn matching<'a>(pattern: &str, candidates: &'a [Candidate]) -> Result<Vec<&'a Candidate>, Error> {
    let exact = PathPattern::exactly_one(Some(pattern), None)?;
    let extended = PathPattern::exactly_one(Some(&format!("{pattern}.*")), None)?;
    let (mut first, rest): (Vec<&Candidate>, Vec<&Candidate>) =
        candidates.iter().partition(|candidate| exact.fits(&candidate.path));
    first.extend(rest.into_iter().filter(|candidate| extended.fits(&candidate.path)));
    Ok(first)
}
