//! What this machine can do for us, found by trying.

use std::path::Path;

use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
use rustix::fs::{Mode, OFlags, openat};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::own;
use super::resolve::linkless;
use super::root::Root;

/// The versions of Landlock that brought rights over files.
const VERSIONS: [(u32, ABI); 4] = [(1, ABI::V1), (2, ABI::V2), (3, ABI::V3), (5, ABI::V5)];

/// The kernel's own version.
pub fn kernel() -> Option<String> {
    number_file("/proc/sys/kernel/osrelease")
}

/// Whether the kernel resolves paths beneath a directory for us; without it nothing can be served.
pub fn resolves_beneath(root: &Root) -> bool {
    linkless(root.handle(), Path::new("."), OFlags::PATH | OFlags::CLOEXEC).is_ok()
}

/// Whether the root's filesystem has files without names, which leave nothing behind when a write is cut off.
pub fn has_nameless_files(root: &Root) -> bool {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    openat(root.handle(), ".", flags, Mode::from_raw_mode(0o600)).is_ok()
}

/// Whether the process may make files at the top of the root.
pub fn is_writable(root: &Root) -> bool {
    super::access::require_change(root.handle()).is_ok()
}

/// The newest version of Landlock whose rights over files the kernel has.
pub fn landlock_version() -> Option<u32> {
    let has = |abi| {
        let rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(abi));
        rules.and_then(Ruleset::create).is_ok()
    };
    VERSIONS.into_iter().rev().find(|(_, abi)| has(*abi)).map(|(version, _)| version)
}

/// How many files the process may hold open; `None` for any number.
pub fn open_files() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Ask for as many open files as the process may have at the most; how many it may have then.
pub fn raise_open_files() -> Option<u64> {
    let most = getrlimit(Resource::Nofile).maximum;
    // Refused, it stays as it was.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most });
    open_files()
}

/// How many directories the user's programs may watch.
pub fn watches() -> Option<u64> {
    number_file("/proc/sys/fs/inotify/max_user_watches")?.parse().ok()
}

fn number_file(path: &str) -> Option<String> {
    own::read_text(Path::new(path)).ok().map(|text| text.trim().to_owned())
}
