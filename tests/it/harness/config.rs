//! The configuration file, built up in a test and written as YAML.

use super::workspace::Workspace;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// A configuration. Roots without a path get a directory of the workspace.
#[derive(Clone, Default)]
pub struct Config {
    keys: Map<String, Value>,
    roots: Vec<Map<String, Value>>,
}

impl Config {
    /// Roots of these names that allow every tool.
    pub fn roots(names: &[&str]) -> Self {
        names.iter().fold(Self::default(), |config, name| config.root(name, &["*"]))
    }

    /// One more root, and the tools it allows.
    pub fn root(mut self, name: &str, allowed_tools: &[&str]) -> Self {
        let root = json!({"name": name, "allowed_tools": allowed_tools});
        self.roots.push(root.as_object().unwrap().clone());
        self
    }

    /// Set a key of the root added last; `null` takes it away.
    pub fn with(mut self, key: &str, value: Value) -> Self {
        let root = self.roots.last_mut().expect("a root");
        match value {
            Value::Null => drop(root.remove(key)),
            value => drop(root.insert(key.to_owned(), value)),
        }
        self
    }

    /// Set a key of the whole configuration.
    pub fn set(mut self, key: &str, value: Value) -> Self {
        self.keys.insert(key.to_owned(), value);
        self
    }

    /// The names of the roots, in order.
    pub fn names(&self) -> Vec<String> {
        self.roots.iter().map(|r| r["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Write the file next to the roots, making the directories it names.
    pub fn save(&self, workspace: &Workspace) -> PathBuf {
        workspace.all().write("config.yaml", self.yaml(workspace));
        workspace.all().path("config.yaml")
    }

    fn yaml(&self, workspace: &Workspace) -> String {
        let mut all = self.keys.clone();
        let roots = self.roots.iter().map(|root| Value::Object(at_its_place(root, workspace)));
        all.entry("roots").or_insert_with(|| roots.collect());
        let mut text = String::new();
        block(&Value::Object(all), 0, &mut text);
        text
    }
}

fn at_its_place(root: &Map<String, Value>, workspace: &Workspace) -> Map<String, Value> {
    let mut root = root.clone();
    if !root.contains_key("path") {
        let dir = workspace.root(root["name"].as_str().unwrap());
        root.insert("path".to_owned(), json!(dir.host()));
    }
    root
}

/// Block-style YAML; a scalar of JSON is a scalar of YAML.
fn block(value: &Value, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                *text += &format!("{indent}{key}:");
                nested(value, depth, text);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                *text += &format!("{indent}-");
                nested(item, depth, text);
            }
        }
        scalar => *text += &format!("{indent}{scalar}\n"),
    }
}

fn nested(value: &Value, depth: usize, text: &mut String) {
    let is_block = match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if is_block {
        text.push('\n');
        block(value, depth + 1, text);
    } else {
        *text += &format!(" {value}\n");
    }
}
