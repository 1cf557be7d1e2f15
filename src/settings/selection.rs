//! Which toolsets are served, under which prefixes.

use super::blame;
use super::config::{Config, ToolsetEntry};
use super::written::{Written, meant};
use crate::cli::Serve;
use crate::toolsets::{Examples, Selection, Toolset};

/// The prefix of the guide's names unless the user says otherwise.
const GUIDE_PREFIX: &str = "guide";

/// Flag, else YAML, else what the configuration is for.
pub(super) fn selections(
    flags: &Serve,
    config: &Config,
    file: Option<&Written>,
) -> Result<Vec<Selection>, String> {
    if !flags.toolset.is_empty() {
        return flags.toolset.iter().map(|text| typed(text, flags, config)).collect();
    }
    if !config.toolsets.is_empty() {
        return config.toolsets.iter().map(|entry| written(entry, flags, config, file)).collect();
    }
    let names_a_directory = flags.root_dir.is_some() || config.root_dir.is_some();
    let serves_roots = config.roots.is_some() || (flags.config.is_some() && !names_a_directory);
    let toolset = if serves_roots { Toolset::Roots } else { Toolset::Files };
    Ok(vec![selection(toolset, usual_prefix(toolset, flags, config), flags)?])
}

/// `files` or `files:fs`.
fn typed(text: &str, flags: &Serve, config: &Config) -> Result<Selection, String> {
    let (name, prefix) =
        text.split_once(':').map_or((text, None), |(name, prefix)| (name, Some(prefix)));
    let toolset = named(name)?;
    selection(toolset, prefix.unwrap_or_else(|| usual_prefix(toolset, flags, config)), flags)
}

/// An entry of the configuration; the environment goes before it.
fn written(
    entry: &ToolsetEntry,
    flags: &Serve,
    config: &Config,
    file: Option<&Written>,
) -> Result<Selection, String> {
    let (name, prefix) = match entry {
        ToolsetEntry::Name(name) => (name, None),
        ToolsetEntry::Prefixed(entry) => (&entry.name, Some(entry.prefix.as_str())),
    };
    let toolset = named(name).map_err(|sentence| blame(file, name, 0, sentence))?;
    let told = flags.guide.tool_prefix.as_deref().filter(|_| toolset == Toolset::Guide);
    let usual = || usual_prefix(toolset, flags, config);
    selection(toolset, told.or(prefix).unwrap_or_else(usual), flags)
}

/// What a toolset's names begin with when its selection does not say.
fn usual_prefix<'a>(toolset: Toolset, flags: &'a Serve, config: &'a Config) -> &'a str {
    let told = flags.guide.tool_prefix.as_deref().or(config.guide.prefix.as_deref());
    match toolset {
        Toolset::Guide => told.unwrap_or(GUIDE_PREFIX),
        Toolset::Roots | Toolset::Files => "",
    }
}

fn named(name: &str) -> Result<Toolset, String> {
    Toolset::named(name.trim()).ok_or_else(|| {
        let known: Vec<&str> = Toolset::ALL.iter().map(|toolset| toolset.name()).collect();
        let meant = meant(name, &known);
        format!("unknown toolset \"{name}\"{meant}; known toolsets: {}", known.join(", "))
    })
}

fn selection(toolset: Toolset, prefix: &str, flags: &Serve) -> Result<Selection, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !prefix.chars().all(fits) {
        return Err(format!("invalid prefix \"{prefix}\": use letters, digits, _ and -"));
    }
    Ok(Selection { toolset, prefix: prefix.to_owned(), examples: examples(flags) })
}

/// Only the word `true` asks for them.
fn examples(flags: &Serve) -> Examples {
    let asked = flags.guide.include_example_tools.as_deref();
    match asked.is_some_and(|word| word.eq_ignore_ascii_case("true")) {
        true => Examples::Included,
        false => Examples::LeftOut,
    }
}
