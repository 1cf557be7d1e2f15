//! `permissions_file`: owner, group and mode.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READS;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::sandbox::{self, Kind, PathArg};
use crate::toolsets::{Effect, Tool};

/// Tell owner, group and mode of a file, directory or link (itself) in a root
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermissionsFile {
    /// Root name
    root: String,
    /// File, directory or link
    path: PathArg,
}

/// Owner, group and mode
#[derive(Serialize, JsonSchema)]
pub struct Permissions {
    path: String,
    owner: String,
    group: String,
    /// Octal, as 0644
    mode: String,
    /// As -rw-r--r--
    mode_string: String,
}

impl Tool for PermissionsFile {
    type Output = Permissions;
    const NAME: &'static str = "permissions_file";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = READS;

    fn run(self, cx: &Cx) -> Result<Permissions, Error> {
        let place = cx.to_read(&self.root, &self.path)?;
        let (metadata, _) = sandbox::stat_of_link(&place)?;
        Ok(Permissions {
            path: self.path.shown().to_owned(),
            owner: sandbox::own::user_name(metadata.uid),
            group: sandbox::own::group_name(metadata.gid),
            mode: format!("{:04o}", metadata.mode),
            mode_string: mode_string(metadata.kind, metadata.mode),
        })
    }
}

/// The mode as `ls` writes it.
fn mode_string(kind: Kind, mode: u32) -> String {
    let first = match kind {
        Kind::File => '-',
        Kind::Directory => 'd',
        Kind::Symlink => 'l',
        Kind::Fifo => 'p',
        Kind::Socket => 's',
        Kind::Device => 'c',
    };
    let classes = [(6, mode & 0o4000, 's'), (3, mode & 0o2000, 's'), (0, mode & 0o1000, 't')];
    let bits = classes
        .into_iter()
        .flat_map(|(shift, special, letter)| class(mode >> shift, special != 0, letter));
    std::iter::once(first).chain(bits).collect()
}

fn class(bits: u32, special: bool, letter: char) -> [char; 3] {
    let execute = match (bits & 1 != 0, special) {
        (true, true) => letter,
        (false, true) => letter.to_ascii_uppercase(),
        (true, false) => 'x',
        (false, false) => '-',
    };
    [if bits & 4 != 0 { 'r' } else { '-' }, if bits & 2 != 0 { 'w' } else { '-' }, execute]
}
