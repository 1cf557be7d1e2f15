//! What a call touched, gathered while it runs, for its audit record.

use serde_json::{Map, Value};

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
    /// How the code came to the place where a path was refused.
    pub backtrace: Option<String>,
}

impl Trail {
    /// The trail of a call that was refused before it went anywhere.
    pub fn of_arguments(arguments: &Map<String, Value>) -> Self {
        let mut trail = Self::default();
        trail.went_to("", arguments.get("path").and_then(Value::as_str).unwrap_or_default());
        trail
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
}
