//! Watching begins before a client of the stateless era is told that it is heard: the protocol library says so before
//! it hands us the request, and what changes in between must not be missed.

use std::collections::HashMap;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::SubscriptionFilter;
use serde_json::json;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::broadcast::Receiver;
use tokio::task::{Id, block_in_place, spawn_blocking, try_id};

use super::Server;
use super::address::Address;
use super::caller::Caller;
use crate::call::Held;
use crate::sandbox::Change;
use crate::toolsets::{Toolset, inner_name, resources};

/// How long the client waits for the word that it is heard. A disk that takes longer is watched when it answers.
const PATIENCE: Duration = Duration::from_secs(1);

/// What was begun for requests that are not handed out yet, by the task that answers them.
#[derive(Default)]
pub(super) struct Ahead(Mutex<HashMap<Id, Begun>>);

/// Watches that were begun, and what has changed since.
pub(super) struct Begun {
    pub(super) changes: Receiver<Change>,
    /// What was there to be watched.
    pub(super) uris: Vec<String>,
    _held: Vec<Held>,
}

impl Ahead {
    /// Watch what the filter names. Whether the client may know of it is judged when its request is handed out:
    /// until then nobody hears of anything.
    pub(super) fn begin(&self, server: &Server, filter: &SubscriptionFilter) {
        let Some(task) = try_id() else { return };
        let (server, filter) = (server.clone(), filter.clone());
        let (sender, receiver) = sync_channel(1);
        // The disk is looked at aside. What comes too late is dropped, and watched no more.
        spawn_blocking(move || _ = sender.try_send(begin(&server, &filter)));
        if let Ok(begun) = waiting(|| receiver.recv_timeout(PATIENCE)) {
            self.lock().insert(task, begun);
        }
    }

    /// What was begun for the request that this task answers.
    pub(super) fn take(&self) -> Option<Begun> {
        try_id().and_then(|task| self.lock().remove(&task))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Begun>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wait where nobody else has to, if there are other threads.
fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => block_in_place(wait),
        _ => wait(),
    }
}

fn begin(server: &Server, filter: &SubscriptionFilter) -> Begun {
    let changes = server.service.watches.changes();
    let (mut uris, mut held) = (Vec::new(), Vec::new());
    for uri in filter.resource_subscriptions.iter().flatten() {
        let Some(address) = Address::parse(uri) else { continue };
        let path = address.place();
        let begun = watch(server, resources::WATCH, &address.root, path);
        if !begun.is_empty() {
            uris.push(uri.clone());
            held.extend(begun);
        }
    }
    if filter.resources_list_changed == Some(true) {
        let roots = server.readable(&Caller::ourselves());
        let watch = |root: &String| watch(server, resources::WATCH_LIST, root, ".");
        held.extend(roots.iter().flat_map(watch));
    }
    Begun { changes, uris, _held: held }
}

fn watch(server: &Server, operation: &str, root: &str, path: &str) -> Vec<Held> {
    let toolset = if root.is_empty() { Toolset::Files } else { Toolset::Roots };
    let mut arguments = json!({"root": root});
    if operation == resources::WATCH {
        arguments["path"] = path.into();
    }
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    server.service.prepare(Caller::ourselves().call(inner_name(toolset, operation), arguments))
}
