//! The seal on a ticket: made with a key that dies with the process, valid for one call of one client, for a while.

use std::time::Duration;

use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde_json::{Map, Value};

use super::Ticket;
use crate::error::Error;
use crate::ops::hash;

/// What a ticket is valid for: one tool, these arguments, this client.
pub struct Claim(Vec<u8>);

impl Claim {
    /// The claim of a call. The order of keys in the arguments does not matter.
    pub fn new(tool: &str, arguments: &Map<String, Value>, client: &str, owner: &str) -> Self {
        let mut text = String::new();
        for part in [tool, client, owner] {
            text.push_str(&format!("{}:{part}\n", part.len()));
        }
        sorted(&Value::Object(arguments.clone()), &mut text);
        Self(hash::sha256(text.as_bytes()).into_bytes())
    }
}

/// The JSON of a value with its keys in order.
fn sorted(value: &Value, text: &mut String) {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<&String> = object.keys().collect();
            keys.sort();
            text.push('{');
            for key in keys {
                text.push_str(&format!("{}:", Value::from(key.as_str())));
                sorted(&object[key], text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                sorted(item, text);
                text.push(',');
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

/// Why a seal is not good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// It is ours, but its time is over.
    Late,
    /// It is not ours, or was made for something else.
    Foreign,
}

/// The seal of this process.
pub struct Seal {
    codec: RequestStateCodec,
    ttl: Duration,
}

impl Seal {
    /// A seal whose tickets are good for `ttl`.
    pub fn new(ttl: Duration) -> Result<Self, String> {
        let mut key = [0; RequestStateCodec::MIN_KEY_LENGTH];
        getrandom::fill(&mut key).map_err(|error| format!("no random numbers: {error}"))?;
        let codec = RequestStateCodec::try_new(key).map_err(|error| error.to_string())?;
        Ok(Self { codec, ttl })
    }

    pub(super) fn close(&self, ticket: Ticket, claim: &Claim) -> Result<String, Error> {
        let options = SealOptions::new().associated_data(&claim.0).ttl(self.ttl);
        let sealed = self.codec.seal_json_with(&ticket, &options);
        sealed.map_err(|error| Error::Internal(error.to_string()))
    }

    pub(super) fn open(&self, sealed: &str, claim: &Claim) -> Result<Ticket, Broken> {
        self.codec.open_json_with(sealed, &claim.0).map_err(|error| match error {
            RequestStateError::Expired => Broken::Late,
            _ => Broken::Foreign,
        })
    }
}
