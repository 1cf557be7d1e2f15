//! What is known of one client for as long as it is connected, beside what its requests say.

use super::ahead::Ahead;
use super::client_roots::KnownRoots;

/// One client.
#[derive(Default)]
pub(super) struct Visitor {
    /// Its own roots.
    pub(super) roots: KnownRoots,
    /// What is watched for it before it knows.
    pub(super) ahead: Ahead,
}
