//! Modification times as agents tell them: seconds since 1970, or a date in words of RFC 3339.

use chrono::DateTime;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// A modification time, kept as it was told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Mtime {
    /// Seconds since 1970.
    Seconds(serde_json::Number),
    /// `2026-01-02T03:04:05Z`.
    Date(String),
}

impl Mtime {
    /// Seconds since 1970; a date that is none is refused, naming the argument `field`.
    pub fn seconds(&self, field: &str) -> Result<f64, Error> {
        let seconds = match self {
            Self::Seconds(number) => number.as_f64(),
            Self::Date(text) => DateTime::parse_from_rfc3339(text)
                .ok()
                .map(|date| date.timestamp_micros() as f64 / 1e6),
        };
        seconds.ok_or_else(|| {
            let given = serde_json::to_string(self).unwrap_or_default();
            let expected = "expected seconds since 1970 or a date such as 2026-01-02T03:04:05Z";
            Error::argument(field, format!("{field}: {expected}, got {given}"))
        })
    }
}

impl JsonSchema for Mtime {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Mtime".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["number", "string"]})
    }
}
