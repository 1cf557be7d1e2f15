//! `delete`: remove a file, a link, or a directory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{changes, type_of};
use crate::call::Cx;
use crate::error::Error;
use crate::policy::AtHome;
use crate::sandbox::{self, Extent, Kind, Leftover, PathArg, Place};
use crate::toolsets::{Effect, Tool};

/// Delete a file or directory. A link is deleted itself, not its target. force succeeds although the path is
/// missing or parts of it can not be deleted, and tells what in warnings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// Path to delete (relative to server root)
    path: PathArg,
    /// Whether to recursively delete directories
    #[serde(default)]
    recursive: bool,
    /// Force deletion even if errors occur
    #[serde(default)]
    force: bool,
}

/// What was deleted
#[derive(Serialize, JsonSchema)]
pub struct Deleted {
    success: bool,
    path: String,
    /// file, directory, symlink or other; absent when nothing was there
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    /// What could not be deleted, and why
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Tool for Delete {
    type Output = Deleted;
    const NAME: &'static str = "delete";
    const EFFECT: Effect = Effect::Consumes;
    const HOME: Option<AtHome> = changes(&["remove_file", "remove_folder"]);

    fn run(self, cx: &Cx) -> Result<Deleted, Error> {
        let place = cx.here_to_change(&self.path)?.called("path");
        if place.path().is_top() {
            return Err(Error::argument(
                "path",
                "path is the root directory itself, which is never deleted",
            ));
        }
        let mut kind = None;
        let outcome = self.delete(&place, &mut kind, cx);
        let warnings = match outcome {
            Ok(left) => left.iter().map(|left| still_there(&place, left)).collect(),
            Err(error) if self.force && is_forgiven(&error) => vec![error.to_string()],
            Err(error) => return Err(error),
        };
        Ok(Deleted { success: true, path: place.display(), r#type: kind.map(type_of), warnings })
    }
}

impl Delete {
    fn delete(
        &self,
        place: &Place,
        found: &mut Option<Kind>,
        cx: &Cx,
    ) -> Result<Vec<Leftover>, Error> {
        let (own, _) = sandbox::stat_of_link(place)?;
        *found = Some(own.kind);
        if own.kind != Kind::Directory {
            cx.needs_here("remove_file")?;
            return sandbox::remove_entry(place).map(|_| Vec::new());
        }
        cx.needs_here("remove_folder")?;
        let extent = match (self.recursive, self.force) {
            (false, _) => Extent::Empty,
            (true, false) => Extent::Whole,
            (true, true) => Extent::Possible,
        };
        sandbox::remove_directory(place, extent, cx.control()).map_err(not_empty)
    }
}

fn not_empty(error: Error) -> Error {
    match error {
        Error::NotEmpty { path } => Error::Refused(format!(
            "Directory not empty: {path}; use recursive=true to delete it with all that is in it"
        )),
        other => other,
    }
}

/// What `force` may overlook: never a rule of the operator, a wrong parameter, or the time.
fn is_forgiven(error: &Error) -> bool {
    match error {
        Error::NotFound { .. }
        | Error::PermissionDenied { .. }
        | Error::Io { .. }
        | Error::OutcomeUnknown { .. } => true,
        Error::Partly { cause, .. } => is_forgiven(cause),
        _ => false,
    }
}

fn still_there(place: &Place, left: &Leftover) -> String {
    format!("{} was not deleted: {}", place.path().append(&left.path).shown(), left.reason)
}
