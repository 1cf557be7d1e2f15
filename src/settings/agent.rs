//! What is meant by the sections on the agent's files: the fence, the cache, and how the agent is asked.

use std::time::Duration;

use super::config::Config;
use crate::cache::CacheLimits;
use crate::limits;
use crate::policy::{AllowedPaths, Granted};
use crate::toolsets::{Selection, Toolset};

/// How the agent's files are held and asked for.
#[derive(Debug, Clone)]
pub struct AgentFiles {
    /// How much is held.
    pub cache: CacheLimits,
    /// How long an answer is waited for.
    pub timeout: Duration,
    /// Calls of one client in a minute that are worth a warning; 0 for none.
    pub burst: u64,
}

impl AgentFiles {
    /// As written, if a toolset needs it.
    pub(super) fn for_toolsets(toolsets: &[Selection], config: &Config) -> Option<Self> {
        needs_them(toolsets).then(|| Self {
            cache: cache_limits(config),
            timeout: config
                .sampling
                .timeout_seconds
                .map_or(limits::SAMPLING_TIMEOUT, Duration::from_secs),
            burst: config.filesystem.burst_per_minute.unwrap_or(limits::BURST_PER_MINUTE),
        })
    }
}

fn cache_limits(config: &Config) -> CacheLimits {
    let (usual, cache) = (CacheLimits::default(), &config.cache);
    CacheLimits {
        max_bytes: cache.max_bytes.unwrap_or(usual.max_bytes),
        max_entries: cache.max_entries.unwrap_or(usual.max_entries),
        ttl: cache.ttl_seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs),
        upload_ttl: cache.upload_seconds.map_or(usual.upload_ttl, Duration::from_secs),
    }
}

/// The fence around the agent's files, if a toolset needs one.
pub(super) fn fence(
    home: Option<&Granted>,
    config: &Config,
    toolsets: &[Selection],
) -> Result<Option<AllowedPaths>, String> {
    let home = home.filter(|_| needs_them(toolsets));
    let written = config.filesystem.allowed_paths.as_deref();
    home.map(|home| AllowedPaths::new(home.root().clone(), written)).transpose()
}

fn needs_them(toolsets: &[Selection]) -> bool {
    toolsets.iter().any(|selection| selection.toolset == Toolset::Guide)
}
