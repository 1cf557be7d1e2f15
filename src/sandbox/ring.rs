//! The second ring: Landlock around the whole process, so that a defect in the first one still meets the kernel.

use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{Mode, OFlags, open};

use super::own;
use super::root::Root;

/// What must be there for the ring to be worth closing. Without `Refer`, which came with the second version, every
/// rename between directories would fail.
const NEEDED: ABI = ABI::V2;
/// What is used where the kernel has it.
const WANTED: ABI = ABI::V6;
/// What is read after the start besides the roots: the names of users and groups, and our own program, in which a
/// backtrace finds the names of its functions.
const SYSTEM_FILES: [&str; 3] = ["/etc/passwd", "/etc/group", "/proc/self/exe"];

/// A directory that stays reachable.
pub struct Ground<'a> {
    /// The directory.
    pub root: &'a Arc<Root>,
    /// Whether anything in it may change.
    pub changeable: bool,
}

/// How the ring stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ring {
    /// Closed with everything we asked for.
    Full,
    /// Closed around files; an older kernel left out what came later: truncation, devices, TCP, signals.
    Partial,
    /// The kernel has no Landlock, or one that is too old.
    Unavailable,
}

/// Close the ring around this thread and all that it starts from now on. Nothing can open it again. In the `own`
/// directories the server keeps things besides the roots.
pub fn close(grounds: &[Ground<'_>], own: &[PathBuf]) -> io::Result<Ring> {
    prepare();
    let Ok(ruleset) = ruleset() else { return Ok(Ring::Unavailable) };
    let status = grant(ruleset, grounds, own)
        .and_then(RulesetCreated::restrict_self)
        .map_err(io::Error::other)?
        .ruleset;
    Ok(match status {
        RulesetStatus::FullyEnforced => Ring::Full,
        RulesetStatus::PartiallyEnforced => Ring::Partial,
        _ => Ring::Unavailable,
    })
}

/// Libraries look at files when first used: let them do it while they can.
fn prepare() {
    _ = own::user_name(0);
    _ = own::group_name(0);
    _ = super::scan::workers();
}

fn ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        // The socket we listen on is bound already; nothing else has business with the network.
        .handle_access(AccessNet::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?
        .create()
}

fn grant(
    ruleset: RulesetCreated,
    grounds: &[Ground<'_>],
    own: &[PathBuf],
) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = ruleset.set_compatibility(CompatLevel::BestEffort);
    for ground in grounds {
        let access = if ground.changeable { changing() } else { reading() };
        ruleset = ruleset.add_rule(PathBeneath::new(ground.root.handle(), access))?;
    }
    for path in own {
        let Some(directory) = nearest(path) else { continue };
        ruleset = ruleset.add_rule(PathBeneath::new(directory.as_fd(), changing()))?;
    }
    for path in SYSTEM_FILES {
        // A system without the file shows numbers.
        let Ok(file) = PathFd::new(path) else { continue };
        ruleset = ruleset.add_rule(PathBeneath::new(file.as_fd(), AccessFs::ReadFile))?;
    }
    Ok(ruleset)
}

/// The directory, or the nearest above it: what is not there yet will be made there. The top is never meant.
fn nearest(path: &Path) -> Option<PathFd> {
    let path = std::path::absolute(path).ok()?;
    let below_the_top = path.ancestors().filter(|path| path.parent().is_some());
    below_the_top.map(PathFd::new).find_map(Result::ok)
}

fn reading() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::ReadDir
}

/// All that can be done to files; no program is run and no device made.
fn changing() -> BitFlags<AccessFs> {
    AccessFs::from_all(WANTED) & !(AccessFs::Execute | AccessFs::MakeChar | AccessFs::MakeBlock)
}

/// What became of an attempt to open something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// It could be opened for reading and for writing.
    Changeable,
    /// It could be opened for reading.
    Readable,
    /// Permission was refused.
    Refused,
    /// It failed for another reason: there is no such thing, for one.
    Failed,
}

impl Attempt {
    /// The word for the operator.
    pub fn word(self) -> &'static str {
        match self {
            Self::Changeable => "changeable",
            Self::Readable => "readable",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

/// Try to open `path`, past roots and policy: for looking at the ring, never at content. Nothing is changed.
pub fn attempt(path: &Path) -> Attempt {
    let opens =
        |flags: OFlags| open(path, flags | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty());
    match opens(OFlags::RDONLY) {
        Ok(_) if opens(OFlags::WRONLY).is_ok() => Attempt::Changeable,
        Ok(_) => Attempt::Readable,
        Err(rustix::io::Errno::ACCESS) => Attempt::Refused,
        Err(_) => Attempt::Failed,
    }
}
