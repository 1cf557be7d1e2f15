//! A request of ours to a client: taken back when nobody waits for its answer any more.

use rmcp::model::{ClientResult, ServerRequest};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, RequestHandle};
use rmcp::{RoleServer, ServiceError};

struct Pending(Option<RequestHandle<RoleServer>>);

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take() {
            tokio::spawn(handle.cancel(Some("the answer is no longer needed".to_owned())));
        }
    }
}

/// What the client answers.
pub(super) async fn ask(
    peer: &Peer<RoleServer>,
    request: ServerRequest,
) -> Result<ClientResult, ServiceError> {
    let options = PeerRequestOptions::no_options();
    let handle = peer.send_cancellable_request(request, options).await?;
    let mut pending = Pending(Some(handle));
    let Some(handle) = &mut pending.0 else { return Err(ServiceError::TransportClosed) };
    let answer = (&mut handle.rx).await;
    pending.0 = None;
    answer.unwrap_or(Err(ServiceError::TransportClosed))
}

/// Whether the client may be sent requests: one of the stateless era must never be.
pub(super) fn takes_requests(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.has_initialize())
}
