//! Who asks: what the road has to know of a client beside its arguments.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio_util::sync::CancellationToken;

use super::{caller_of, client_of};
use crate::args::Arguments;
use crate::bridge::Channel;
use crate::call::{Call, Kept};
use crate::policy::{Narrowing, Principal};

/// A client and its patience.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) client: String,
    pub(super) principal: Arc<Principal>,
    counted_as: String,
    cancelled: CancellationToken,
}

impl Caller {
    /// Whoever sent this request on behalf of `principal`, for as long as it waits.
    pub(super) fn of(context: &RequestContext<RoleServer>, principal: Arc<Principal>) -> Self {
        Self {
            client: client_of(context),
            principal,
            counted_as: caller_of(context),
            cancelled: context.ct.clone(),
        }
    }

    /// The server itself, looking on behalf of nobody.
    pub(super) fn ourselves() -> Self {
        Self {
            client: String::new(),
            principal: Arc::new(Principal::anyone()),
            counted_as: String::new(),
            cancelled: CancellationToken::new(),
        }
    }

    /// The same, with what its own roots leave.
    pub(super) fn narrowed(self, narrowing: Arc<Narrowing>) -> Self {
        let principal = Arc::new(self.principal.as_ref().clone().narrowed(narrowing));
        Self { principal, ..self }
    }

    /// The same beyond the request.
    pub(super) fn lasting(self) -> Self {
        Self { cancelled: CancellationToken::new(), ..self }
    }

    /// Time until the caller is known no more.
    pub(super) fn time_left(&self) -> Duration {
        let left = self.principal.ends().map(|end| end.duration_since(SystemTime::now()));
        left.map_or(Duration::MAX, Result::unwrap_or_default)
    }

    /// Whether the caller is known no more.
    pub(super) fn is_over(&self) -> bool {
        self.time_left().is_zero()
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
            kept: Kept::default(),
        }
    }
}
