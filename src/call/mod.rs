//! The road: what every call of every tool goes through, stage by stage.

mod aside;
mod converse;
mod cx;
mod hint;
mod reply;
mod sweep;
mod trail;
mod watches;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::args::Arguments;
use crate::audit::{self, Record, Watch, Work};
use crate::bridge::{Bridge, Channel, Reply, Said};
use crate::control::{Control, Progress};
use crate::error::Error;
use crate::guidebook::Guidebook;
use crate::limits::MAX_RUNNING_CALLS;
use crate::policy::{Enforced, Policy, Principal, Quota, Rates};
use crate::sandbox::Patience;
use crate::toolsets::{Registered, Registry, Toolset};
use aside::Ending;
pub use cx::{Bounds, Cx};
pub(crate) use reply::success;
pub use reply::{Answer, Asking, Turn};
pub use trail::Trail;
pub use watches::{Held, Kept, Watches};

/// What the calls of one server share.
pub struct Service {
    /// The tools.
    pub registry: Registry,
    /// The roots and their rules.
    pub policy: Policy,
    /// The bounds.
    pub bounds: Bounds,
    /// Whether answers carry `structuredContent` beside the text.
    pub structured: bool,
    /// The guide's own configuration.
    pub guidebook: Guidebook,
    rates: Rates,
    limited: Vec<Toolset>,
    /// The way to the agent's files, where a toolset needs it.
    bridge: Option<Bridge>,
    watch: Watch,
    /// Change notification.
    pub watches: Arc<Watches>,
    permits: Arc<Semaphore>,
    swept: Once,
}

/// One call as it arrived.
#[derive(Clone)]
pub struct Call {
    /// The tool's name for clients.
    pub tool: String,
    /// Its arguments.
    pub arguments: Arguments,
    /// Which program calls: name and version as it says itself.
    pub client: String,
    /// On whose behalf, as the transport made sure of it.
    pub principal: Arc<Principal>,
    /// Whose calls are counted together: where the client is, or what it calls itself.
    pub caller: String,
    /// Fires when the client cancels or goes away.
    pub cancelled: CancellationToken,
    /// Told how far the work is, if the client asked.
    pub progress: Option<Progress>,
    /// How the client can be asked back.
    pub channel: Channel,
    /// What the client brings from an earlier turn of the same call.
    pub returned: Option<Returned>,
    /// What it begins to watch.
    pub kept: Kept,
}

/// What a client brings when it repeats a call that was answered with a question.
#[derive(Clone)]
pub struct Returned {
    /// Our ticket, as it was sealed.
    pub state: String,
    /// What the agent said, if it did.
    pub said: Option<Said>,
}

impl Service {
    /// A service of these tools under these rules.
    pub fn new(registry: Registry, policy: Policy, bounds: Bounds, structured: bool) -> Self {
        let permits = Arc::new(Semaphore::new(MAX_RUNNING_CALLS));
        let rates = Rates::new(Quota::default());
        let (guidebook, limited, swept) = (Guidebook::default(), Vec::new(), Once::new());
        let (bridge, watch) = (None, Watch::default());
        Self {
            registry,
            policy,
            bounds,
            structured,
            guidebook,
            rates,
            limited,
            bridge,
            watch,
            watches: Arc::default(),
            permits,
            swept,
        }
    }

    /// The same, with the guide's own configuration.
    pub fn with_guidebook(self, guidebook: Guidebook) -> Self {
        Self { guidebook, ..self }
    }

    /// Calls that run at this moment.
    pub fn running(&self) -> usize {
        MAX_RUNNING_CALLS.saturating_sub(self.permits.available_permits())
    }

    /// The same service, counting calls against `quota` and refusing those beyond it to the `limited` toolsets.
    pub fn with_quota(self, quota: Quota, limited: Vec<Toolset>) -> Self {
        Self { rates: Rates::new(quota), limited, ..self }
    }

    /// The same with a way to the agent's files.
    pub fn bridged(self, bridge: Bridge, burst: u64) -> Self {
        Self { bridge: Some(bridge), watch: Watch::new(burst), ..self }
    }

    /// Answer one call, or ask something back; `None` when there is no such tool.
    ///
    /// The road is long, and the protocol's machinery moves about what it holds: it gets a box.
    pub fn call(self: &Arc<Self>, call: Call) -> BoxFuture<'_, Option<Turn>> {
        Box::pin(self.answer(call))
    }

    async fn answer(self: &Arc<Self>, call: Call) -> Option<Turn> {
        let tool = self.registry.find(&call.tool)?;
        self.swept.call_once(|| sweep::aside(&self.policy));
        let started = Instant::now();
        let (client, principal) = (call.client.clone(), call.principal.clone());
        audit::called(&tool.name);
        let arguments = audit::sanitised(&call.arguments);
        self.watch.called(tool.toolset, &client);
        let (outcome, trail) = match self.rates.count(&call.caller, self.enforced(tool.toolset)) {
            Ok(()) => self.converse(tool, call).await,
            Err(error) => (Err(error), Trail::asking(&call.arguments)),
        };
        let (turn, error) = match outcome {
            Ok(converse::Outcome::Asks(asking)) => (Turn::Asks(asking), None),
            Ok(converse::Outcome::Done(value)) => {
                (Turn::Done(reply::success(tool, value, self.structured)), None)
            }
            Err(error) => {
                let answer = reply::failure(tool, &error, &trail, self.structured);
                (Turn::Done(answer), Some(error))
            }
        };
        audit::record(&Record {
            tool,
            trail: &trail,
            ending: turn.ending(),
            error: error.as_ref(),
            duration: started.elapsed(),
            response_bytes: turn.bytes(),
            client: &client,
            principal: principal.name(),
            arguments,
            watch: &self.watch,
        });
        let work = if tool.definition.asks { Work::Waiting } else { Work::Blocking };
        if let Turn::Done(_) = turn {
            audit::ended(&tool.name, tool.toolset, work, error.as_ref());
        }
        Some(turn)
    }

    fn enforced(&self, toolset: Toolset) -> Enforced {
        if self.limited.contains(&toolset) { Enforced::Yes } else { Enforced::No }
    }

    /// How long a call may take: the tools of `roots` have limits of their own.
    fn time_of(&self, toolset: Toolset) -> Option<Duration> {
        (toolset == Toolset::Files).then_some(self.bounds.request_timeout)
    }

    fn run(
        &self,
        call: Call,
        reply: Option<Reply>,
        control: Control,
        patience: Patience,
    ) -> Ending {
        let trail = Mutex::new(Trail::asking(&call.arguments));
        // A panic answers this call and nothing else.
        let outcome =
            catch_unwind(AssertUnwindSafe(|| self.stages(call, reply, control, patience, &trail)))
                .unwrap_or_else(|_| Err(Error::Internal("the tool failed unexpectedly".into())));
        (outcome, trail.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn stages(
        &self,
        call: Call,
        reply: Option<Reply>,
        control: Control,
        patience: Patience,
        trail: &Mutex<Trail>,
    ) -> Result<Value, Error> {
        let tool =
            self.registry.find(&call.tool).ok_or_else(|| Error::Internal("no such tool".into()))?;
        let definition = &tool.definition;
        let (arguments, principal) = (tool.toolset.arguments(call.arguments), &call.principal);
        self.admit(tool, &arguments, principal, trail)?;
        let cx = Cx {
            service: self,
            policy: &self.policy,
            principal,
            tool: definition.name,
            home: definition.home,
            toolset: tool.toolset,
            bounds: &self.bounds,
            guidebook: &self.guidebook,
            control,
            trail,
            channel: &call.channel,
            kept: &call.kept,
            reply,
            patience,
        };
        let outcome = (definition.run)(&definition.input, arguments, &cx);
        outcome.map_err(|error| match patience {
            Patience::Any => hint::enrich(error, &cx),
            // Looking for near names takes time; the call is made once more where there is some.
            Patience::None => error,
        })
    }

    /// May this caller run this tool in the one directory, or on the roots that the arguments name? Asked before
    /// anything else is judged.
    fn admit(
        &self,
        tool: &Registered,
        arguments: &Arguments,
        principal: &Principal,
        trail: &Mutex<Trail>,
    ) -> Result<(), Error> {
        if tool.toolset != Toolset::Roots {
            let (name, home) = (tool.definition.name, tool.definition.home);
            match home {
                Some(home) => {
                    _ = self.policy.admit_home(principal, name, home.grants, home.access)?
                }
                None => self.policy.admit_caller(principal, name, &[])?,
            }
        }
        for (argument, access) in tool.definition.roots {
            let Some(root) = arguments.get(*argument).and_then(Value::as_str) else { continue };
            let admitted = self.policy.admit(principal, root, tool.definition.name, *access);
            if let Err(error) = admitted {
                let mut trail = trail.lock().unwrap_or_else(PoisonError::into_inner);
                trail.root = Some(root.to_owned());
                return Err(error);
            }
        }
        Ok(())
    }
}
