//! A command line that was not understood: one sentence, with what to type instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The sentence for a mistake on the command line.
pub fn sentence(error: &clap::Error) -> String {
    format!("{}; {}", what(error), remedy(error))
}

/// What is wrong, in the parser's words but on one line.
fn what(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    let flat = first.split_whitespace().collect::<Vec<_>>().join(" ");
    flat.replace("invalid digit found in string", "expected a whole number")
}

fn remedy(error: &clap::Error) -> String {
    let found = match error.kind() {
        ErrorKind::ArgumentConflict => flags_first(&error.to_string()),
        ErrorKind::InvalidSubcommand => value(error, ContextKind::InvalidSubcommand)
            .map(|word| directory(&word).unwrap_or_else(|| commands(error))),
        ErrorKind::UnknownArgument => suggested(error, ContextKind::SuggestedArg)
            .or_else(|| stray(&value(error, ContextKind::InvalidArg)?)),
        _ => None,
    };
    found.unwrap_or_else(|| "try --help".to_owned())
}

/// `the subcommand 'check' cannot be used with '--config <FILE>'`
fn flags_first(text: &str) -> Option<String> {
    let quoted: Vec<&str> = text.split('\'').skip(1).step_by(2).collect();
    let (command, flag) = (quoted.first()?, quoted.get(1)?);
    text.contains("subcommand")
        .then(|| format!("flags stand behind the command: mcp-filesystem {command} {flag}"))
}

/// Someone names a directory and nothing else.
fn directory(word: &str) -> Option<String> {
    is_path(word).then(|| format!("to serve a directory: mcp-filesystem --root-dir {word}"))
}

fn stray(word: &str) -> Option<String> {
    is_path(word).then(|| format!("name a directory with --root-dir {word}"))
}

fn is_path(word: &str) -> bool {
    !word.starts_with('-') && (word.contains('/') || word.starts_with(['.', '~']))
}

fn commands(error: &clap::Error) -> String {
    suggested(error, ContextKind::SuggestedSubcommand).unwrap_or_else(|| {
        "the commands are check, doctor, tools, client-config, completions and man; without one it serves".to_owned()
    })
}

fn suggested(error: &clap::Error, kind: ContextKind) -> Option<String> {
    value(error, kind).map(|name| format!("did you mean {name}?"))
}

fn value(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(several) => several.first().cloned(),
        _ => None,
    }
}
