//! Patterns: the quick ways of matching agree with the plain ones.

use super::two_texts;
use globset::GlobBuilder;
use mcp_filesystem::args::pattern::{FileFilter, PathPattern};
use mcp_filesystem::control::Control;
use mcp_filesystem::ops::regex::from_go;
use mcp_filesystem::ops::search::{Case, Query, Searched, Syntax};
use mcp_filesystem::sandbox::{End, RelativePath};
use std::path::Path;

/// The set of one that a search uses matches what the glob by itself does; a pattern without signs is its own path.
pub fn glob(data: &[u8]) {
    let (pattern, path) = two_texts(data);
    // What stands in front of a pattern to say where it begins is no part of it.
    if pattern.starts_with(['/', '.']) {
        return;
    }
    let Some(path) = RelativePath::clean(Path::new(&path)) else { return };
    let filter = FileFilter::new("glob_filter", Some(&pattern));
    let Ok(found) = PathPattern::exactly_one(Some(&pattern), None) else { return };
    assert!(filter.is_ok() || pattern.contains('/'), "{pattern:?} is a pattern and no filter");
    let plain = GlobBuilder::new(pattern.trim_start_matches("./"))
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .expect("a glob");
    let fits = found.fits(&path);
    assert_eq!(fits, plain.compile_matcher().is_match(path.as_path()), "{pattern:?} on {path:?}");
    if !pattern.contains(['*', '?', '[', ']', '{', '}', '\\', '!', ','])
        && !pattern.starts_with("./")
    {
        assert_eq!(
            fits,
            Path::new(&pattern).as_os_str() == path.as_path().as_os_str(),
            "{pattern:?} on {path:?}"
        );
    }
}

/// A search finds the lines that the expression matches, one by one; a quoted text finds itself.
pub fn regex(data: &[u8]) {
    let (pattern, text) = two_texts(data);
    // A carriage return that ends no line is matched by nothing.
    if text.contains(['\0', '\u{feff}']) || text.replace("\r\n", "\n").contains('\r') {
        return;
    }
    quoted(&text);
    let Ok(query) = Query::new(&pattern, Syntax::Regex, Case::Sensitive) else { return };
    // The start and the end of the text are those of a file or of a line, depending on who looks.
    if ["\\A", "\\z", "(?", "\\B"].iter().any(|sign| pattern.contains(sign)) {
        return;
    }
    let built =
        regex::bytes::RegexBuilder::new(&from_go(&pattern)).multi_line(true).crlf(true).build();
    let Ok(plain) = built else { return };
    let lines = text.split_inclusive('\n').map(without_end);
    let expected: Vec<u64> = (1..)
        .zip(lines)
        .filter(|(_, line)| plain.is_match(line.as_bytes()))
        .map(|(number, _)| number)
        .collect();
    match query.seeker().search(text.as_bytes(), End::AtEmptyRead, &Control::default()) {
        Searched::Text(found) => {
            let found: Vec<u64> = found.lines.iter().map(|line| line.number).collect();
            assert_eq!(found, expected, "{pattern:?} in {text:?}");
        }
        other => panic!("{pattern:?} in {text:?}: {other:?}"),
    }
}

/// The line without its end.
fn without_end(line: &str) -> &str {
    line.strip_suffix("\r\n").or(line.strip_suffix('\n')).unwrap_or(line)
}

fn quoted(text: &str) {
    if text.is_empty() || text.contains("\\E") || text.len() > 200 {
        return;
    }
    // A backslash at the end would quote the end of the quotation.
    let pattern = format!("\\Q{}\\E", text.trim_end_matches('\\'));
    let plain = regex::bytes::Regex::new(&from_go(&pattern)).expect("a quotation");
    assert!(plain.is_match(text.as_bytes()), "{pattern:?} does not find itself");
}
