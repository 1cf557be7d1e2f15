//! Who calls how often, and whose paths are refused: counted per client, told when it is unusual.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use lru::LruCache;
use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::{BURST_PER_MINUTE, MAX_WATCHED_CLIENTS};
use crate::toolsets::Toolset;

/// Seconds over which calls are counted.
const WINDOW: usize = 60;
/// Characters of a client's name that are kept: it says itself how it is called.
const LONGEST_NAME: usize = 128;

/// Counts per client, bounded.
pub struct Watch {
    started: Instant,
    burst: u64,
    counts: Mutex<Counts>,
}

struct Counts {
    clients: LruCache<String, Counted>,
    violations: u64,
}

/// One client.
struct Counted {
    calls: u64,
    violations: u64,
    /// Calls in each of the last seconds, by second modulo the window.
    seconds: [u32; WINDOW],
    /// The second that was counted last.
    latest: u64,
    warned: Option<u64>,
}

/// What is known about the calls of one client
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientRate {
    /// Calls so far
    calls: u64,
    /// Calls in the last minute
    per_minute: u64,
    /// Calls that were refused as violations
    violations: u64,
}

/// What is known about all clients.
#[derive(Debug, Clone)]
pub struct ClientStats {
    /// Violations of all clients.
    pub violations: u64,
    /// Calls by client.
    pub rate: BTreeMap<String, ClientRate>,
}

impl Default for Watch {
    fn default() -> Self {
        Self::new(BURST_PER_MINUTE)
    }
}

impl Watch {
    /// A watch that warns when a client calls more than `burst` times in a minute; never when that is 0.
    pub fn new(burst: u64) -> Self {
        let counts = Counts { clients: LruCache::unbounded(), violations: 0 };
        Self { started: Instant::now(), burst, counts: Mutex::new(counts) }
    }

    /// Count a call. Only calls that reach for the agent's files are counted.
    pub fn called(&self, toolset: Toolset, client: &str) {
        if toolset != Toolset::Guide {
            return;
        }
        let now = self.now();
        let mut counts = self.lock();
        let counted = counts.of(client);
        counted.call(now);
        let per_minute = counted.per_minute(now);
        let is_new = counted.warned.is_none_or(|warned| now - warned >= WINDOW as u64);
        if self.burst > 0 && per_minute > self.burst && is_new {
            counted.warned = Some(now);
            tracing::warn!(
                target: "mcp_filesystem::security",
                client,
                per_minute,
                expected = self.burst,
                "unusual call frequency"
            );
        }
    }

    /// Count a violation; how many this client has by now.
    pub fn violated(&self, client: &str) -> u64 {
        let mut counts = self.lock();
        counts.violations += 1;
        let counted = counts.of(client);
        counted.violations += 1;
        counted.violations
    }

    /// All counts of this moment.
    pub fn stats(&self) -> ClientStats {
        let now = self.now();
        let counts = self.lock();
        let rate = counts.clients.iter().map(|(client, counted)| {
            let Counted { calls, violations, .. } = *counted;
            let per_minute = counted.per_minute(now);
            (client.clone(), ClientRate { calls, per_minute, violations })
        });
        ClientStats { violations: counts.violations, rate: rate.collect() }
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_secs()
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn of(&mut self, client: &str) -> &mut Counted {
        let client: String = client.chars().take(LONGEST_NAME).collect();
        if self.clients.len() >= MAX_WATCHED_CLIENTS && !self.clients.contains(&client) {
            self.clients.pop_lru();
        }
        self.clients.get_or_insert_mut(client, || Counted {
            calls: 0,
            violations: 0,
            seconds: [0; WINDOW],
            latest: 0,
            warned: None,
        })
    }
}

impl Counted {
    fn call(&mut self, now: u64) {
        let silent = (now - self.latest).min(WINDOW as u64);
        for second in 0..silent {
            self.seconds[slot(now - second)] = 0;
        }
        self.latest = now;
        self.calls += 1;
        self.seconds[slot(now)] += 1;
    }

    fn per_minute(&self, now: u64) -> u64 {
        let silent = (now - self.latest).min(WINDOW as u64);
        let recent = silent..WINDOW as u64;
        recent.filter(|ago| *ago <= now).map(|ago| u64::from(self.seconds[slot(now - ago)])).sum()
    }
}

fn slot(second: u64) -> usize {
    (second % WINDOW as u64) as usize
}
