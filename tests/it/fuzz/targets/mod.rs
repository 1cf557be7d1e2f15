//! What must hold for any input: one function per target, which panics when it does not.

mod patches;
mod paths;
mod patterns;
mod texts;

/// A property of any input.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const ALL: [(&str, Target); 10] = [
    ("path", paths::path),
    ("patch", patches::patch),
    ("patch-there-and-back", patches::there_and_back),
    ("glob", patterns::glob),
    ("regex", patterns::regex),
    ("expression", texts::expression),
    ("config", texts::config),
    ("arguments", texts::arguments),
    ("token", texts::token),
    ("key-set", texts::key_set),
];

/// The input as two texts, parted by the first line that is only `%`.
fn two_texts(data: &[u8]) -> (String, String) {
    let text = String::from_utf8_lossy(data);
    let (first, second) = text.split_once("\n%\n").unwrap_or((&text, ""));
    (first.to_owned(), second.to_owned())
}
