//! Log lines for people: the time, the level in colour, the message, and the fields behind it.

use std::fmt::{self, Write};

use chrono::Utc;
use serde_json::{Map, Value};
use tracing::Level;

/// Whether to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    Yes,
    No,
}

/// Write one line.
pub(super) fn write_line(
    out: &mut dyn Write,
    colour: Colour,
    level: Level,
    message: &str,
    fields: &Map<String, Value>,
) -> fmt::Result {
    let time = Utc::now().format("%H:%M:%S");
    let word = paint(colour, tone(level), &format!("{level:5}"));
    write!(out, "{} {word} {message}", paint(colour, 2, &time.to_string()))?;
    for (name, value) in fields {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        write!(out, " {}{}", paint(colour, 2, &format!("{name}=")), quoted(&value))?;
    }
    writeln!(out)
}

fn tone(level: Level) -> u8 {
    match level {
        Level::ERROR => 31,
        Level::WARN => 33,
        Level::INFO => 32,
        _ => 36,
    }
}

fn paint(colour: Colour, tone: u8, text: &str) -> String {
    match colour {
        Colour::Yes => format!("\x1b[{tone}m{text}\x1b[0m"),
        Colour::No => text.to_owned(),
    }
}

/// A value with spaces or control characters is shown as in a program: it can not pretend to be another line.
fn quoted(value: &str) -> String {
    let is_plain =
        !value.is_empty() && value.chars().all(|c| !c.is_whitespace() && !c.is_control());
    if is_plain { value.to_owned() } else { format!("{value:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_not_pretend_to_be_two() {
        let mut out = String::new();
        let fields = serde_json::json!({"tool": "grep", "path": "a\nERROR b", "ms": 1.5});
        let fields = fields.as_object().unwrap();
        write_line(&mut out, Colour::No, Level::INFO, "tool call", fields).unwrap();
        assert_eq!(&out[8..], " INFO  tool call tool=grep path=\"a\\nERROR b\" ms=1.5\n");
    }
}
