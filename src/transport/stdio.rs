//! The client started us and speaks over our standard streams; its end is ours.

use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;

use crate::limits::MAX_REQUEST_BYTES;
use crate::server::Server;

/// Serve until the client closes our input.
pub async fn serve(server: Server) -> Result<(), String> {
    let (input, output) = stdio_pipes();
    let transport =
        AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_REQUEST_BYTES);
    let running = match server.serve(transport).await {
        Ok(running) => running,
        // A client that leaves before saying anything is no failure.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(format!("the client did not open the conversation properly: {error}"));
        }
    };
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}
