//! The one directory of the toolsets that name no roots, and the operator's rules for it.

use std::path::Path;

use super::allowed_tools;
use super::config::Config;
use crate::cli::Serve;
use crate::policy::{Granted, TOOL_NAMES};
use crate::sandbox::Root;
use crate::toolsets::{Selection, Toolset};

/// The directory, where a toolset needs it: flag, else YAML, else the current one.
pub(super) fn open(
    flags: &Serve,
    config: &Config,
    toolsets: &[Selection],
) -> Result<Option<Granted>, String> {
    if toolsets.iter().all(|selection| selection.toolset == Toolset::Roots) {
        return refuse_stray_rules(config).map(|()| None);
    }
    let written = config.root_dir.as_deref();
    let path = flags.root_dir.as_deref().or(written).unwrap_or(Path::new("."));
    let root = Root::open("", path, &config.deny)
        .map_err(|error| format!("cannot open the directory {}: {error}", path.display()))?;
    let allowed = match &config.allowed_tools {
        Some(names) => allowed_tools(names)?,
        None => TOOL_NAMES.map(str::to_owned).into(),
    };
    Ok(Some(Granted::new(root, allowed, config.read_only)))
}

/// A rule that would have no effect is a mistake that the operator should hear of.
fn refuse_stray_rules(config: &Config) -> Result<(), String> {
    if config.allowed_tools.is_none() && config.deny.is_empty() && !config.read_only {
        return Ok(());
    }
    Err("allowed_tools, deny and read_only at the top of the configuration are for the directory of toolsets files and guide: write them into the entries under `roots:`".into())
}
