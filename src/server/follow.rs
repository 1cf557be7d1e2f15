//! Following changes for a client: which directories to watch, what a change means, and telling it once.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext, SubscriptionSink};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::watch;
use tokio::time::{Duration, sleep};

use super::Server;
use super::address::Address;
use super::ahead::Begun;
use super::caller::Caller;
use crate::call::Held;
use crate::limits::CHANGE_PAUSE;
use crate::policy::Narrowing;
use crate::sandbox::{Change, WatchId};
use crate::toolsets::{Toolset, inner_name, resources};

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
    /// The URIs that are followed.
    fn followed(&self) -> impl Iterator<Item = &String> {
        self.uris.values().flatten().map(|(_, uri)| uri)
    }

    fn note(&self, change: &Change, tidings: &mut Tidings) {
        match change {
            Change::Overflow => {
                tidings.uris.extend(self.followed().cloned());
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
    let begun = server.visitor.ahead.take();
    let caller = server.caller(context.request_context()).await;
    let follower = Follower::begin(server, caller, wanted, begun).await;
    tokio::select! {
        () = follower.run(Ear::Stream(context.sink().clone())) => {}
        () = context.cancelled() => {}
    }
}

/// A client that is told of changes.
pub(super) struct Follower {
    server: Server,
    caller: Caller,
    wanted: Wanted,
    followed: Followed,
    changes: Receiver<Change>,
    /// What the client's own roots leave.
    narrowing: watch::Receiver<Arc<Narrowing>>,
    /// What is to be told before all else.
    owed: Tidings,
}

impl Follower {
    /// Begin to watch, or take over what was begun before. What may not be read is not watched.
    pub(super) async fn begin(
        server: &Server,
        caller: Caller,
        wanted: Wanted,
        begun: Option<Begun>,
    ) -> Self {
        let mut follower = Self {
            server: server.clone(),
            caller,
            wanted,
            followed: Followed::default(),
            changes: server.service.watches.changes(),
            narrowing: server.visitor.roots.watch(),
            owed: Tidings::default(),
        };
        follower.look().await;
        if let Some(begun) = begun {
            follower.take_over(begun);
        }
        follower
    }

    /// What was there when watching began and is not any more has gone in between.
    fn take_over(&mut self, begun: Begun) {
        let readable = self.server.readable(&self.caller);
        let followed: BTreeSet<&String> = self.followed.followed().collect();
        let gone = begun.uris.iter().filter(|uri| !followed.contains(uri));
        let may_be_told = |uri: &&String| {
            Address::parse(uri).is_some_and(|address| readable.contains(&address.root))
        };
        self.owed.uris = gone.filter(may_be_told).cloned().collect();
        self.changes = begun.changes;
    }

    /// Whether there is anything to watch.
    pub(super) fn is_idle(&self) -> bool {
        self.followed.held.is_empty()
    }

    /// Tell of changes until the client is gone, or known no more.
    pub(super) async fn run(mut self, ear: Ear) {
        ear.tell(std::mem::take(&mut self.owed)).await;
        while !ear.is_gone() && !self.caller.is_over() {
            let mut tidings = self.next().await;
            if !tidings.is_empty() {
                self.gather(&mut tidings).await;
                let list = tidings.list;
                ear.tell(tidings).await;
                if list {
                    sleep(LIST_PAUSE).await;
                    self.look().await;
                }
            }
        }
    }

    /// What there is to tell next; nothing after a while.
    async fn next(&mut self) -> Tidings {
        let mut tidings = Tidings::default();
        tokio::select! {
            change = self.changes.recv() => match change {
                Ok(change) => self.followed.note(&change, &mut tidings),
                Err(RecvError::Lagged(_)) => self.followed.note(&Change::Overflow, &mut tidings),
                // The server ends.
                Err(RecvError::Closed) => sleep(LOOK).await,
            },
            Ok(()) = self.narrowing.changed() => {
                let narrowing = self.narrowing.borrow_and_update().clone();
                self.caller = self.caller.clone().narrowed(narrowing);
                self.look().await;
                tidings.list = self.wanted.list;
            }
            () = sleep(LOOK.min(self.caller.time_left())) => {}
        }
        tidings
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
            for id in held.iter().flat_map(Held::ids) {
                followed.uris.entry(*id).or_default().push((name.clone(), uri.clone()));
            }
            followed.held.extend(held);
        }
        if self.wanted.list {
            for root in self.server.readable(&self.caller) {
                if let Some((held, _)) = self.watch(resources::WATCH_LIST, &root, json!({})).await {
                    followed.list.extend(held.iter().flat_map(Held::ids));
                    followed.held.extend(held);
                }
            }
        }
        self.followed = followed;
    }

    async fn watch(
        &self,
        operation: &str,
        root: &str,
        mut arguments: Value,
    ) -> Option<(Vec<Held>, Option<String>)> {
        let toolset = if root.is_empty() { Toolset::Files } else { Toolset::Roots };
        arguments["root"] = root.into();
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let call = self.caller.call(inner_name(toolset, operation), arguments);
        let kept = call.kept.clone();
        let found = self.server.answered(call).await.ok()?;
        Some((kept.take(), found["name"].as_str().map(str::to_owned)))
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
