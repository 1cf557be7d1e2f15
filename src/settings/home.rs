//! The one directory of the toolsets that name no roots, and the operator's rules for it.

use std::path::Path;

use super::config::Config;
use super::written::{Written, unexpanded};
use super::{allowed_tools, blame};
use crate::cli::Serve;
use crate::policy::{Granted, TOOL_NAMES};
use crate::sandbox::Root;
use crate::toolsets::{Selection, Toolset};

/// The directory, where a toolset needs it: flag, else YAML, else the current one.
pub(super) fn open(
    flags: &Serve,
    config: &Config,
    written: Option<&Written>,
    toolsets: &[Selection],
) -> Result<Option<Granted>, String> {
    if toolsets.iter().all(|selection| selection.toolset == Toolset::Roots) {
        refuse_stray_directory(flags)?;
        return refuse_stray_rules(config).map(|()| None);
    }
    let flag = flags.root_dir.as_deref();
    let path = flag.or(config.root_dir.as_deref()).unwrap_or(Path::new("."));
    let root = Root::open("", path, &config.deny).map_err(|error| {
        let (path, hint) = (path.display().to_string(), unexpanded(path));
        let sentence = format!("cannot open the directory {path}: {error}{hint}");
        if flag.is_some() { sentence } else { blame(written, &path, 0, sentence) }
    })?;
    let allowed = match &config.allowed_tools {
        Some(names) => allowed_tools(names, "", written)?,
        None => TOOL_NAMES.map(str::to_owned).into(),
    };
    Ok(Some(Granted::new(root, allowed, config.read_only)))
}

/// A directory that was typed and would not be served, too. One that the environment or the file names may be for
/// another start.
fn refuse_stray_directory(flags: &Serve) -> Result<(), String> {
    let ambient = std::env::var_os("FS_SERVER_ROOT");
    let typed =
        flags.root_dir.as_deref().filter(|path| ambient.as_deref() != Some(path.as_os_str()));
    let Some(path) = typed.map(Path::display) else { return Ok(()) };
    Err(format!(
        "--root-dir {path} would not be served: toolset roots serves the entries under `roots:` alone; add one for it there, or serve toolset files too (--toolset roots,files:fs)"
    ))
}

/// A rule that would have no effect is a mistake that the operator should hear of.
fn refuse_stray_rules(config: &Config) -> Result<(), String> {
    if config.allowed_tools.is_none() && config.deny.is_empty() && !config.read_only {
        return Ok(());
    }
    Err("allowed_tools, deny and read_only at the top of the configuration are for the directory of toolsets files and guide: write them into the entries under `roots:`".into())
}
