//! Near names for what was not found: the next call should be the right one.

use super::cx::{Cx, MAY_LIST};
use crate::error::Error;
use crate::limits::MAX_NAMES_COMPARED;
use crate::ops::near::near;
use crate::policy::Access;
use crate::sandbox::{self, PathArg, PathStyle, Place};
use crate::toolsets::Toolset;
use std::sync::PoisonError;

/// Add near names to a failure that is about a missing path.
pub fn enrich(error: Error, cx: &Cx) -> Error {
    match error {
        Error::NotFound { noun, path, near } if near.is_empty() => {
            let near = near_names(&path, cx).unwrap_or_default();
            Error::NotFound { noun, path, near }
        }
        other => other,
    }
}

/// Names in the directory of `path` that are like its last name.
fn near_names(path: &str, cx: &Cx) -> Option<Vec<String>> {
    let root = cx.trail.lock().unwrap_or_else(PoisonError::into_inner).root.clone()?;
    let (parent, name) = path.trim_end_matches('/').rsplit_once('/').unwrap_or((".", path));
    let listed = sandbox::names(&directory(&root, parent, cx)?, MAX_NAMES_COMPARED)?;
    let prefix = if parent == "." { String::new() } else { format!("{parent}/") };
    Some(near(name, listed).into_iter().map(|name| format!("{prefix}{name}")).collect())
}

/// The directory `path` in a named root, or in the one that has no name.
fn directory(root: &str, path: &str, cx: &Cx) -> Option<Place> {
    let (granted, style) = match (cx.toolset, root) {
        // The agent's own files are not here at all.
        (Toolset::Guide, _) => return None,
        (_, "") => {
            let home = cx.policy.admit_home(cx.principal, cx.tool, &MAY_LIST, Access::Read);
            (home.ok()?, PathStyle::Host)
        }
        _ => {
            let admit = |tool: &&str| cx.policy.admit(cx.principal, root, tool, Access::Read).ok();
            (MAY_LIST.iter().find_map(admit)?, PathStyle::Chroot)
        }
    };
    Place::new(granted.root(), &PathArg::from(path), style).ok()
}
