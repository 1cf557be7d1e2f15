//! The `roots` toolset: named directories, `root` + `path`.

mod copy;
mod create_folder;
mod envelope;
mod glob;
mod grep;
mod hash_file;
mod list_folder;
mod list_roots;
mod matches;
mod r#move;
mod patch_file;
mod permissions_file;
mod read_file;
mod remove_file;
mod remove_folder;
mod stat_file;
mod write_file;

use super::{Definition, define};
use crate::policy::Access;
pub use envelope::failure;

/// Every tool of the set, in the order of the reference.
pub fn tools() -> Vec<Definition> {
    vec![
        define::<list_roots::ListRoots>(),
        define::<list_folder::ListFolder>(),
        define::<read_file::ReadFile>(),
        define::<write_file::WriteFile>(),
        define::<remove_file::RemoveFile>(),
        define::<patch_file::PatchFile>(),
        define::<create_folder::CreateFolder>(),
        define::<remove_folder::RemoveFolder>(),
        define::<stat_file::StatFile>(),
        define::<hash_file::HashFile>(),
        define::<permissions_file::PermissionsFile>(),
        define::<copy::Copy>(),
        define::<r#move::Move>(),
        define::<grep::Grep>(),
        define::<glob::Glob>(),
    ]
}

/// Tools that look into one root.
const READS: &[(&str, Access)] = &[("root", Access::Read)];
/// Tools that change one root.
const CHANGES: &[(&str, Access)] = &[("root", Access::Change)];
