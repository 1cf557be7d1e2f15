//! The configuration file as text: what is wrong with it is told by line and key, and in words.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::config::Config;
use crate::ops::near::{near, question};
use crate::sandbox::own;

/// The file and what is in it.
pub(super) struct Written {
    path: PathBuf,
    text: String,
}

impl Written {
    /// Read it.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = own::read_text(path).map_err(|error| {
            let hint = unexpanded(path);
            format!("cannot read the configuration {}: {error}{hint}", path.display())
        })?;
        Ok(Self { path: path.to_owned(), text })
    }

    /// The same for a text that is in no file.
    pub(super) fn of(text: &str) -> Self {
        Self { path: PathBuf::new(), text: text.to_owned() }
    }

    /// Its keys and values.
    pub(super) fn config(&self) -> Result<Config, String> {
        serde_yaml_ng::from_str(&self.text).map_err(|error| self.explain(&error))
    }

    /// The sentence about `value`, which is on a line of its own or in a list, for the `nth` time from 0.
    pub(super) fn blame(&self, value: &str, nth: usize, sentence: impl Display) -> String {
        let lines = (1..).zip(self.text.lines());
        let mut found = lines.filter(|(_, line)| has_word(line, value));
        let line = found.nth(nth).map(|(number, _)| number);
        self.told(line, sentence)
    }

    fn told(&self, line: Option<usize>, sentence: impl Display) -> String {
        let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
        format!("invalid configuration {}{line}: {sentence}", self.path.display())
    }

    fn explain(&self, error: &serde_yaml_ng::Error) -> String {
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        let line = error.location().map(|location| location.line());
        let Some((key, fault)) = Fault::find(text) else {
            return self.told(line, syntax(&self.text, text));
        };
        let key = if key.is_empty() { String::new() } else { format!("{key}: ") };
        let line = fault.twice().and_then(|name| self.second(name, line)).or(line);
        self.told(line, format!("{key}{}", fault.words()))
    }

    /// The line with `name` for the second time, from line `from` on.
    fn second(&self, name: &str, from: Option<usize>) -> Option<usize> {
        let is_key = |line: &str| {
            let key = line.trim_start_matches([' ', '-']).strip_prefix(name);
            key.is_some_and(|rest| rest.trim_start().starts_with(':'))
        };
        let lines = (1..).zip(self.text.lines()).skip(from.unwrap_or(1).saturating_sub(1));
        lines.filter(|(_, line)| is_key(line)).nth(1).map(|(number, _)| number)
    }
}

/// A hint for a path that a shell would have understood.
pub(super) fn unexpanded(path: &Path) -> &'static str {
    match path.starts_with("~") {
        true => "; ~ is not expanded here: write the whole path",
        false => "",
    }
}

/// `name` is no word of `known`: the near ones, if there are any.
pub(super) fn meant(name: &str, known: &[&str]) -> String {
    question(&near(name, known)).map(|question| format!(" ({question})")).unwrap_or_default()
}

/// Whether `line` has `value` with nothing of a word around it.
fn has_word(line: &str, value: &str) -> bool {
    if value.is_empty() {
        return false;
    }
    let inside = |c: char| c.is_alphanumeric() || "_-/.~".contains(c);
    line.match_indices(value).any(|(at, _)| {
        !line[..at].ends_with(inside) && !line[at + value.len()..].starts_with(inside)
    })
}

/// What the parser of YAML itself says.
fn syntax(text: &str, message: &str) -> String {
    match text.lines().any(|line| line.starts_with('\t')) {
        true => "a line begins with a tab: indent with spaces".to_owned(),
        false => message.to_owned(),
    }
}

/// One thing that does not fit, cut out of the library's words.
enum Fault<'a> {
    Type { got: &'a str, expected: &'a str },
    UnknownKey { name: &'a str, known: Vec<&'a str> },
    UnknownChoice { name: &'a str, known: Vec<&'a str> },
    Missing(&'a str),
    Twice(&'a str),
}

impl<'a> Fault<'a> {
    /// The key that it is about, and what is wrong there.
    fn find(text: &'a str) -> Option<(&'a str, Self)> {
        let starts = ["invalid ", "unknown ", "missing ", "duplicate "];
        let starts = starts.iter().filter_map(|start| text.find(start));
        let at = starts.min()?;
        Some((text[..at].trim_end_matches(": "), Self::of(&text[at..])?))
    }

    fn of(words: &'a str) -> Option<Self> {
        let (what, rest) = words.split_once(", expected ").unwrap_or((words, ""));
        let quoted = || what.split('`').nth(1).unwrap_or_default();
        let listed = || rest.split('`').skip(1).step_by(2).collect();
        Some(match what.split(' ').take(2).collect::<Vec<_>>()[..] {
            ["invalid", "type:" | "value:"] => {
                Self::Type { got: what.split_once(": ")?.1, expected: rest }
            }
            ["unknown", "field"] => Self::UnknownKey { name: quoted(), known: listed() },
            ["unknown", "variant"] => Self::UnknownChoice { name: quoted(), known: listed() },
            ["missing", _] => Self::Missing(quoted()),
            ["duplicate", _] => Self::Twice(quoted()),
            _ => return None,
        })
    }

    fn twice(&self) -> Option<&'a str> {
        match self {
            Self::Twice(name) => Some(name),
            _ => None,
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Type { got, expected } => {
                format!("expected {}, got {}", kind(expected), given(got))
            }
            Self::UnknownKey { name, known } => {
                format!(
                    "unknown key {name}{}; known keys: {}",
                    meant(name, known),
                    known.join(", ")
                )
            }
            Self::UnknownChoice { name, known } => {
                format!("expected {}, got {name}", known.join(" or "))
            }
            Self::Missing(name) => format!("{name} is missing"),
            Self::Twice(name) => format!("{name} is there twice"),
        }
    }
}

/// What is expected, in words for people.
fn kind(expected: &str) -> &str {
    match expected {
        "u16" => "a whole number from 0 to 65535",
        "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "a nonzero u32" | "a nonzero u64" => "a whole number, 1 or more",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "path string" => "a path",
        other if other.starts_with("struct ") || other == "a map" => "keys with values",
        other => other,
    }
}

/// What is there instead: `string "abc"` as `"abc"`.
fn given(got: &str) -> &str {
    match got.split_once(' ') {
        Some(("string", text)) => text,
        Some((_, value)) => value.trim_matches('`'),
        None => match got {
            "map" => "keys with values",
            "sequence" => "a list",
            "unit" => "nothing",
            other => other,
        },
    }
}
