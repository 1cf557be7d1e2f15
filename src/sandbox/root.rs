//! A root: a directory the operator gave, opened once and held.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use rustix::fs::{Mode, OFlags, open};

use super::path::RelativePath;
use super::replace::is_temporary;

/// A directory held open; nothing beneath it is reached except through its handle.
#[derive(Debug)]
pub struct Root {
    name: String,
    handle: OwnedFd,
    real: PathBuf,
    given: PathBuf,
    denied: GlobSet,
    is_local: bool,
}

impl Root {
    /// Open the directory at `path`, hiding what the `deny` globs match.
    pub fn open(name: &str, path: &Path, deny: &[String]) -> io::Result<Self> {
        let real = std::fs::canonicalize(path)?;
        let handle =
            open(&real, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let given = std::path::absolute(path)?;
        let denied = deny_set(deny)
            .map_err(|error| io::Error::other(format!("invalid deny pattern: {error}")))?;
        let is_local = is_local(handle.as_fd());
        Ok(Self { name: name.to_owned(), handle, real, given, denied, is_local })
    }

    /// The name agents use.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is on the host: for logs and for the operator only.
    pub fn host_path(&self) -> &Path {
        &self.real
    }

    pub(super) fn given_path(&self) -> &Path {
        &self.given
    }

    pub(super) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// The target of a link in words that do not tell where the root is: from the root, when it leads inside.
    pub(super) fn without_host(&self, target: String) -> String {
        let inside = [&self.real, &self.given].into_iter();
        let mut inside = inside.filter_map(|home| Path::new(&target).strip_prefix(home).ok());
        inside.next().map_or_else(|| target.clone(), |path| format!("/{}", path.display()))
    }

    /// Whether the directory was removed since it was opened: a new one of that name is another.
    pub(super) fn is_gone(&self) -> bool {
        rustix::fs::fstat(&self.handle).is_ok_and(|stat| stat.st_nlink == 0)
    }

    /// Whether it lies on a disk of this machine.
    pub(super) fn is_local(&self) -> bool {
        self.is_local
    }

    pub(super) fn denies_anything(&self) -> bool {
        !self.denied.is_empty()
    }

    /// Whether the operator hides this path, or it is a temporary of ours.
    pub(super) fn hides(&self, path: &RelativePath) -> bool {
        (self.denies_anything() && self.denied.is_match(path.as_path()))
            || is_temporary(path.as_bytes())
    }
}

/// Magic numbers of the filesystems on which a read of a file is short only at its end, and no other machine is asked:
/// ext, xfs, btrfs, tmpfs, f2fs.
const LOCAL: [u64; 5] = [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0xf2f5_2010];

/// Whether the filesystem of this handle is one of those.
pub(super) fn is_local(handle: BorrowedFd<'_>) -> bool {
    // The number is 32 bits wide; some platforms widen it with its sign.
    rustix::fs::fstatfs(handle)
        .is_ok_and(|stat| LOCAL.contains(&(stat.f_type as u64 & 0xffff_ffff)))
}

/// A pattern without `/` names an entry at any depth; either way all that lies beneath is meant too. The case of letters
/// does not matter: on a filesystem that ignores it another spelling would be a way round.
fn deny_set(patterns: &[String]) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let trimmed = pattern.trim_matches('/');
        let anchored =
            if trimmed.contains('/') { trimmed.to_owned() } else { format!("**/{trimmed}") };
        set.add(without_case(&anchored)?).add(without_case(&format!("{anchored}/**"))?);
    }
    set.build()
}

fn without_case(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern).case_insensitive(true).build()
}
