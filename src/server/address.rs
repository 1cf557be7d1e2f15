//! Addresses of files: `mcpfs://ROOT/PATH`, with percent signs where a URI needs them. They tell nothing of the host.

const SCHEME: &str = "mcpfs://";

/// A file or directory as a resource names it. The one directory of the server is the root without a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) root: String,
    /// From the root; empty for the root itself.
    pub(super) path: String,
}

impl Address {
    pub(super) fn new(root: &str, path: &str) -> Self {
        Self { root: root.to_owned(), path: path.to_owned() }
    }

    /// The address that `uri` spells, if it is one of ours.
    pub(super) fn parse(uri: &str) -> Option<Self> {
        let rest = uri.strip_prefix(SCHEME)?;
        let (root, path) = rest.split_once('/').unwrap_or((rest, ""));
        Some(Self { root: decoded(root)?, path: decoded(path)? })
    }

    pub(super) fn uri(&self) -> String {
        let (root, path) = (encoded(&self.root), encoded(&self.path));
        let slash = if path.is_empty() && !root.is_empty() { "" } else { "/" };
        format!("{SCHEME}{root}{slash}{path}")
    }

    /// The path for the sandbox.
    pub(super) fn place(&self) -> &str {
        if self.path.is_empty() { "." } else { &self.path }
    }

    /// The last name, for people.
    pub(super) fn name(&self) -> &str {
        let last = self.path.rsplit('/').next().unwrap_or_default();
        match (last, self.root.as_str()) {
            ("", "") => ".",
            ("", root) => root,
            (name, _) => name,
        }
    }

    /// An entry of this directory.
    pub(super) fn entry(&self, name: &str) -> Self {
        let path = if self.path.is_empty() { name.into() } else { format!("{}/{name}", self.path) };
        Self { root: self.root.clone(), path }
    }
}

/// Text with percent signs for all that means something in a URI.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into());
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// Text without its percent signs.
pub(super) fn decoded(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(piece.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_comes_back_as_it_went() {
        for (root, path, uri) in [
            ("workspace", "src/main.rs", "mcpfs://workspace/src/main.rs"),
            ("workspace", "", "mcpfs://workspace"),
            ("", "", "mcpfs:///"),
            ("", "a b/100%.txt", "mcpfs:///a%20b/100%25.txt"),
            ("ö", "ü?#.md", "mcpfs://%C3%B6/%C3%BC%3F%23.md"),
        ] {
            let address = Address::new(root, path);
            assert_eq!(address.uri(), uri);
            assert_eq!(Address::parse(uri), Some(address));
        }
        assert_eq!(Address::parse("file:///etc/passwd"), None);
        assert_eq!(Address::parse("mcpfs://a/%zz"), None);
    }
}
