//! Who asks: what the road has to know of a client beside its arguments.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio_util::sync::CancellationToken;

use super::{caller_of, client_of, principal_of};
use crate::args::Arguments;
use crate::bridge::Channel;
use crate::call::Call;
use crate::policy::Principal;

/// A client and its patience.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) client: String,
    pub(super) principal: Arc<Principal>,
    counted_as: String,
    cancelled: CancellationToken,
}

impl Caller {
    /// Whoever sent this request, for as long as it waits.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        Self {
            client: client_of(context),
            principal: principal_of(context),
            counted_as: caller_of(context),
            cancelled: context.ct.clone(),
        }
    }

    /// The same beyond the request.
    pub(super) fn lasting(self) -> Self {
        Self { cancelled: CancellationToken::new(), ..self }
    }

    /// A call on its behalf.
    pub(super) fn call(&self, tool: String, arguments: Arguments) -> Call {
        Call {
            tool,
            arguments,
            client: self.client.clone(),
            principal: self.principal.clone(),
            caller: self.counted_as.clone(),
            cancelled: self.cancelled.clone(),
            progress: None,
            channel: Channel::Closed,
            returned: None,
        }
    }
}
