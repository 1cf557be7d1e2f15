//! The one table of tools: which are served, under which names.

use std::collections::BTreeMap;

use super::{Definition, Toolset, resources};

/// A toolset to serve, and the prefix its names get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Which.
    pub toolset: Toolset,
    /// `fs` makes `copy` into `fs_copy`; empty for none.
    pub prefix: String,
    /// Whether the tools that only show how tools are made are served.
    pub examples: Examples,
}

/// Whether to serve example tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Examples {
    /// They are not there.
    #[default]
    LeftOut,
    /// They are listed and can be called.
    Included,
}

/// A tool that is served.
pub struct Registered {
    /// Its name for clients.
    pub name: String,
    /// Whose it is.
    pub toolset: Toolset,
    /// What it is.
    pub definition: Definition,
}

/// The tools that are served, in the order of the toolsets and their references.
#[derive(Default)]
pub struct Registry {
    tools: Vec<Registered>,
    by_name: BTreeMap<String, usize>,
    inner: BTreeMap<String, Registered>,
}

impl Registry {
    /// The tools of these toolsets; two of one name are refused.
    pub fn new(selections: &[Selection]) -> Result<Self, String> {
        let mut registry = Self::default();
        for selection in selections {
            for definition in selection.toolset.tools(selection.examples) {
                registry.add(selection, definition)?;
            }
            registry.add_inner(selection.toolset);
        }
        Ok(registry)
    }

    /// The same with one more tool, under its own name.
    pub fn with(mut self, toolset: Toolset, definition: Definition) -> Result<Self, String> {
        let examples = Examples::LeftOut;
        self.add(&Selection { toolset, prefix: String::new(), examples }, definition)?;
        Ok(self)
    }

    fn add(&mut self, selection: &Selection, definition: Definition) -> Result<(), String> {
        let prefix = definition.prefix.unwrap_or(&selection.prefix);
        let name = decorated(prefix, definition.name);
        let toolset = selection.toolset;
        if let Some(other) = self.get(&name) {
            return Err(clash(&name, other.toolset, toolset));
        }
        self.by_name.insert(name.clone(), self.tools.len());
        self.tools.push(Registered { name, toolset, definition });
        Ok(())
    }

    /// What stands behind the resources of a toolset.
    fn add_inner(&mut self, toolset: Toolset) {
        for (operation, definition) in resources::operations(toolset) {
            let name = inner_name(toolset, operation);
            self.inner.insert(name.clone(), Registered { name, toolset, definition });
        }
    }

    /// The tool or the inner operation `name`.
    pub fn find(&self, name: &str) -> Option<&Registered> {
        self.get(name).or_else(|| self.inner.get(name))
    }

    /// Whether files of this toolset are resources.
    pub fn has_resources(&self, toolset: Toolset) -> bool {
        self.inner.contains_key(&inner_name(toolset, resources::READ))
    }

    /// The tool that clients call `name`.
    pub fn get(&self, name: &str) -> Option<&Registered> {
        self.by_name.get(name).and_then(|at| self.tools.get(*at))
    }

    /// The name that clients use for the tool `name` of `toolset`.
    pub fn name_of(&self, toolset: Toolset, name: &str) -> Option<&str> {
        let found =
            self.tools.iter().find(|tool| tool.toolset == toolset && tool.definition.name == name);
        found.map(|tool| tool.name.as_str())
    }

    /// All tools.
    pub fn tools(&self) -> &[Registered] {
        &self.tools
    }
}

/// The name of an operation that no client calls: no tool can be named so.
pub(crate) fn inner_name(toolset: Toolset, operation: &str) -> String {
    format!("{}:{operation}", toolset.name())
}

fn decorated(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}_{name}") }
}

fn clash(name: &str, first: Toolset, second: Toolset) -> String {
    format!(
        "two tools are named {name}: one of toolset {} and one of toolset {}; give one a prefix, for example --toolset {},{}:fs or in the configuration `toolsets: [{}, {{name: {}, prefix: fs}}]`",
        first.name(),
        second.name(),
        first.name(),
        second.name(),
        first.name(),
        second.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_with(prefix: &str, own: Option<&'static str>) -> String {
        let mut registry = Registry::default();
        let definition = Toolset::Roots.tools(Examples::LeftOut).remove(0);
        let selection = Selection {
            toolset: Toolset::Roots,
            prefix: prefix.into(),
            examples: Examples::LeftOut,
        };
        registry.add(&selection, Definition { prefix: own, ..definition }).unwrap();
        registry.tools()[0].name.clone()
    }

    /// Ledger: E-016, E-017
    #[test]
    fn e_017_a_tool_may_have_a_prefix_of_its_own() {
        assert_eq!(name_with("", None), "list_roots");
        assert_eq!(name_with("guide", None), "guide_list_roots");
        assert_eq!(name_with("guide", Some("x")), "x_list_roots");
        assert_eq!(name_with("guide", Some("")), "list_roots");
    }
}
