//! The process's own files: what the operator named on the command line or in the configuration.

use std::io;
use std::path::Path;

/// The text of the operator's file at `path`.
pub fn read_text(path: &Path) -> io::Result<String> {
    std::fs::read_to_string(path)
}

/// The operator's log file, opened to append.
pub fn open_log(path: &Path) -> io::Result<std::fs::File> {
    std::fs::OpenOptions::new().create(true).append(true).open(path)
}

/// The user's name, or the number where it has none.
pub fn user_name(uid: u32) -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(uid));
    user.ok().flatten().map_or_else(|| uid.to_string(), |user| user.name)
}

/// The group's name, or the number where it has none.
pub fn group_name(gid: u32) -> String {
    let group = nix::unistd::Group::from_gid(nix::unistd::Gid::from_raw(gid));
    group.ok().flatten().map_or_else(|| gid.to_string(), |group| group.name)
}
