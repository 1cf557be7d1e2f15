//! What a call touched, gathered while it runs, for its audit record.

use serde_json::Value;

use crate::args::Arguments;

/// Arguments that name a path, the one that matters most first.
const PATHS: [&str; 4] = ["path", "source_path", "source", "root_path"];
/// Further places that are noted: a call may name thousands.
const NOTED: usize = 16;

/// Root and path of a call: the first that was named.
#[derive(Debug, Default, Clone)]
pub struct Trail {
    /// The root.
    pub root: Option<String>,
    /// The path as the client gave it.
    pub path: Option<String>,
    /// Further places, such as the destination of a copy.
    pub others: Vec<String>,
    /// The path that the arguments name, known before anything is judged.
    pub asked: Option<String>,
    /// How the code came to the place where a path was refused.
    pub backtrace: Option<String>,
}

impl Trail {
    /// The trail of a call that has not gone anywhere yet.
    pub fn asking(arguments: &Arguments) -> Self {
        let asked = PATHS.iter().find_map(|name| arguments.get(*name)).and_then(Value::as_str);
        Self { asked: asked.map(str::to_owned), ..Self::default() }
    }

    /// Note a place.
    pub fn went_to(&mut self, root: &str, path: &str) {
        if self.path.is_none() {
            self.root = Some(root.to_owned());
            self.path = Some(path.to_owned());
        } else if self.others.len() < NOTED {
            self.others.push(format!("{root}:{path}"));
        }
    }

    /// The path it is about: the one it went to, else the one that was asked for.
    pub fn about(&self) -> &str {
        self.path.as_deref().or(self.asked.as_deref()).unwrap_or_default()
    }
}
