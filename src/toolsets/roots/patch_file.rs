//! `patch_file`: apply a unified diff.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CHANGES;
use crate::call::Cx;
use crate::error::Error;
use crate::ops::hash;
use crate::ops::patch::{self, PatchError, Patched};
use crate::ops::text::{self, Shown};
use crate::policy::Access;
use crate::sandbox::{self, PathArg};
use crate::toolsets::{Effect, Tool};

/// Apply a unified diff to one file in a root, all hunks or none. A missing file counts as empty. Line numbers and counts
/// in @@ may be wrong if the context names one place.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PatchFile {
    /// Root name
    root: String,
    /// File
    path: PathArg,
    /// Unified diff
    patch: String,
    /// Change nothing; return the new content
    #[serde(default)]
    dry_run: bool,
    /// sha256 the file must still have
    expected_hash: Option<String>,
}

/// What the patch did
#[derive(Serialize, JsonSchema)]
pub struct Applied {
    path: String,
    hunks_applied: usize,
    hunks: Vec<Hunk>,
    /// sha256 of the new content
    sha256: String,
    /// With dry_run: the file was not changed
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
    /// With dry_run: what the file would be
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// base64 when that is not UTF-8
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Hunk {
    /// Where it applied, from 1
    line: usize,
    /// Lines away from where the header said
    offset: i64,
    added: usize,
    removed: usize,
}

impl Tool for PatchFile {
    type Output = Applied;
    const NAME: &'static str = "patch_file";
    const EFFECT: Effect = Effect::Consumes;
    const ROOTS: &'static [(&'static str, Access)] = CHANGES;

    fn run(self, cx: &Cx) -> Result<Applied, Error> {
        let place = cx.to_change(&self.root, &self.path)?;
        let mut patched = None;
        let written = sandbox::update(&place, self.expected_hash.as_deref(), |old| {
            let done = patched.insert(self.apply(old.as_deref())?);
            Ok((!self.dry_run).then(|| done.content.clone()))
        })?;
        let patched = patched.ok_or_else(|| Error::Internal("the patch was not tried".into()))?;
        Ok(self.report(patched, written.map(|written| written.warnings).unwrap_or_default()))
    }
}

impl PatchFile {
    /// What the patch makes of the file, which counts as empty when it is missing.
    fn apply(&self, old: Option<&[u8]>) -> Result<Patched, Error> {
        patch::apply(old.unwrap_or_default(), &self.patch).map_err(|error| {
            let error = match old {
                None => error.on_a_missing_file(),
                Some(old) if text::is_binary(old) => PatchError::Binary,
                Some(_) => error,
            };
            let (path, error) = (self.path.shown().to_owned(), Box::new(error));
            Error::Patch { path, error, near: Vec::new() }
        })
    }

    fn report(&self, patched: Patched, warnings: Vec<String>) -> Applied {
        let hunks = patched.hunks.iter().map(|placed| Hunk {
            line: placed.line,
            offset: placed.offset,
            added: placed.added,
            removed: placed.removed,
        });
        let (hunks, sha256) = (hunks.collect(), hash::sha256(&patched.content));
        let hunks_applied = patched.hunks.len();
        let shown = self.dry_run.then(|| Shown::of(patched.content).into_parts());
        Applied {
            path: self.path.shown().to_owned(),
            hunks_applied,
            hunks,
            sha256,
            dry_run: self.dry_run.then_some(true),
            encoding: shown.as_ref().and_then(|(_, encoding)| *encoding),
            content: shown.map(|(content, _)| content),
            warnings,
        }
    }
}
