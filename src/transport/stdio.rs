//! The client started us and speaks over our standard streams; its end is ours.

use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio::time::{sleep, timeout};

use super::signals::told_to_stop;
use crate::limits::{DRAIN, MAX_REQUEST_BYTES};
use crate::server::Server;

/// How often the end of the running calls is looked for, and time for the last answer to be written.
const LOOK: Duration = Duration::from_millis(50);

/// Serve until the client closes our input, or we are told to stop and the running calls are done.
pub async fn serve(server: Server) -> Result<(), String> {
    let (input, output) = stdio_pipes();
    let transport =
        AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_REQUEST_BYTES);
    let busy = server.clone();
    let conversation = async {
        let running = match server.serve(transport).await {
            Ok(running) => running,
            // A client that leaves before saying anything is no failure.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => {
                return Err(format!("the client did not open the conversation properly: {error}"));
            }
        };
        running.waiting().await.map(drop).map_err(|error| error.to_string())
    };
    tokio::select! {
        // Listen for the signal before the client can know that we are there.
        biased;
        () = finished(&busy) => Ok(()),
        ended = conversation => ended,
    }
}

/// Ends when we are told to stop and no call runs any more, or has run for too long.
async fn finished(server: &Server) {
    told_to_stop().await;
    let quiet = async {
        while server.running_calls() > 0 {
            sleep(LOOK).await;
        }
        sleep(LOOK).await;
    };
    if timeout(DRAIN, quiet).await.is_err() {
        tracing::warn!("some calls did not finish in time");
    }
}
