//! A root: a directory the operator gave, opened once and held.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use rustix::fs::{Mode, OFlags, open};

use super::path::{PathArg, PathStyle, RelativePath, clean_absolute};
use super::replace::is_temporary;
use super::resolve::Fault;

/// A directory held open; nothing beneath it is reached except through its handle.
#[derive(Debug)]
pub struct Root {
    ground: Arc<Ground>,
    /// The parts that are open to whoever got this view of it; all of it when there are none.
    parts: Option<Arc<[RelativePath]>>,
}

/// What all views of a root share.
#[derive(Debug)]
struct Ground {
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
        let name = name.to_owned();
        let ground = Arc::new(Ground { name, handle, real, given, denied, is_local });
        Ok(Self { ground, parts: None })
    }

    /// A view of this root in which only `parts` can be reached. The directories above them can be seen, no more.
    pub fn narrowed(&self, parts: &Arc<[RelativePath]>) -> Self {
        Self { ground: self.ground.clone(), parts: Some(parts.clone()) }
    }

    /// What a directory of the host is to this root, judged by names and by the links inside.
    pub fn overlap(&self, directory: &Path) -> Overlap {
        let homes = [self.host_path(), self.given_path()];
        let directory = clean_absolute(directory);
        if homes.iter().any(|home| home.starts_with(&directory)) {
            return Overlap::Whole;
        }
        let text = PathArg::from(directory.to_string_lossy().as_ref());
        let Ok(path) = text.beneath(PathStyle::Host, &homes) else { return Overlap::Nothing };
        match self.retrying(|| self.expand(&path)) {
            Ok(real) if real.is_top() => Overlap::Whole,
            Ok(real) => Overlap::Part(real),
            // What can not be looked at now is judged by its name.
            Err(Fault::Os(_)) => Overlap::Part(path),
            Err(_) => Overlap::Nothing,
        }
    }

    /// Whether both are views of one root.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.ground, &other.ground)
    }

    /// The name agents use.
    pub fn name(&self) -> &str {
        &self.ground.name
    }

    /// Where it is on the host: for logs and for the operator only.
    pub fn host_path(&self) -> &Path {
        &self.ground.real
    }

    pub(super) fn given_path(&self) -> &Path {
        &self.ground.given
    }

    pub(super) fn handle(&self) -> BorrowedFd<'_> {
        self.ground.handle.as_fd()
    }

    /// The target of a link in words that do not tell where the root is: from the root, when it leads inside.
    pub(super) fn without_host(&self, target: String) -> String {
        let inside = [self.host_path(), self.given_path()].into_iter();
        let mut inside = inside.filter_map(|home| Path::new(&target).strip_prefix(home).ok());
        inside.next().map_or_else(|| target.clone(), |path| format!("/{}", path.display()))
    }

    /// Whether the directory was removed since it was opened: a new one of that name is another.
    pub(super) fn is_gone(&self) -> bool {
        rustix::fs::fstat(self.handle()).is_ok_and(|stat| stat.st_nlink == 0)
    }

    /// Whether it lies on a disk of this machine.
    pub(super) fn is_local(&self) -> bool {
        self.ground.is_local
    }

    /// Whether anything but our own temporaries is hidden: then every path is judged by where it really leads.
    pub(super) fn hides_anything(&self) -> bool {
        !self.ground.denied.is_empty() || self.parts.is_some()
    }

    /// Whether this path is not to be seen.
    pub(super) fn hides(&self, path: &RelativePath) -> bool {
        self.judge(path).is_err()
    }

    /// `Err` when the operator hides this path, it is a temporary of ours, or it lies in no part that is open.
    pub(super) fn judge(&self, path: &RelativePath) -> Result<(), Fault> {
        let denied = &self.ground.denied;
        if (!denied.is_empty() && denied.is_match(path.as_path())) || is_temporary(path.as_bytes())
        {
            return Err(Fault::Denied);
        }
        let shown = |part: &RelativePath| path.is_within(part) || part.is_within(path);
        match &self.parts {
            Some(parts) if !parts.iter().any(shown) => Err(Fault::Elsewhere),
            _ => Ok(()),
        }
    }

    /// `Err` when the entry at `path` is an open part itself or lies above one: then it is not to be taken away.
    pub(super) fn judge_removal(&self, path: &RelativePath) -> Result<(), Fault> {
        match &self.parts {
            Some(parts) if parts.iter().any(|part| part.is_within(path)) => Err(Fault::Elsewhere),
            _ => Ok(()),
        }
    }

    /// The parts that are open, for answers.
    pub(super) fn parts_shown(&self) -> Vec<String> {
        self.parts.iter().flat_map(|parts| parts.iter()).map(RelativePath::shown).collect()
    }
}

/// What a directory of the host has in common with a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overlap {
    /// The root lies in it, or is it.
    Whole,
    /// It lies in the root, here.
    Part(RelativePath),
    /// Nothing.
    Nothing,
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
