//! The signals that ask the process to end.

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
