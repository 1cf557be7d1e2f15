//! Who may do what where: named roots, the tools each allows, what is read-only, and who asks.

mod allowed_paths;
mod narrowing;
mod principal;
mod rates;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::Error;
use crate::sandbox::Root;
pub use allowed_paths::{AgentPath, AllowedPaths};
pub use narrowing::Narrowing;
pub use principal::{Grant, HOME, Principal};
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

    /// The tools that `principal` may use here, sorted.
    pub fn allowed_for(&self, principal: &Principal) -> impl Iterator<Item = &str> {
        self.allowed().filter(|tool| principal.may_use(self.root.name(), tool))
    }

    /// What may be done here at all.
    pub fn access(&self) -> Access {
        if self.is_changeable() { Access::Change } else { Access::Read }
    }

    fn is_changeable(&self) -> bool {
        !self.read_only && self.allowed().any(changes)
    }

    /// Whether one of the names in `grants` permits `tool` here, as far as the operator's rules go.
    fn permits(&self, tool: &str, grants: &[&str], access: Access) -> Result<(), Error> {
        let allowed = grants.iter().any(|grant| self.allowed.contains(*grant));
        let because = match (allowed, self.read_only && access == Access::Change) {
            (true, false) => return Ok(()),
            (_, true) => Some("the root is read-only"),
            _ => None,
        };
        Err(not_allowed(tool, self.root.name(), because))
    }
}

/// Why a caller may not do what others may.
const BY_TOKEN: &str = "the access token does not allow it";

fn not_allowed(tool: &str, root: &str, because: Option<&'static str>) -> Error {
    Error::ToolNotAllowed { tool: tool.to_owned(), root: root.to_owned(), because }
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
    allowed_paths: Option<AllowedPaths>,
}

impl Policy {
    /// These named roots, and the one directory that has no name for clients.
    pub fn new(mut roots: Vec<Granted>, home: Option<Granted>) -> Self {
        roots.sort_by(|a, b| a.root.name().cmp(b.root.name()));
        Self { roots, home, documents: None, allowed_paths: None }
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

    /// The same, with a fence around the agent's files.
    pub fn fenced(self, allowed_paths: AllowedPaths) -> Self {
        Self { allowed_paths: Some(allowed_paths), ..self }
    }

    /// The fence around the agent's files.
    pub fn allowed_paths(&self) -> Result<&AllowedPaths, Error> {
        self.allowed_paths.as_ref().ok_or_else(|| Error::Internal("there is no fence".into()))
    }

    /// The one directory of the toolsets that name no roots.
    pub fn home(&self) -> Result<&Granted, Error> {
        self.home.as_ref().ok_or_else(|| Error::Internal("the server has no directory".into()))
    }

    /// The roots, sorted by name.
    pub fn roots(&self) -> &[Granted] {
        &self.roots
    }

    /// The roots that are there for `principal`, sorted by name.
    pub fn roots_of(&self, principal: &Principal) -> impl Iterator<Item = &Granted> {
        self.roots.iter().filter(|granted| principal.reaches(granted.root.name()))
    }

    /// The root `name`, if `principal` may give `tool` this access to it. A root that is not for this caller is
    /// as unknown as one that does not exist.
    pub fn admit(
        &self,
        principal: &Principal,
        name: &str,
        tool: &str,
        access: Access,
    ) -> Result<&Granted, Error> {
        let mut roots = self.roots.iter().filter(|granted| principal.sees(granted.root.name()));
        let granted = roots.find(|granted| granted.root.name() == name);
        let granted = granted.ok_or_else(|| Error::UnknownRoot {
            name: name.to_owned(),
            known: self.roots_of(principal).map(|known| known.root.name().to_owned()).collect(),
        })?;
        granted.permits(tool, &[tool], access)?;
        match principal.may_use(name, tool) {
            true => Ok(granted),
            false => Err(not_allowed(tool, name, Some(BY_TOKEN))),
        }
    }

    /// The one directory, if one of the names in `grants` permits `tool` this access to it for `principal`.
    pub fn admit_home(
        &self,
        principal: &Principal,
        tool: &str,
        grants: &[&str],
        access: Access,
    ) -> Result<&Granted, Error> {
        self.admit_caller(principal, tool, grants)?;
        let home = self.home()?;
        home.permits(tool, grants, access)?;
        Ok(home)
    }

    /// `Err` unless `principal` may use a `tool` of the toolsets that name no roots, by its own name or one of `grants`.
    pub fn admit_caller(
        &self,
        principal: &Principal,
        tool: &str,
        grants: &[&str],
    ) -> Result<(), Error> {
        let mut names = std::iter::once(&tool).chain(grants);
        match names.any(|name| principal.may_use(HOME, name)) {
            true => Ok(()),
            false => Err(not_allowed(tool, HOME, Some(BY_TOKEN))),
        }
    }

    /// Every directory that is served, and whether anything in it may be changed.
    pub fn grounds(&self) -> impl Iterator<Item = (&Arc<Root>, Access)> {
        let all = self.roots.iter().chain(&self.home);
        let all = all.map(|granted| {
            let access = if granted.is_changeable() { Access::Change } else { Access::Read };
            (&granted.root, access)
        });
        all.chain(self.documents.iter().map(|root| (root, Access::Change)))
    }

    /// The directories in which something may be changed.
    pub fn changeable(&self) -> impl Iterator<Item = &Arc<Root>> {
        self.grounds().filter(|(_, access)| *access == Access::Change).map(|(root, _)| root)
    }

    /// Whether any root allows `tool` to `principal`.
    pub fn allows_somewhere(&self, tool: &str, principal: &Principal) -> bool {
        let mut roots = self.roots_of(principal);
        roots.any(|granted| granted.allowed_for(principal).any(|allowed| allowed == tool))
    }
}
