//! Near names for what was not found: the next call should be the right one.

use super::cx::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{self, PathArg, PathStyle, Place};
use crate::toolsets::Toolset;
use std::sync::PoisonError;

/// Names offered at the most.
const OFFERED: usize = 3;
/// How alike a name must be, from 0 to 1.
const ALIKE: f64 = 0.6;
/// A directory with more entries is not searched for near names.
const LOOKED_AT: usize = 5_000;

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
    let listed = sandbox::names(&directory(&root, parent, cx)?, LOOKED_AT)?;
    let mut ranked: Vec<(f64, String)> = listed
        .into_iter()
        .map(|other| (likeness(name, &other), other))
        .filter(|(like, other)| *like >= ALIKE && other != name)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let prefix = if parent == "." { String::new() } else { format!("{parent}/") };
    Some(ranked.into_iter().take(OFFERED).map(|(_, name)| format!("{prefix}{name}")).collect())
}

/// The directory `path` in a named root, or in the one that has no name.
fn directory(root: &str, path: &str, cx: &Cx) -> Option<Place> {
    // Near names are a listing: whoever may not list gets none. The agent's own files are not here at all.
    let may_list = ["list_folder", "glob"];
    let (granted, style) = match (cx.toolset, root) {
        (Toolset::Guide, _) => return None,
        (_, "") => {
            let home = cx.policy.admit_home(cx.principal, cx.tool, &may_list, Access::Read);
            (home.ok()?, PathStyle::Host)
        }
        _ => {
            let admit = |tool: &&str| cx.policy.admit(cx.principal, root, tool, Access::Read).ok();
            (may_list.iter().find_map(admit)?, PathStyle::Chroot)
        }
    };
    Place::new(granted.root(), &PathArg::from(path), style).ok()
}

/// Alike but for case counts as nearly the same; so does the same name with another ending.
fn likeness(wanted: &str, other: &str) -> f64 {
    let (wanted, other) = (wanted.to_lowercase(), other.to_lowercase());
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let same_stem = !stem(&wanted).is_empty() && stem(&wanted) == stem(&other);
    let bonus = if same_stem { 0.8 } else { 0.0 };
    strsim::normalized_damerau_levenshtein(&wanted, &other).max(bonus)
}
