//! Who may do what where: named roots, the tools each allows, and what is read-only.

mod rates;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::Error;
use crate::sandbox::Root;
pub use rates::{Enforced, Quota, Rates};

/// The tools an allowlist can name.
pub const TOOL_NAMES: [&str; 14] = [
    "list_folder",
    "read_file",
    "write_file",
    "remove_file",
    "patch_file",
    "create_folder",
    "remove_folder",
    "stat_file",
    "hash_file",
    "permissions_file",
    "copy",
    "move",
    "grep",
    "glob",
];

/// Where a project keeps its guide documents.
const DOCUMENTS: &str = ".guide";

/// What a tool does to a root that one of its arguments names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Looks.
    Read,
    /// Changes.
    Change,
}

/// What a tool does in the one directory of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtHome {
    /// The names of an allowlist that permit it; one of them will do.
    pub grants: &'static [&'static str],
    /// What it does there.
    pub access: Access,
}

/// A root with the operator's rules for it.
#[derive(Debug)]
pub struct Granted {
    root: Arc<Root>,
    allowed: BTreeSet<String>,
    read_only: bool,
}

impl Granted {
    /// `root` under these rules.
    pub fn new(root: Root, allowed: BTreeSet<String>, read_only: bool) -> Self {
        Self { root: Arc::new(root), allowed, read_only }
    }

    /// The root.
    pub fn root(&self) -> &Arc<Root> {
        &self.root
    }

    /// The tools that may be used here, sorted.
    pub fn allowed(&self) -> impl Iterator<Item = &str> {
        self.allowed
            .iter()
            .map(String::as_str)
            .filter(|tool| !self.read_only || !only_changes(tool))
    }

    fn permits(&self, tool: &str, access: Access) -> Result<(), Error> {
        self.permits_as(tool, &[tool], access)
    }

    /// Whether one of the names in `grants` permits `tool` here.
    fn permits_as(&self, tool: &str, grants: &[&str], access: Access) -> Result<(), Error> {
        let allowed = grants.iter().any(|grant| self.allowed.contains(*grant));
        let because = match (allowed, self.read_only && access == Access::Change) {
            (true, false) => return Ok(()),
            (_, true) => Some("the root is read-only"),
            _ => None,
        };
        Err(Error::ToolNotAllowed {
            tool: tool.to_owned(),
            root: self.root.name().to_owned(),
            because,
        })
    }
}

/// Tools that can change a root.
fn changes(tool: &str) -> bool {
    tool == "copy" || only_changes(tool)
}

/// Tools that a read-only root has no use for; `copy` still reads from it.
fn only_changes(tool: &str) -> bool {
    matches!(
        tool,
        "write_file" | "remove_file" | "patch_file" | "create_folder" | "remove_folder" | "move"
    )
}

/// All roots of the server.
#[derive(Debug, Default)]
pub struct Policy {
    roots: Vec<Granted>,
    home: Option<Granted>,
    documents: Option<Arc<Root>>,
}

impl Policy {
    /// These named roots, and the one directory that has no name for clients.
    pub fn new(mut roots: Vec<Granted>, home: Option<Granted>) -> Self {
        roots.sort_by(|a, b| a.root.name().cmp(b.root.name()));
        Self { roots, home, documents: None }
    }

    /// The same, with the guide documents in a directory of their own.
    pub fn with_documents(self, documents: Option<Arc<Root>>) -> Self {
        Self { documents, ..self }
    }

    /// Where the guide documents are: a root, and the directory in it.
    pub fn documents(&self) -> Result<(&Arc<Root>, &'static str), Error> {
        match &self.documents {
            Some(root) => Ok((root, "")),
            None => Ok((self.home()?.root(), DOCUMENTS)),
        }
    }

    /// The one directory of the toolsets that name no roots.
    pub fn home(&self) -> Result<&Granted, Error> {
        self.home.as_ref().ok_or_else(|| Error::Internal("the server has no directory".into()))
    }

    /// The one directory, if one of the names in `grants` permits `tool` this access to it.
    pub fn admit_home(
        &self,
        tool: &str,
        grants: &[&str],
        access: Access,
    ) -> Result<&Granted, Error> {
        let home = self.home()?;
        home.permits_as(tool, grants, access)?;
        Ok(home)
    }

    /// The roots, sorted by name.
    pub fn roots(&self) -> &[Granted] {
        &self.roots
    }

    /// The root `name`, if `tool` may have this access to it.
    pub fn admit(&self, name: &str, tool: &str, access: Access) -> Result<&Granted, Error> {
        let granted = self.roots.iter().find(|granted| granted.root.name() == name);
        let granted = granted.ok_or_else(|| Error::UnknownRoot {
            name: name.to_owned(),
            known: self.roots.iter().map(|granted| granted.root.name().to_owned()).collect(),
        })?;
        granted.permits(tool, access)?;
        Ok(granted)
    }

    /// The directories in which something may be changed.
    pub fn changeable(&self) -> impl Iterator<Item = &Arc<Root>> {
        let all = self.roots.iter().chain(&self.home);
        all.filter(|granted| !granted.read_only && granted.allowed().any(changes))
            .map(|granted| &granted.root)
    }

    /// Whether any root allows `tool`.
    pub fn allows_somewhere(&self, tool: &str) -> bool {
        self.roots.iter().any(|granted| granted.allowed().any(|allowed| allowed == tool))
    }
}
