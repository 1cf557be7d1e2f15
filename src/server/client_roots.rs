//! The roots that a client says it has: asked for with its first request, and again when they changed. They narrow what
//! it reaches, never more.
#![expect(deprecated, reason = "clients of the handshake era still have roots")]

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::model::{ClientResult, ListRootsRequest, ServerRequest};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServiceError};
use serde_json::Value;
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;

use super::Server;
use super::address::decoded;
use super::asking::{ask, takes_requests};
use crate::cli::ClientRoots;
use crate::limits::{MAX_CLIENT_ROOTS, ROOTS_TIMEOUT};
use crate::policy::Narrowing;

/// What is known of the roots of one client.
#[derive(Default)]
pub(super) struct KnownRoots {
    /// Whether the last answer still holds. Locked while the client is asked: others wait for the same answer.
    is_current: Mutex<bool>,
    narrowing: watch::Sender<Arc<Narrowing>>,
}

impl KnownRoots {
    /// What the roots of the client leave to it, if it has any.
    pub(super) async fn narrowing(
        &self,
        server: &Server,
        context: &RequestContext<RoleServer>,
    ) -> Option<Arc<Narrowing>> {
        if server.client_roots == ClientRoots::Ignore || !has_roots(context) {
            return None;
        }
        let mut is_current = self.is_current.lock().await;
        if !*is_current {
            let answer = tokio::select! {
                answer = asked(context) => answer,
                // Nobody waits for this call any more; whoever comes next will ask.
                () = context.ct.cancelled() => return Some(Arc::new(server.service.policy.shut())),
            };
            self.narrowing.send_replace(Arc::new(judged(server, answer).await));
            *is_current = true;
        }
        Some(self.narrowing.borrow().clone())
    }

    /// The client has other roots now.
    pub(super) async fn changed(&self) {
        *self.is_current.lock().await = false;
    }

    /// Told whenever something else is left.
    pub(super) fn watch(&self) -> watch::Receiver<Arc<Narrowing>> {
        self.narrowing.subscribe()
    }
}

/// The stateless era has no way to ask once: every call would have to be made twice.
fn has_roots(context: &RequestContext<RoleServer>) -> bool {
    let declared = context.client_capabilities().and_then(|capabilities| capabilities.roots);
    declared.is_some() && takes_requests(context)
}

/// The addresses of the roots; `None` when the client does not tell.
async fn asked(context: &RequestContext<RoleServer>) -> Option<Vec<Value>> {
    let request = ServerRequest::ListRootsRequest(ListRootsRequest {
        method: Default::default(),
        extensions: Default::default(),
    });
    let answer = match timeout(ROOTS_TIMEOUT, ask(&context.peer, request)).await {
        Ok(answer) => answer.and_then(addresses).map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer within {} s", ROOTS_TIMEOUT.as_secs())),
    };
    answer.inspect_err(|error| tracing::warn!(error, "the client does not tell its roots")).ok()
}

/// The addresses in an answer, whatever else is wrong with it.
fn addresses(answer: ClientResult) -> Result<Vec<Value>, ServiceError> {
    match answer {
        ClientResult::ListRootsResult(result) => {
            Ok(result.roots.into_iter().map(|root| root.uri.into()).collect())
        }
        ClientResult::CustomResult(result) => {
            let roots = result.0.get("roots").and_then(Value::as_array).cloned();
            let roots = roots.ok_or(ServiceError::UnexpectedResponse)?;
            let address = |root: Value| root.get("uri").cloned().unwrap_or(root);
            Ok(roots.into_iter().map(address).collect())
        }
        _ => Err(ServiceError::UnexpectedResponse),
    }
}

/// What such an answer leaves.
async fn judged(server: &Server, answer: Option<Vec<Value>>) -> Narrowing {
    let directories = directories(&answer.unwrap_or_default());
    let (service, worth) = (server.service.clone(), server.client_roots);
    let (shown, is_named) = (format!("{directories:?}"), !directories.is_empty());
    let looked = tokio::task::spawn_blocking(move || service.policy.narrowed(&directories)).await;
    match (looked.ok().flatten(), worth) {
        (Some(narrowing), _) if is_named => {
            tracing::info!(roots = shown, "the client's own roots narrow what it reaches");
            narrowing
        }
        (_, ClientRoots::Strict) => {
            tracing::warn!(roots = shown, "the client's own roots leave nothing of what is served");
            server.service.policy.shut()
        }
        _ if is_named => {
            tracing::warn!(
                roots = shown,
                "the client's own roots share nothing with what is served, and are left aside"
            );
            Narrowing::default()
        }
        _ => Narrowing::default(),
    }
}

/// The directories that the addresses name; what is none is left out with a warning.
fn directories(addresses: &[Value]) -> Vec<PathBuf> {
    let named = addresses.iter().take(MAX_CLIENT_ROOTS).filter_map(|address| {
        let directory = address.as_str().and_then(directory);
        if directory.is_none() {
            let root = address.to_string();
            tracing::warn!(root, "a root of the client is no file:// address and is left out");
        }
        directory
    });
    named.collect()
}

/// `file:///home/me` and `file://localhost/home/me`.
fn directory(address: &str) -> Option<PathBuf> {
    let rest = address.strip_prefix("file://")?;
    let path = decoded(rest.strip_prefix("localhost").unwrap_or(rest))?;
    (path.starts_with('/') && !path.contains('\0')).then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_addresses_of_this_machine_are_directories() {
        for (address, path) in [
            ("file:///home/me", Some("/home/me")),
            ("file://localhost/home/me/", Some("/home/me/")),
            ("file:///a%20b/%C3%B6", Some("/a b/ö")),
            ("file:///", Some("/")),
            ("file://elsewhere/home", None),
            ("file:home", None),
            ("https://example.org/", None),
            ("/home/me", None),
            ("file:///a%00b", None),
            ("file:///a%zz", None),
        ] {
            assert_eq!(directory(address), path.map(PathBuf::from), "{address}");
        }
    }
}
