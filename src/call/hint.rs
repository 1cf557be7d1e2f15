//! Near names for what was not found: the next call should be the right one.

use super::cx::{Cx, MAY_LIST};
use crate::error::{Complaint, Error};
use crate::limits::MAX_NAMES_COMPARED;
use crate::ops::near::near;
use crate::policy::Access;
use crate::sandbox::{self, Kind, PathArg, PathStyle, Place};
use crate::toolsets::Toolset;
use std::sync::PoisonError;

/// Add to a failure what would make the next call the right one: near names for a missing path, the roots there are.
pub fn enrich(error: Error, cx: &Cx) -> Error {
    match error {
        Error::NotFound { noun, path, near, blocked_by: None } if near.is_empty() => {
            let Around { near, blocked_by } = around(&path, cx).unwrap_or_default();
            Error::NotFound { noun, path, near, blocked_by }
        }
        Error::Patch { path, error, .. } if error.is_about_a_missing_file() => {
            let near = around(&path, cx).unwrap_or_default().near;
            Error::Patch { path, error, near }
        }
        Error::Arguments(mut complaints) if cx.toolset == Toolset::Roots => {
            complaints.extend(known_roots(&complaints, cx));
            Error::Arguments(complaints)
        }
        other => other,
    }
}

/// Who names no root is told which there are.
fn known_roots(complaints: &[Complaint], cx: &Cx) -> Option<Complaint> {
    complaints.iter().find(|complaint| complaint.message.ends_with("root is required"))?;
    let known: Vec<&str> = cx.roots().map(|granted| granted.root().name()).collect();
    Some(Complaint::new("root", format!("known roots: {}", known.join(", "))))
}

/// What there is where something is missing.
#[derive(Default)]
struct Around {
    near: Vec<String>,
    blocked_by: Option<String>,
}

/// Look from the end of `path` upwards for the first directory that is there.
fn around(path: &str, cx: &Cx) -> Option<Around> {
    let root = cx.trail.lock().unwrap_or_else(PoisonError::into_inner).root.clone()?;
    let path = path.trim_end_matches('/');
    let (mut above, mut rest) = (path, "");
    loop {
        let (parent, name) = above.rsplit_once('/').unwrap_or((".", above));
        let place = place(&root, if parent.is_empty() { "/" } else { parent }, cx)?;
        match sandbox::inspect(&place).map(|found| found.kind) {
            Ok(Kind::Directory) => {
                let listed = sandbox::names(&place, MAX_NAMES_COMPARED)?;
                let near = near(name, listed).into_iter();
                let near = near.map(|name| offered(&root, parent, &name, rest, cx)).collect();
                return Some(Around { near, blocked_by: None });
            }
            Ok(_) => return Some(Around { near: vec![], blocked_by: Some(parent.to_owned()) }),
            Err(_) if parent == "." || parent.is_empty() => return None,
            Err(_) => (above, rest) = (parent, &path[parent.len()..]),
        }
    }
}

/// The near name in its directory, with the rest of the path behind it where that is there too.
fn offered(root: &str, parent: &str, name: &str, rest: &str, cx: &Cx) -> String {
    let near = if parent == "." { name.to_owned() } else { format!("{parent}/{name}") };
    let whole = format!("{near}{rest}");
    let is_there = place(root, &whole, cx).is_some_and(|it| sandbox::inspect(&it).is_ok());
    if is_there { whole } else { near }
}

/// The place `path` in a named root, or in the one that has no name, for who may list it.
fn place(root: &str, path: &str, cx: &Cx) -> Option<Place> {
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
