//! Where toolset `guide` keeps its things.

use std::path::PathBuf;
use std::sync::Arc;

use super::config::GuideSection;
use crate::cli;
use crate::guidebook::Guidebook;
use crate::sandbox::Root;

/// The guide's own configuration: flag, else environment, else YAML, else where the user's is.
pub(super) fn guidebook(flags: &cli::Guide, section: &GuideSection) -> Guidebook {
    let told = flags.configdir.clone().or_else(|| section.config_dir.clone());
    Guidebook::new(told.or_else(users_directory))
}

/// The documents, where they are not in the project itself.
pub(super) fn documents(
    flags: &cli::Guide,
    section: &GuideSection,
    deny: &[String],
) -> Result<Option<Arc<Root>>, String> {
    let told = flags.docroot.as_ref().or(section.docroot.as_ref());
    let open = |path: &PathBuf| {
        Root::open("", path, deny).map(Arc::new).map_err(|error| {
            format!("cannot open the directory of the documents {}: {error}", path.display())
        })
    };
    told.map(open).transpose()
}

/// `mcp-guide` in the user's configuration directory, if the environment says where that is.
fn users_directory() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = named("XDG_CONFIG_HOME").or_else(|| named("HOME").map(|home| home.join(".config")));
    base.map(|base| base.join("mcp-guide"))
}
