//! The fence around the agent's files: which paths of the project may be spoken of, for every tool the same.

use std::sync::Arc;

use crate::error::{Error, Fenced, Manner};
use crate::limits::MAX_AGENT_PATH_BYTES;
use crate::sandbox::{PathArg, PathStyle, Place, RelativePath, Root};

/// The directories that are open when the operator names none.
pub const DEFAULT: [&str; 5] = ["docs/", "src/", "tests/", ".guide/", ".todo/"];

/// The open directories of a project; everything else is closed.
#[derive(Debug)]
pub struct AllowedPaths {
    project: Arc<Root>,
    allowed: Vec<RelativePath>,
    chosen_by: ChosenBy,
}

/// Who named the open directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChosenBy {
    Operator,
    Default,
}

/// A path on the agent's side that was judged and let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPath {
    /// From the project, clean.
    pub relative: RelativePath,
    /// From the top of the filesystem.
    pub absolute: String,
}

impl AgentPath {
    /// The relative path, for answers; `.` for the project itself.
    pub fn shown(&self) -> String {
        if self.relative.is_top() { ".".to_owned() } else { self.relative.shown() }
    }
}

impl AllowedPaths {
    /// The fence that the operator wrote, or the default one. A path outside the project is refused.
    pub fn new(project: Arc<Root>, written: Option<&[String]>) -> Result<Self, String> {
        let chosen_by = if written.is_some() { ChosenBy::Operator } else { ChosenBy::Default };
        let written = written.map_or_else(|| DEFAULT.map(str::to_owned).to_vec(), <[_]>::to_vec);
        let parsed = written.iter().map(|text| {
            let place = Place::new(&project, &PathArg::from(text.as_str()), PathStyle::Host);
            place.map(|place| place.path().clone()).map_err(|_| {
                format!("filesystem.allowed_paths: \"{text}\" is not inside the project directory")
            })
        });
        let allowed = parsed.collect::<Result<_, _>>()?;
        Ok(Self { project, allowed, chosen_by })
    }

    /// The open directories, relative to the project.
    pub fn shown(&self) -> Vec<String> {
        self.allowed.iter().map(shown).collect()
    }

    /// The directories that the operator named and that are not there (yet).
    pub fn missing(&self) -> Vec<String> {
        if self.chosen_by == ChosenBy::Default {
            return Vec::new();
        }
        let exists = |path: &RelativePath| {
            let text = PathArg::from(shown(path).as_str());
            Place::new(&self.project, &text, PathStyle::Host)
                .is_ok_and(|place| crate::sandbox::inspect(&place).is_ok())
        };
        self.allowed.iter().filter(|path| !exists(path)).map(shown).collect()
    }

    /// The path that `text` names, if the fence lets it through: by its name and, where it exists on our own disk,
    /// by where its links lead.
    pub fn judge(&self, text: &PathArg) -> Result<AgentPath, Error> {
        well_formed(text.shown())?;
        let place = Place::new(&self.project, text, PathStyle::Host)?;
        self.within(place.path(), text, Manner::Traversal)?;
        self.within(&place.resolved()?, text, Manner::Link)?;
        Ok(self.named(place.path().clone()))
    }

    /// The path `name` beneath `directory`, judged like any other.
    pub fn judge_beneath(&self, directory: &AgentPath, name: &str) -> Result<AgentPath, Error> {
        well_formed(name)?;
        let text = match name.starts_with('/') {
            true => name.to_owned(),
            false => format!("{}/{name}", directory.shown()),
        };
        let path = self.judge(&PathArg::from(text.as_str()))?;
        if path.relative.is_within(&directory.relative) && path != *directory {
            return Ok(path);
        }
        Err(Error::Fenced(Fenced {
            path: name.to_owned(),
            allowed: vec![directory.shown()],
            manner: Manner::Traversal,
        }))
    }

    /// A clean path that was judged before, with its name from the top.
    pub fn named(&self, relative: RelativePath) -> AgentPath {
        let absolute = self.project.host_path().join(relative.as_path());
        let absolute = if relative.is_top() { self.project.host_path() } else { &absolute };
        AgentPath { absolute: absolute.to_string_lossy().into_owned(), relative }
    }

    fn within(&self, path: &RelativePath, text: &PathArg, manner: Manner) -> Result<(), Error> {
        if self.allowed.iter().any(|allowed| path.is_within(allowed)) {
            return Ok(());
        }
        let path = text.shown().to_owned();
        Err(Error::Fenced(Fenced { path, allowed: self.shown(), manner }))
    }
}

fn shown(path: &RelativePath) -> String {
    if path.is_top() { ".".to_owned() } else { path.shown() }
}

fn well_formed(text: &str) -> Result<(), Error> {
    let reason = if text.is_empty() {
        "it is empty".to_owned()
    } else if text.len() > MAX_AGENT_PATH_BYTES {
        format!("it has {} bytes", text.len())
    } else if let Some(control) = text.chars().find(|c| c.is_control()) {
        format!("it contains the control character U+{:04X}", control as u32)
    } else {
        return Ok(());
    };
    Err(Error::PathFormat { reason })
}
