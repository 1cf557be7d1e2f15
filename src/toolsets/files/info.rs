//! `info`: what is known about a file or directory.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{is_hidden, looks, type_of};
use crate::call::Cx;
use crate::error::Error;
use crate::ops::mime;
use crate::policy::AtHome;
use crate::sandbox::{self, Kind, Metadata, PathArg, Place, Stamp};
use crate::toolsets::{Effect, Tool};

/// Tell type, size, times and permissions of a file or directory. A link is followed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Info {
    /// Path to get information for (relative to server root)
    path: PathArg,
}

/// What is known
#[derive(Serialize, JsonSchema)]
pub struct Known {
    exists: bool,
    /// file, directory, other, or symlink when it leads nowhere
    r#type: &'static str,
    name: String,
    path: String,
    size: u64,
    #[schemars(schema_with = "text_or_null")]
    created: Option<String>,
    modified: String,
    accessed: String,
    permissions: Permissions,
    is_hidden: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_symlink: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'static str>,
}

/// For the server's user, by the permission bits
#[derive(Serialize, JsonSchema)]
struct Permissions {
    readable: bool,
    writable: bool,
    executable: bool,
}

/// Some filesystems keep no time of birth.
fn text_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"oneOf": [{"type": "string"}, {"type": "null"}]})
}

impl Tool for Info {
    type Output = Known;
    const NAME: &'static str = "info";
    const EFFECT: Effect = Effect::Reads;
    const HOME: Option<AtHome> = looks(&["stat_file"]);

    fn run(self, cx: &Cx) -> Result<Known, Error> {
        let place = cx.here_to_read(&self.path)?;
        let (own, _) = sandbox::stat_of_link(&place)?;
        let is_symlink = own.kind == Kind::Symlink;
        let shown = match is_symlink.then(|| sandbox::inspect(&place)) {
            Some(Ok(target)) => target,
            Some(Err(Error::NotFound { .. })) | None => own,
            Some(Err(error)) => return Err(error),
        };
        Ok(told(&place, &shown, is_symlink))
    }
}

fn told(place: &Place, shown: &Metadata, is_symlink: bool) -> Known {
    let name = place.path().split_last().map(|(_, name)| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| ".".into());
    Known {
        exists: true,
        r#type: type_of(shown.kind),
        path: place.display(),
        size: shown.size,
        created: shown.created.map(Stamp::iso),
        modified: shown.modified.iso(),
        accessed: shown.accessed.iso(),
        permissions: permissions(shown),
        is_hidden: is_hidden(&name),
        is_symlink,
        mime_type: Some(&name)
            .filter(|_| shown.kind == Kind::File)
            .and_then(|name| mime::of_name(name)),
        name,
    }
}

fn permissions(shown: &Metadata) -> Permissions {
    let sandbox::Permissions { readable, writable, executable } = sandbox::Permissions::of(shown);
    Permissions { readable, writable, executable }
}
