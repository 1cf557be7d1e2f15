//! Signals: those that ask the process to end, and one that must not.

use tokio::signal::unix::{SignalKind, signal};

/// Ends when the process is asked to.
pub async fn told_to_stop() {
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

/// Whoever writes beyond the limit on the size of files (`ulimit -f`) gets a signal that ends the process. Once it is
/// listened to, the write fails instead, and that call alone.
pub fn outlive_large_writes() {
    let limit = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    if let Err(error) = signal(limit) {
        tracing::warn!(%error, "a write beyond the limit on the size of files will end the server");
    }
}
