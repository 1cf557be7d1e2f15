//! The turns of a call whose tool asks the agent: run, ask, run again with the reply.

use std::sync::Arc;

use serde_json::Value;

use super::{Asking, Call, Service, Trail};
use crate::bridge::{Bridge, Channel, Claim, Question, Reply};
use crate::error::Error;
use crate::toolsets::Registered;

/// What a call comes to, failures aside.
pub(super) enum Outcome {
    /// The tool's value.
    Done(Value),
    /// A question that the client takes with it.
    Asks(Asking),
}

type Ended = (Result<Outcome, Error>, Trail);

impl Service {
    /// Run the call to its end, or to a question that only another call can bring the reply to.
    pub(super) async fn converse(self: &Arc<Self>, tool: &Registered, call: Call) -> Ended {
        match &self.bridge {
            Some(bridge) if tool.definition.asks => self.take_turns(bridge, tool, call).await,
            _ => {
                let (outcome, trail) = match self.run_at_hand(tool, &call) {
                    Some(ending) => ending,
                    None => self.run_aside(tool, call, None).await,
                };
                (outcome.map(Outcome::Done), trail)
            }
        }
    }

    /// Between two turns nothing is held: no thread, no permit.
    async fn take_turns(self: &Arc<Self>, bridge: &Bridge, tool: &Registered, call: Call) -> Ended {
        let claim = Claim::new(&call.tool, &call.arguments, &call.client, &call.principal.key());
        let mut reply = match brought_back(bridge, &call, &claim) {
            Ok(reply) => reply,
            Err(error) => return (Err(error), Trail::asking(&call.arguments)),
        };
        loop {
            let (outcome, trail) = self.run_aside(tool, call.clone(), reply.take()).await;
            let question = match outcome {
                Err(Error::Asks(question)) => *question,
                other => return (other.map(Outcome::Done), trail),
            };
            match &call.channel {
                Channel::Waiting(ask) => match bridge.ask(&question, ask, &call.cancelled).await {
                    Ok(said) => reply = Some(said),
                    Err(error) => return (Err(error), trail),
                },
                _ => return (sealed(bridge, question, &claim), trail),
            }
        }
    }
}

fn sealed(bridge: &Bridge, question: Question, claim: &Claim) -> Result<Outcome, Error> {
    let state = bridge.sealed(&question, claim)?;
    Ok(Outcome::Asks(Asking { question, state }))
}

fn brought_back(bridge: &Bridge, call: &Call, claim: &Claim) -> Result<Option<Reply>, Error> {
    let Some(returned) = &call.returned else { return Ok(None) };
    bridge.reopened(&returned.state, returned.said.clone(), claim)
}
