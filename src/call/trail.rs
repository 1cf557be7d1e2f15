//! What a call touched, gathered while it runs, for its audit record.

/// Root and path of a call: the first that was named.
#[derive(Debug, Default, Clone)]
pub struct Trail {
    /// The root.
    pub root: Option<String>,
    /// The path as the client gave it.
    pub path: Option<String>,
    /// Further places, such as the destination of a copy.
    pub others: Vec<String>,
}

impl Trail {
    /// Note a place.
    pub fn went_to(&mut self, root: &str, path: &str) {
        if self.path.is_none() {
            self.root = Some(root.to_owned());
            self.path = Some(path.to_owned());
        } else {
            self.others.push(format!("{root}:{path}"));
        }
    }
}
