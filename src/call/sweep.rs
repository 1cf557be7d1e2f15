//! Cleaning up after a killed server: with the first call, beside it. It is the one long work that a start brings.

use std::sync::Arc;
use std::time::Instant;

use crate::control::{Control, paced};
use crate::limits::SWEEP_INTERVAL;
use crate::policy::Policy;
use crate::sandbox::{self, Root};

/// Remove what a killed server left behind. Not at start, because a client may start a server only to ask what it is.
pub(super) fn aside(policy: &Policy) {
    let roots: Vec<_> = policy.changeable().cloned().collect();
    std::thread::spawn(move || roots.iter().for_each(sweep));
}

/// Short work is silent; long work tells how far it is, and when it is done.
fn sweep(root: &Arc<Root>) {
    let (begun, shared) = (Instant::now(), root.clone());
    let control = Control::with_progress(Some(paced(SWEEP_INTERVAL, move |directories| {
        tracing::info!(
            root = shared.name(),
            directories,
            "looking for temporaries of a server that was killed"
        );
    })));
    let removed = sandbox::sweep(root, &control);
    let (root, directories) = (root.name(), control.done());
    if removed > 0 {
        tracing::info!(
            root,
            removed,
            directories,
            "removed temporaries of a server that was killed"
        );
    } else if begun.elapsed() >= SWEEP_INTERVAL {
        tracing::info!(root, directories, "there are no temporaries of a server that was killed");
    }
}
