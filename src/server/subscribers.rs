//! Clients of the older era that follow changes: one task for each session and URI, ended when either goes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio::task::AbortHandle;

use super::Server;
use super::follow::{Ear, Follower, Wanted};

/// Subscriptions that one server holds.
const MOST: usize = 10_000;

/// A session, and what it follows: a URI, or the list when that is empty.
type Key = (String, String);

/// Who follows what.
#[derive(Clone, Default)]
pub(super) struct Subscribers(Arc<Mutex<HashMap<Key, AbortHandle>>>);

impl Subscribers {
    /// Tell the client of this request when `uri` changes.
    pub(super) async fn follow(
        &self,
        server: &Server,
        uri: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let wanted = Wanted { uris: vec![uri.to_owned()], list: false };
        let follower = begin(server, wanted, context).await;
        // Taken back meanwhile: nobody is going to end it.
        if context.ct.is_cancelled() {
            return Ok(());
        }
        if follower.is_idle() {
            let sentence = format!("resource not found, or not to be read: {uri}");
            return Err(ErrorData::resource_not_found(sentence, None));
        }
        self.keep(uri, follower, context)
    }

    /// Tell the client of this request when the list changes. It has just looked at it.
    pub(super) async fn follow_list(&self, server: &Server, context: &RequestContext<RoleServer>) {
        if !self.lock().contains_key(&key("", context)) {
            let wanted = Wanted { uris: Vec::new(), list: true };
            // With too many followers the list is told of no more.
            let _ = self.keep("", begin(server, wanted, context).await, context);
        }
    }

    /// Tell it no more.
    pub(super) fn leave(&self, uri: &str, context: &RequestContext<RoleServer>) {
        if let Some(task) = self.lock().remove(&key(uri, context)) {
            task.abort();
        }
    }

    fn keep(
        &self,
        uri: &str,
        follower: Follower,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let mut tasks = self.lock();
        tasks.retain(|_, task| !task.is_finished());
        if tasks.len() >= MOST {
            return Err(ErrorData::internal_error("too many subscriptions; end some first", None));
        }
        let ear = Ear::Peer(context.peer.clone());
        let task = tokio::spawn(follower.run(ear)).abort_handle();
        if let Some(former) = tasks.insert(key(uri, context), task) {
            former.abort();
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn begin(server: &Server, wanted: Wanted, context: &RequestContext<RoleServer>) -> Follower {
    let caller = server.caller(context).await.lasting();
    Follower::begin(server, caller, wanted, None).await
}

/// The session of this request: the one connection of a client that started us has no name.
fn key(uri: &str, context: &RequestContext<RoleServer>) -> Key {
    let parts = context.extensions.get::<http::request::Parts>();
    let session = parts.and_then(|parts| parts.headers.get("mcp-session-id"));
    let session = session.and_then(|session| session.to_str().ok()).unwrap_or_default();
    (session.to_owned(), uri.to_owned())
}
