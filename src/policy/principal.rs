//! Who calls, and how much of the roots and tools is theirs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use super::Narrowing;
use crate::error::Error;
use crate::sandbox::Root;

/// How tokens name the one directory of the toolsets that name no roots.
pub const HOME: &str = ".";

/// A caller, as the transport made sure of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    name: String,
    /// Who vouches for the name: nobody else's names are the same ones.
    realm: String,
    reach: Reach,
    /// What the client's own roots leave of it.
    narrowing: Arc<Narrowing>,
    /// When what proved the name runs out.
    until: Option<SystemTime>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Reach {
    Everything,
    Granted(Vec<Grant>),
}

/// Some roots, and some tools on them; `None` means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant {
    /// Names of roots.
    pub roots: Option<BTreeSet<String>>,
    /// Names of tools, without prefix.
    pub tools: Option<BTreeSet<String>>,
}

impl Grant {
    fn covers_root(&self, root: &str) -> bool {
        self.roots.as_ref().is_none_or(|roots| roots.contains(root))
    }

    fn covers_tool(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.contains(tool))
    }
}

impl Principal {
    /// Whoever reached a server that asks for no name: all that the roots allow.
    pub fn anyone() -> Self {
        Self::with_reach(String::new(), Reach::Everything)
    }

    /// A named caller with the sum of these grants. What one grant says of its roots holds for no other's.
    pub fn new(name: impl Into<String>, grants: Vec<Grant>) -> Self {
        Self::with_reach(name.into(), Reach::Granted(grants))
    }

    fn with_reach(name: String, reach: Reach) -> Self {
        Self { name, realm: String::new(), reach, narrowing: Arc::default(), until: None }
    }

    /// The same caller, with what its own roots leave.
    pub fn narrowed(self, narrowing: Arc<Narrowing>) -> Self {
        Self { narrowing, ..self }
    }

    /// The same caller, known until then.
    pub fn until(self, until: Option<SystemTime>) -> Self {
        Self { until, ..self }
    }

    /// When this caller is known no more; `None` for never.
    pub fn ends(&self) -> Option<SystemTime> {
        self.until
    }

    /// The same caller, known by that name to `realm`.
    pub fn of_realm(self, realm: &str) -> Self {
        Self { realm: realm.to_owned(), ..self }
    }

    /// A caller to whom nothing is granted.
    pub fn nobody() -> Self {
        Self::new("nobody", Vec::new())
    }

    /// The name for the log; empty for anyone.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What tells this caller from every other: the name alone would not.
    pub fn key(&self) -> String {
        if self.realm.is_empty() {
            self.name.clone()
        } else {
            format!("{}\n{}", self.realm, self.name)
        }
    }

    /// Whether the server asked who this is.
    pub fn is_known(&self) -> bool {
        !self.name.is_empty()
    }

    /// Whether the root is there at all for this caller.
    pub fn sees(&self, root: &str) -> bool {
        self.any(|grant| grant.covers_root(root))
    }

    /// Whether anything of the root is left by the client's own roots, too.
    pub fn reaches(&self, root: &str) -> bool {
        self.sees(root) && self.narrowing.sees(root)
    }

    /// The root as far as the client's own roots leave it.
    pub fn view(&self, root: &Arc<Root>) -> Result<Arc<Root>, Error> {
        self.narrowing.view(root)
    }

    /// Whether this caller may use `tool` on `root`, as far as the caller is concerned.
    pub fn may_use(&self, root: &str, tool: &str) -> bool {
        self.any(|grant| grant.covers_root(root) && grant.covers_tool(tool))
    }

    fn any(&self, fits: impl Fn(&Grant) -> bool) -> bool {
        match &self.reach {
            Reach::Everything => true,
            Reach::Granted(grants) => grants.iter().any(fits),
        }
    }
}
