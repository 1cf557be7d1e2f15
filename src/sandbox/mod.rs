//! The only code that touches the disk: roots held open, places beneath them, and what can be done there.
//!
//! The kernel decides. A [`Root`] is a directory handle; a [`Place`] is a path beneath it, and every access is
//! an `openat2` that cannot leave. User space never grants: it only rewrites what the kernel refused.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "this is the one door to the disk"
)]

mod access;
mod append;
mod copy;
mod crew;
mod destination;
mod directory;
mod file;
mod graft;
mod ignores;
mod locks;
mod made;
mod metadata;
pub mod own;
mod own_file;
mod path;
mod place;
pub mod probe;
mod remove;
mod rename;
mod replace;
mod resolve;
pub mod ring;
mod root;
mod scan;
mod sweep;
mod temporary;
mod tree;
mod uproot;
mod walk;
mod watch;

pub use access::Permissions;
pub use append::append;
pub use copy::{CopyOptions, CopyReport, IfDirectory, IfExists, copy};
pub use directory::{LinkTarget, Listed, create_directory, list, names};
pub use file::{End, RegularFile, ScanFile, open_regular};
pub use metadata::{Kind, Metadata, Stamp, inspect, stat_of_link};
pub use own_file::OwnFile;
pub use path::{PathArg, PathStyle, RelativePath};
pub use place::{Patience, Place};
pub use remove::{Extent, Leftover, remove_directory, remove_entry};
pub use rename::{MoveReport, rename};
pub use replace::{Parents, WriteMode, Written, update, write};
pub use root::Root;
pub use scan::{Looked, ScanReport, scan_files};
pub use sweep::sweep;
pub use walk::{Choice, Entry, Flow, Tree, WalkOptions, WalkReport, walk, walk_chosen};
pub use watch::{Change, WatchId, Watcher};
