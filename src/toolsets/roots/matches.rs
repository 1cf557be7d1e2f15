//! What the two searches of the set answer: matches, and what is to be known about them.

use schemars::JsonSchema;
use serde::Serialize;

/// What was found
#[derive(Serialize, JsonSchema)]
pub struct Matches<M> {
    pub(super) matches: Vec<M>,
    pub(super) total_matches: u64,
    /// max_results was reached, or matches were left out of this answer
    pub(super) truncated: bool,
    pub(super) timed_out: bool,
    /// What to know about this answer
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}
