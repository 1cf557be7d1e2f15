//! What every request passes before the protocol sees it: who asks, and whether there is room.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, CONTENT_LENGTH, RETRY_AFTER};
use http::{HeaderMap, Method, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::access::{Access, Refusal};
use super::held::Held;
use super::http::Limits;
use crate::audit::metrics::{Gauges, METRICS};
use crate::policy::Principal;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

/// What the requests of one server share.
pub struct Gate {
    /// Who may come in.
    pub access: Access,
    /// How much there is room for.
    pub limits: Limits,
    /// The sessions of clients that speak a version with sessions.
    pub sessions: Arc<LocalSessionManager>,
    /// Room for connections.
    pub connections: Arc<Semaphore>,
    /// Room for requests.
    pub in_flight: Arc<Semaphore>,
    stopping: AtomicBool,
    owners: Mutex<HashMap<String, String>>,
}

impl Gate {
    /// A gate with room as `limits` say.
    pub fn new(access: Access, limits: Limits, sessions: Arc<LocalSessionManager>) -> Self {
        Self {
            connections: Arc::new(Semaphore::new(limits.connections)),
            in_flight: Arc::new(Semaphore::new(limits.in_flight)),
            access,
            limits,
            sessions,
            stopping: AtomicBool::new(false),
            owners: Mutex::default(),
        }
    }

    /// Say that the server is about to end.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether new work is welcome.
    pub fn is_ready(&self) -> bool {
        !self.stopping.load(Ordering::Relaxed)
    }

    /// Requests that are being answered.
    pub fn busy(&self) -> usize {
        self.limits.in_flight.saturating_sub(self.in_flight.available_permits())
    }

    /// What is held at this moment.
    pub async fn gauges(&self) -> Gauges {
        let free = self.connections.available_permits();
        Gauges {
            connections: self.limits.connections.saturating_sub(free),
            in_flight: self.busy(),
            sessions: self.sessions.sessions.read().await.len(),
        }
    }

    /// Whether the session that the headers name was opened by somebody else.
    fn is_foreign(&self, headers: &HeaderMap, principal: &Principal) -> bool {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let named = headers.get(SESSION).and_then(|id| id.to_str().ok());
        named.and_then(|id| owners.get(id)).is_some_and(|owner| *owner != principal.key())
    }

    /// Remember who opened the session that the headers tell of, and forget those that ended.
    async fn remember(&self, headers: &HeaderMap, principal: &Principal) {
        let Some(id) = headers.get(SESSION).and_then(|id| id.to_str().ok()) else { return };
        let alive = self.sessions.sessions.read().await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if !owners.contains_key(id) {
            owners.retain(|id, _| alive.contains_key(id.as_str()));
            owners.insert(id.to_owned(), principal.key());
        }
    }
}

/// Let in who may come in, under the name that was proved.
pub async fn identify(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    let principal = match gate.access.identify(request.headers()) {
        Ok(principal) => Arc::new(principal),
        Err(refusal) => {
            warn_of(refusal, request.extensions().get());
            return gate.access.refuse(refusal);
        }
    };
    if gate.is_foreign(request.headers(), &principal) {
        METRICS.count_denial("foreign_session");
        return (StatusCode::NOT_FOUND, "there is no such session; initialize a new one")
            .into_response();
    }
    // The token has done its work; nothing further in should be able to show it.
    request.headers_mut().remove(AUTHORIZATION);
    request.extensions_mut().insert(principal.clone());
    let response = next.run(request).await;
    if principal.is_known() {
        gate.remember(response.headers(), &principal).await;
    }
    response
}

/// Somebody without a token may only be asking the way; somebody with a wrong one is worth a warning.
fn warn_of(refusal: Refusal, remote: Option<&ConnectInfo<SocketAddr>>) {
    let remote = remote.map(|remote| remote.0.to_string()).unwrap_or_default();
    match refusal {
        Refusal::NoToken => {
            tracing::debug!(target: "mcp_filesystem::security", remote, "request without a token");
        }
        _ => tracing::warn!(
            target: "mcp_filesystem::security",
            remote,
            violation_type = refusal.word(),
            "token refused"
        ),
    }
}

/// Count what goes out, whatever it is.
pub async fn count(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    METRICS.count_response(response.status().as_u16());
    if response.status() == StatusCode::FORBIDDEN
        && !response.headers().contains_key(http::header::WWW_AUTHENTICATE)
    {
        METRICS.count_denial("foreign_host_or_origin");
    }
    response
}

/// Answer what there is room for; the rest is told when to come back.
pub async fn carry(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    // A stream that only listens does no work.
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let Ok(permit) = gate.in_flight.clone().try_acquire_owned() else {
        return come_back("in_flight", 1, "the server is busy; try again in a second");
    };
    if may_open_session(request.headers()) && is_full(&gate).await {
        return come_back("sessions", 30, "too many sessions; end some or try again later");
    }
    match with_body(request, &gate.limits).await {
        Ok(request) if only_listens(request.headers()) => {
            drop(permit);
            next.run(request).await
        }
        Ok(request) => next.run(request).await.map(|body| Body::new(Held::new(body, permit))),
        Err(refusal) => refusal,
    }
}

fn come_back(limit: &'static str, seconds: u32, sentence: &'static str) -> Response {
    METRICS.count_refusal(limit);
    let header = [(RETRY_AFTER, seconds.to_string())];
    (StatusCode::SERVICE_UNAVAILABLE, header, sentence).into_response()
}

/// A stateless request that waits for changes. What this header says is held against the body further in.
fn only_listens(headers: &HeaderMap) -> bool {
    is_stateless(headers)
        && headers.get("mcp-method").is_some_and(|method| method == "subscriptions/listen")
}

fn is_stateless(headers: &HeaderMap) -> bool {
    let stateless = ProtocolVersion::V_2026_07_28.as_str();
    headers.get(VERSION).is_some_and(|version| version.as_bytes() == stateless.as_bytes())
}

/// Only a request without a session, in a version that has sessions, can open one.
fn may_open_session(headers: &HeaderMap) -> bool {
    !headers.contains_key(SESSION) && !is_stateless(headers)
}

async fn is_full(gate: &Gate) -> bool {
    gate.sessions.sessions.read().await.len() >= gate.limits.sessions
}

/// The request with its whole body, which must be small enough and come soon enough.
async fn with_body(request: Request, limits: &Limits) -> Result<Request, Response> {
    let (head, body) = request.into_parts();
    let announced = head.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if announced.and_then(|length| length.parse().ok()).is_some_and(|n: usize| n > limits.body) {
        return Err(too_large(limits));
    }
    let bytes = timeout(limits.body_timeout, Limited::new(body, limits.body).collect()).await;
    let bytes: Bytes = match bytes {
        Ok(Ok(whole)) => whole.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(too_large(limits)),
        Ok(Err(_)) => return Err(StatusCode::BAD_REQUEST.into_response()),
        Err(_) => {
            let sentence = "the body did not come in time";
            return Err((StatusCode::REQUEST_TIMEOUT, sentence).into_response());
        }
    };
    METRICS.count_request_bytes(bytes.len() as u64);
    Ok(Request::from_parts(head, Body::from(bytes)))
}

fn too_large(limits: &Limits) -> Response {
    let sentence = format!("the body is too large; the limit is {} bytes", limits.body);
    (StatusCode::PAYLOAD_TOO_LARGE, sentence).into_response()
}
