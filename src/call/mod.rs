//! The road: what every call of every tool goes through, stage by stage.

mod cx;
mod hint;
mod reply;
mod trail;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Instant;

use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::args::Arguments;
use crate::audit::{self, Record, Work};
use crate::control::{Control, Halt, Progress};
use crate::error::Error;
use crate::guidebook::Guidebook;
use crate::limits::MAX_RUNNING_CALLS;
use crate::policy::{Policy, Principal};
use crate::sandbox;
use crate::toolsets::{Registered, Registry, Toolset};
pub use cx::{Bounds, Cx};
pub use reply::Answer;
pub use trail::Trail;

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
    permits: Arc<Semaphore>,
    swept: Once,
}

/// One call as it arrived.
pub struct Call {
    /// The tool's name for clients.
    pub tool: String,
    /// Its arguments.
    pub arguments: Arguments,
    /// Which program calls: name and version as it says itself.
    pub client: String,
    /// On whose behalf, as the transport made sure of it.
    pub principal: Arc<Principal>,
    /// Fires when the client cancels or goes away.
    pub cancelled: CancellationToken,
    /// Told how far the work is, if the client asked.
    pub progress: Option<Progress>,
}

impl Service {
    /// A service of these tools under these rules.
    pub fn new(registry: Registry, policy: Policy, bounds: Bounds, structured: bool) -> Self {
        let permits = Arc::new(Semaphore::new(MAX_RUNNING_CALLS));
        let (guidebook, swept) = (Guidebook::default(), Once::new());
        Self { registry, policy, bounds, structured, guidebook, permits, swept }
    }

    /// The same, with the guide's own configuration.
    pub fn with_guidebook(self, guidebook: Guidebook) -> Self {
        Self { guidebook, ..self }
    }

    /// Calls that run at this moment.
    pub fn running(&self) -> usize {
        MAX_RUNNING_CALLS.saturating_sub(self.permits.available_permits())
    }

    /// Answer one call; `None` when there is no such tool.
    pub async fn call(self: &Arc<Self>, call: Call) -> Option<Answer> {
        self.registry.get(&call.tool)?;
        self.swept.call_once(|| sweep_aside(&self.policy));
        let started = Instant::now();
        let (name, client) = (call.tool.clone(), call.client.clone());
        audit::called(&name);
        let principal = call.principal.clone();
        let (outcome, trail) = self.run_aside(call).await;
        let tool = self.registry.get(&name)?;
        let answer = reply::wrap(tool, &outcome, &trail, self.structured);
        audit::record(&Record {
            tool: &name,
            trail: &trail,
            error: outcome.as_ref().err(),
            duration: started.elapsed(),
            response_bytes: answer.text.len(),
            client: &client,
            principal: principal.name(),
        });
        audit::ended(&name, tool.toolset, Work::Blocking, outcome.as_ref().err());
        Some(answer)
    }

    /// Run the call on a thread that may block, and tell it when nobody waits any more.
    async fn run_aside(self: &Arc<Self>, call: Call) -> (Result<Value, Error>, Trail) {
        let control = Control::with_progress(call.progress.clone());
        let cancelled = call.cancelled.clone();
        let permit = tokio::select! {
            permit = self.permits.clone().acquire_owned() => permit.ok(),
            () = cancelled.cancelled() => return (Err(Halt::Cancelled.into()), Trail::default()),
        };
        let (service, reins) = (self.clone(), control.clone());
        let mut work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            service.run(call, reins)
        });
        let done = tokio::select! {
            done = &mut work => done,
            () = cancelled.cancelled() => {
                control.cancel();
                work.await
            }
        };
        done.unwrap_or_else(|_| {
            (Err(Error::Internal("the call was lost".into())), Trail::default())
        })
    }

    fn run(&self, call: Call, control: Control) -> (Result<Value, Error>, Trail) {
        let trail = Mutex::new(Trail::default());
        // A panic answers this call and nothing else.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.stages(call, control, &trail)))
            .unwrap_or_else(|_| Err(Error::Internal("the tool failed unexpectedly".into())));
        (outcome, trail.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn stages(&self, call: Call, control: Control, trail: &Mutex<Trail>) -> Result<Value, Error> {
        let tool =
            self.registry.get(&call.tool).ok_or_else(|| Error::Internal("no such tool".into()))?;
        let definition = &tool.definition;
        let (arguments, principal) = (tool.toolset.arguments(call.arguments), &call.principal);
        self.admit(tool, &arguments, principal, trail)?;
        let cx = Cx {
            policy: &self.policy,
            principal,
            tool: definition.name,
            bounds: &self.bounds,
            guidebook: &self.guidebook,
            control,
            trail,
        };
        let outcome = (definition.run)(&definition.input, arguments, &cx);
        outcome.map_err(|error| hint::enrich(error, &cx))
    }

    /// May this caller run this tool on the roots that the arguments name? Asked before anything else is judged.
    fn admit(
        &self,
        tool: &Registered,
        arguments: &Arguments,
        principal: &Principal,
        trail: &Mutex<Trail>,
    ) -> Result<(), Error> {
        if tool.toolset != Toolset::Roots {
            self.policy.admit_home(principal, tool.definition.name)?;
        }
        for (argument, access) in tool.definition.roots {
            let Some(root) = arguments.get(*argument).and_then(Value::as_str) else { continue };
            let admitted = self.policy.admit(principal, root, tool.definition.name, *access);
            if let Err(error) = admitted {
                let path =
                    arguments.get("path").or(arguments.get("source_path")).and_then(Value::as_str);
                let mut trail = trail.lock().unwrap_or_else(PoisonError::into_inner);
                trail.went_to(root, path.unwrap_or_default());
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Remove what a killed server left behind: with the first call, not at start, because a client may start a server
/// only to ask what it is.
fn sweep_aside(policy: &Policy) {
    let roots: Vec<_> = policy.changeable().cloned().collect();
    std::thread::spawn(move || {
        for root in roots {
            let removed = sandbox::sweep(&root);
            if removed > 0 {
                tracing::info!(
                    root = root.name(),
                    removed,
                    "removed temporaries of a server that was killed"
                );
            }
        }
    });
}
