//! Running a call: on the spot when nothing has to be waited for, else on a thread that may block, and answering for it
//! when it does not come back in time.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::{Call, Service, Trail};
use crate::bridge::Reply;
use crate::control::{Control, Halt};
use crate::error::Error;
use crate::limits::TIMEOUT_GRACE;
use crate::sandbox::Patience;
use crate::toolsets::Registered;

/// How a call ended, and what it touched.
pub(super) type Ending = (Result<Value, Error>, Trail);

impl Service {
    /// The call's answer if the kernel holds all that it needs; no thread is woken for it, which would cost more than
    /// the work. Whatever fails is tried once more aside, where there is time.
    pub(super) fn run_at_hand(&self, tool: &Registered, call: &Call) -> Option<Ending> {
        if !tool.definition.at_hand {
            return None;
        }
        let ending = self.run(call.clone(), None, Control::default(), Patience::None);
        Some(ending).filter(|(outcome, _)| outcome.is_ok())
    }

    /// Run the call aside, and tell it when nobody waits any more. Where its toolset has a time limit it ends by then,
    /// one way or another.
    pub(super) async fn run_aside(
        self: &Arc<Self>,
        tool: &Registered,
        call: Call,
        reply: Option<Reply>,
    ) -> Ending {
        let limit = self.time_of(tool.toolset);
        let asked = Trail::asking(&call.arguments);
        let control = Control::with_progress(call.progress.clone());
        let control = limit.map_or(control.clone(), |limit| control.within(limit));
        let cancelled = call.cancelled.clone();
        let permit = tokio::select! {
            permit = self.permits.clone().acquire_owned() => permit.ok(),
            () = cancelled.cancelled() => return (Err(Halt::Cancelled.into()), asked),
            () = overdue(&control, Duration::ZERO) => return (Err(Halt::DeadlinePassed.into()), asked),
        };
        let (service, reins) = (self.clone(), control.clone());
        let mut work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            service.run(call, reply, reins, Patience::Any)
        });
        let done = tokio::select! {
            done = &mut work => done,
            () = cancelled.cancelled() => {
                control.cancel();
                work.await
            }
            () = overdue(&control, TIMEOUT_GRACE) => {
                control.cancel();
                return (Err(given_up(tool)), asked);
            }
        };
        done.unwrap_or_else(|_| (Err(Error::Internal("the call was lost".into())), asked))
    }
}

/// Ends when the time of the call has passed by `grace`; never if it has no limit.
async fn overdue(control: &Control, grace: Duration) {
    match control.deadline() {
        Some(deadline) => tokio::time::sleep_until((deadline + grace).into()).await,
        None => pending().await,
    }
}

/// The failure of a call that hangs in the operating system.
fn given_up(tool: &Registered) -> Error {
    let outcome = match tool.definition.effect.is_read_only() {
        true => "nothing was changed",
        false => "whether the change was made is not known",
    };
    Error::TimedOut { state: format!("the operating system did not answer in time; {outcome}") }
}
