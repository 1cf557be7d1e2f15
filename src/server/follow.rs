//! Following changes for a client: which directories to watch, what a change means, and telling it once.

use std::collections::{BTreeSet, HashMap};

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext, SubscriptionSink};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::{Duration, sleep, timeout};

use super::Server;
use super::address::Address;
use super::caller::Caller;
use crate::call::Held;
use crate::limits::CHANGE_PAUSE;
use crate::sandbox::{Change, WatchId};
use crate::toolsets::resources;

/// Time between two words about the list: it costs the client a new list, and us a new look at the tree.
const LIST_PAUSE: Duration = Duration::from_secs(1);
/// How often a silent follower looks whether its client is still there.
const LOOK: Duration = Duration::from_secs(30);

/// What a client wants to hear of.
#[derive(Clone, Default)]
pub(super) struct Wanted {
    pub(super) uris: Vec<String>,
    pub(super) list: bool,
}

/// How it is told.
pub(super) enum Ear {
    /// On the stream of its own request.
    Stream(SubscriptionSink),
    /// As a message of ours, as it was before the stateless era.
    Peer(Peer<RoleServer>),
}

impl Ear {
    async fn tell(&self, tidings: Tidings) {
        for uri in tidings.uris {
            // A client that went away is told nothing.
            match self {
                Self::Stream(sink) => _ = sink.notify_resource_updated(uri).await,
                Self::Peer(peer) => {
                    let changed = ResourceUpdatedNotificationParam::new(uri);
                    _ = peer.notify_resource_updated(changed).await;
                }
            }
        }
        match self {
            Self::Stream(sink) if tidings.list => _ = sink.notify_resource_list_changed().await,
            Self::Peer(peer) if tidings.list => _ = peer.notify_resource_list_changed().await,
            _ => {}
        }
    }

    fn is_gone(&self) -> bool {
        matches!(self, Self::Peer(peer) if peer.is_transport_closed())
    }
}

/// What there is to tell.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tidings {
    uris: BTreeSet<String>,
    list: bool,
}

impl Tidings {
    fn is_empty(&self) -> bool {
        self.uris.is_empty() && !self.list
    }
}

/// What is watched, and what it means.
#[derive(Default)]
struct Followed {
    held: Vec<Held>,
    /// The URIs of a watched directory: each means one name in it, or the directory itself.
    uris: HashMap<WatchId, Vec<(Option<String>, String)>>,
    list: BTreeSet<WatchId>,
}

impl Followed {
    fn note(&self, change: &Change, tidings: &mut Tidings) {
        match change {
            Change::Overflow => {
                tidings.uris.extend(self.uris.values().flatten().map(|(_, uri)| uri.clone()));
                tidings.list |= !self.list.is_empty();
            }
            Change::Gone(id) => self.note_in(*id, |_| true, tidings),
            Change::Content(id, changed) => {
                let changed = changed.to_str();
                self.note_in(*id, |name| name.is_some() && name == changed, tidings);
            }
            Change::Entry(id, changed) => {
                let changed = changed.to_str();
                self.note_in(*id, |name| name.is_none() || name == changed, tidings);
                let is_listed = changed.is_some_and(|name| !name.starts_with('.'));
                tidings.list |= is_listed && self.list.contains(id);
            }
        }
    }

    fn note_in(&self, id: WatchId, fits: impl Fn(Option<&str>) -> bool, tidings: &mut Tidings) {
        let here = self.uris.get(&id).into_iter().flatten();
        let meant = here.filter(|(name, _)| fits(name.as_deref()));
        tidings.uris.extend(meant.map(|(_, uri)| uri.clone()));
    }
}

/// Tell a client of the stateless era what it wants to hear, for as long as it listens.
pub(super) async fn listen(server: &Server, context: &SubscriptionContext) {
    let accepted = context.accepted();
    let wanted = Wanted {
        uris: accepted.resource_subscriptions.clone().unwrap_or_default(),
        list: accepted.resources_list_changed == Some(true),
    };
    let caller = Caller::of(context.request_context());
    let ear = Ear::Stream(context.sink().clone());
    let follower = Follower::begin(server, caller, wanted, ear).await;
    tokio::select! {
        () = follower.run() => {}
        () = context.cancelled() => {}
    }
}

/// A client that is told of changes.
pub(super) struct Follower {
    server: Server,
    caller: Caller,
    wanted: Wanted,
    ear: Ear,
    followed: Followed,
    changes: Receiver<Change>,
}

impl Follower {
    /// Begin to watch. What may not be read is not watched.
    pub(super) async fn begin(server: &Server, caller: Caller, wanted: Wanted, ear: Ear) -> Self {
        let changes = server.service.watches.changes();
        let mut follower = Self {
            server: server.clone(),
            caller,
            wanted,
            ear,
            followed: Followed::default(),
            changes,
        };
        follower.look().await;
        follower
    }

    /// Whether there is anything to watch.
    pub(super) fn is_idle(&self) -> bool {
        self.followed.held.is_empty()
    }

    /// Tell of changes until the client is gone.
    pub(super) async fn run(mut self) {
        while !self.ear.is_gone() {
            let mut tidings = Tidings::default();
            match timeout(LOOK, self.changes.recv()).await {
                Err(_) => continue,
                Ok(Err(RecvError::Closed)) => return,
                Ok(Err(RecvError::Lagged(_))) => {
                    self.followed.note(&Change::Overflow, &mut tidings);
                }
                Ok(Ok(change)) => self.followed.note(&change, &mut tidings),
            }
            if !tidings.is_empty() {
                self.gather(&mut tidings).await;
                let list = tidings.list;
                self.ear.tell(tidings).await;
                if list {
                    sleep(LIST_PAUSE).await;
                    self.look().await;
                }
            }
        }
    }

    /// Wait for what belongs to the same change.
    async fn gather(&mut self, tidings: &mut Tidings) {
        sleep(CHANGE_PAUSE).await;
        loop {
            match self.changes.try_recv() {
                Ok(change) => self.followed.note(&change, tidings),
                Err(TryRecvError::Lagged(_)) => self.followed.note(&Change::Overflow, tidings),
                Err(_) => return,
            }
        }
    }

    /// Watch what is wanted as it is now: a new directory has to be watched as well.
    async fn look(&mut self) {
        let mut followed = Followed::default();
        for uri in &self.wanted.uris {
            let Some(address) = Address::parse(uri) else { continue };
            let path = json!({"path": address.place()});
            let found = self.watch(resources::WATCH, &address.root, path).await;
            let Some((held, name)) = found else { continue };
            for id in held.ids() {
                followed.uris.entry(*id).or_default().push((name.clone(), uri.clone()));
            }
            followed.held.push(held);
        }
        if self.wanted.list {
            for root in self.server.readable(&self.caller) {
                if let Some((held, _)) = self.watch(resources::WATCH_LIST, &root, json!({})).await {
                    followed.list.extend(held.ids());
                    followed.held.push(held);
                }
            }
        }
        self.followed = followed;
    }

    async fn watch(
        &self,
        operation: &str,
        root: &str,
        arguments: Value,
    ) -> Option<(Held, Option<String>)> {
        let found = self.server.inner(operation, root, arguments, &self.caller).await.ok()?;
        let ids: Vec<WatchId> = serde_json::from_value(found["watches"].clone()).ok()?;
        let held = Held::new(self.server.service.watches.clone(), ids);
        Some((held, found["name"].as_str().map(str::to_owned)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed() -> Followed {
        let file = (Some("a.txt".to_owned()), "mcpfs://r/a.txt".to_owned());
        let directory = (None, "mcpfs://r".to_owned());
        Followed {
            held: Vec::new(),
            uris: HashMap::from([(1, vec![file, directory])]),
            list: BTreeSet::from([1]),
        }
    }

    fn told(change: Change) -> (Vec<String>, bool) {
        let mut tidings = Tidings::default();
        followed().note(&change, &mut tidings);
        (tidings.uris.into_iter().collect(), tidings.list)
    }

    #[test]
    fn a_change_means_the_file_its_directory_or_the_list() {
        let (file, directory) = ("mcpfs://r/a.txt".to_owned(), "mcpfs://r".to_owned());
        assert_eq!(told(Change::Content(1, "a.txt".into())), (vec![file.clone()], false));
        assert_eq!(told(Change::Content(1, "b.txt".into())), (vec![], false));
        assert_eq!(told(Change::Entry(1, "b.txt".into())), (vec![directory.clone()], true));
        assert_eq!(told(Change::Entry(1, ".b".into())), (vec![directory.clone()], false));
        assert_eq!(told(Change::Entry(2, "a.txt".into())), (vec![], false));
        let both = vec![directory, file];
        assert_eq!(told(Change::Entry(1, "a.txt".into())), (both.clone(), true));
        assert_eq!(told(Change::Gone(1)), (both.clone(), false));
        assert_eq!(told(Change::Overflow), (both, true));
    }
}
