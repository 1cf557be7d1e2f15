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
                "landlock is required: {}; run a kernel from 5.19 on with Landlock enabled, or set landlock to auto",
                why_not(&ring)
            ));
        }
        _ => {
            let reason = why_not(&ring);
            tracing::warn!(reason, "landlock: not closed; only the first ring protects");
        }
    }
    Ok(())
}

fn why_not(ring: &io::Result<Ring>) -> String {
    match ring {
        Ok(Ring::Unavailable) => "this kernel does not have it".into(),
        Ok(_) => "it is closed, but an attempt to open / was not refused".into(),
        Err(error) => error.to_string(),
    }
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
