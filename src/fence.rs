//! The second ring as the operator wants it: closed at start, and looked at whether it holds.

use std::io;
use std::path::{Path, PathBuf};

use crate::cli::Landlock;
use crate::policy::{Access, Policy};
use crate::sandbox::ring::{self, Attempt, Ground, Ring};

/// Close the ring around this thread and all that it starts. No other thread may be there yet: the ring would not
/// hold it.
pub fn close(wanted: Landlock, policy: &Policy, own: &[PathBuf]) -> Result<(), String> {
    if wanted == Landlock::Off {
        tracing::info!("landlock: off; only the first ring protects");
        return Ok(());
    }
    let ring = close_around(policy, own);
    let closed = matches!(ring, Ok(Ring::Full | Ring::Partial)) && holds(policy);
    match (&ring, wanted) {
        (Ok(ring), _) if closed => {
            tracing::info!(?ring, "landlock: the process can not leave its roots");
        }
        (_, Landlock::Required) => {
            return Err(format!(
                "landlock is required, but the ring does not hold ({ring:?}): run a kernel from 5.19 on with Landlock enabled, or set landlock to auto"
            ));
        }
        _ => tracing::warn!(
            ?ring,
            "landlock: not available on this kernel; only the first ring protects"
        ),
    }
    Ok(())
}

/// Close the ring as for serving, and try to open `paths` from a thread inside, as all that serve are.
pub fn probe(
    wanted: Landlock,
    policy: &Policy,
    own: &[PathBuf],
    paths: &[PathBuf],
) -> io::Result<Vec<Attempt>> {
    if wanted != Landlock::Off {
        close_around(policy, own)?;
    }
    let all = || paths.iter().map(|path| ring::attempt(path)).collect();
    std::thread::scope(|scope| scope.spawn(all).join())
        .map_err(|_| io::Error::other("the probe failed"))
}

fn close_around(policy: &Policy, own: &[PathBuf]) -> io::Result<Ring> {
    let grounds: Vec<Ground> = policy
        .grounds()
        .map(|(root, access)| Ground { root, changeable: access == Access::Change })
        .collect();
    ring::close(&grounds, own)
}

/// Whether the top of the filesystem is closed to us; where it is a root itself, there is nothing to look at.
fn holds(policy: &Policy) -> bool {
    let top = Path::new("/");
    policy.grounds().any(|(root, _)| root.host_path() == top)
        || ring::attempt(top) == Attempt::Refused
}
