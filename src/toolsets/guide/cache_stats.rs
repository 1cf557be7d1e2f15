//! `cache_stats`: the numbers of the cache and of its clients.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Described, Example, Told};
use crate::audit::ClientRate;
use crate::cache::Stats;
use crate::call::Cx;
use crate::error::Error;
use crate::policy::Access;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Tell how the file cache is used
///
/// Hits, misses, evictions and sizes of the cache, the number of refused paths, and how often each client calls.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheStats {}

/// The numbers
#[derive(Serialize, JsonSchema)]
pub struct Numbers {
    #[serde(flatten)]
    stats: Stats,
    /// Calls that were refused as violations
    violations: u64,
    /// Calls by client
    rate: BTreeMap<String, ClientRate>,
}

impl Tool for CacheStats {
    type Output = Told<Numbers>;
    const NAME: &'static str = "cache_stats";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Told<Numbers>, Error> {
        let (stats, clients) = (cx.cache()?.stats(), cx.clients());
        Ok(Told::ok(Numbers { stats, violations: clients.violations, rate: clients.rate }))
    }
}

impl Described for CacheStats {
    const USAGE: &'static str = "cache_stats()";
    const EXAMPLES: &'static [Example] = &[Example {
        shows: "After two requests of which one was served from the cache, value.hit_rate is 0.5",
        arguments: "{}",
    }];
    const SECURITY: &'static [&'static str] = &["Shows numbers, no paths and no content."];
}
