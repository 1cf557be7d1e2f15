//! Expressions: which documents of which categories.
//!
//! ```text
//! expression := part ("," part)*
//! part       := name [ "/" pattern ("+" pattern)* ]
//! ```
//! Only the first `/` of a part splits. Blanks around names and patterns do not count; empty parts are passed over.

use std::fmt;

use crate::error::Error;

/// A category or collection, and which of its documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The name.
    pub name: String,
    /// The patterns; none for what the category has by itself.
    pub patterns: Vec<String>,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.patterns.is_empty() {
            write!(f, "/{}", self.patterns.join("+"))?;
        }
        Ok(())
    }
}

/// The parts of `expression`, each with the patterns of `extra` too.
pub fn parse(expression: &str, extra: Option<&str>) -> Result<Vec<Part>, Error> {
    let texts = expression.split(',').map(str::trim).filter(|text| !text.is_empty());
    let parts: Vec<Part> = texts.map(|text| part(text, extra)).collect::<Result<_, _>>()?;
    if parts.is_empty() {
        return Err(Error::Expression("expression cannot be empty".into()));
    }
    Ok(parts)
}

fn part(text: &str, extra: Option<&str>) -> Result<Part, Error> {
    let (name, own) = text.split_once('/').unwrap_or((text, ""));
    let name = name.trim().to_owned();
    if name.is_empty() {
        return Err(Error::Expression(format!(
            "empty category/collection name in expression: '{text}'"
        )));
    }
    let patterns = own.split('+').chain(extra.unwrap_or_default().split('+'));
    let patterns = patterns.map(str::trim).filter(|pattern| !pattern.is_empty());
    Ok(Part { name, patterns: patterns.map(str::to_owned).collect() })
}

/// The parts as one expression.
pub fn shown(parts: &[Part]) -> String {
    parts.iter().map(Part::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(expression: &str, extra: Option<&str>) -> Result<String, String> {
        parse(expression, extra).map(|parts| shown(&parts)).map_err(|error| error.to_string())
    }

    /// Ledger: E-060, E-061, E-062, E-066
    #[test]
    fn e_060_the_grammar() {
        let cases = [
            ("lang", None, "lang"),
            ("lang/", None, "lang"),
            ("lang", Some("python"), "lang/python"),
            ("lang/python", None, "lang/python"),
            (" lang / python + java ,, docs/api/v1 ", None, "lang/python+java,docs/api/v1"),
            ("lang/a+,docs", Some("b"), "lang/a+b,docs/b"),
        ];
        for (expression, extra, expected) in cases {
            assert_eq!(parsed(expression, extra), Ok(expected.to_owned()), "{expression}");
        }
        for empty in ["", " ", ",", " , "] {
            assert_eq!(parsed(empty, None), Err("expression cannot be empty".to_owned()));
        }
        let unnamed = "empty category/collection name in expression: '/x'".to_owned();
        assert_eq!(parsed("lang,/x", None), Err(unnamed));
    }
}
