//! Asking the agent: one way for both eras of the protocol.
//!
//! A tool that needs something from the agent ends with a question and is run again with the reply. In the
//! handshake era the road sends the question and waits, holding neither a thread nor a permit; in the stateless
//! era the question goes out as the call's answer, and the client comes back with the reply and a sealed ticket.
//! Either way the agent may push what is wanted instead of replying with it.

mod answer;
mod prompt;
mod seal;

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::cache::{Awaited, CacheLimits, FileCache};
use crate::control::Halt;
use crate::error::Error;
pub use answer::{FileAnswer, file_answer, listing_answer};
pub use prompt::{directory_prompt, file_prompt};
pub use seal::{Claim, Seal};

/// What the agent is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// The request in words.
    pub text: String,
    /// The path it is about, as the client gave it.
    pub path: String,
    /// The tool by which the agent may push what is wanted, by its name for clients.
    pub push_tool: String,
    /// What such a push would bring.
    pub awaits: Awaited,
    /// What is needed to understand the reply.
    pub ticket: Ticket,
}

/// Where a conversation stands. It travels through the client's hands under our seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// How many questions were asked before this one.
    pub round: usize,
    /// The latest news when it was asked.
    pub since: u64,
}

/// What came of a question.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Of which question.
    pub ticket: Ticket,
    /// What the agent said.
    pub said: Said,
}

/// What the agent said.
#[derive(Debug, Clone)]
pub enum Said {
    /// Nothing: it pushed what was wanted.
    Pushed,
    /// Words.
    Text(String),
    /// It called a tool in its words.
    ToolUse {
        /// The tool's name for clients.
        name: String,
        /// Its arguments.
        arguments: Map<String, Value>,
    },
    /// It could or would not answer.
    Failed(String),
    /// Nothing in time.
    TooLate {
        /// How long it was waited for.
        seconds: u64,
    },
}

/// Sends a question and waits for what is said.
pub type Ask = Arc<dyn Fn(&Question) -> BoxFuture<'static, Said> + Send + Sync>;

/// How the client can be asked.
#[derive(Clone)]
pub enum Channel {
    /// Not at all.
    Closed,
    /// By a request of ours while its call waits.
    Waiting(Ask),
    /// By an answer to its call, which it then repeats.
    Repeating,
}

/// What the guide's file tools share.
pub struct Bridge {
    /// What the agent has told.
    pub cache: FileCache,
    timeout: Duration,
    seal: Seal,
}

impl Bridge {
    /// A bridge with an empty cache.
    pub fn new(limits: CacheLimits, timeout: Duration) -> Result<Self, String> {
        Ok(Self { cache: FileCache::new(limits), timeout, seal: Seal::new(timeout)? })
    }

    /// The ticket under seal, for one claim only.
    pub fn sealed(&self, question: &Question, claim: &Claim) -> Result<String, Error> {
        self.seal.close(question.ticket, claim)
    }

    /// The reply that a client brings back with a sealed ticket. Without a reply the question stands as it was.
    pub fn reopened(
        &self,
        sealed: &str,
        said: Option<Said>,
        claim: &Claim,
    ) -> Result<Option<Reply>, Error> {
        match self.seal.open(sealed, claim) {
            Ok(ticket) => Ok(said.map(|said| Reply { ticket, said })),
            Err(seal::Broken::Late) => Ok(Some(self.too_late())),
            Err(seal::Broken::Foreign) => Err(Error::ForeignState),
        }
    }

    /// Ask and wait: for words, for a push, for the end of patience, or for the client to give up.
    pub async fn ask(
        &self,
        question: &Question,
        ask: &Ask,
        cancelled: &CancellationToken,
    ) -> Result<Reply, Error> {
        let ticket = question.ticket;
        tokio::select! {
            biased;
            () = cancelled.cancelled() => Err(Halt::Cancelled.into()),
            () = self.cache.arrival(&question.awaits, ticket.since) => {
                Ok(Reply { ticket, said: Said::Pushed })
            }
            said = ask(question) => Ok(Reply { ticket, said }),
            () = tokio::time::sleep(self.timeout) => Ok(self.too_late()),
        }
    }

    /// The reply of an agent that was waited for in vain: no news counts after it.
    fn too_late(&self) -> Reply {
        let said = Said::TooLate { seconds: self.timeout.as_secs() };
        Reply { ticket: Ticket { round: 0, since: u64::MAX }, said }
    }
}
