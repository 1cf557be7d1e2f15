//! How often a client may call: counted for everyone, enforced where the operator wants it.

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, RateLimiter};

use crate::error::Error;
use crate::limits::{BURST_WARNING_INTERVAL, CALL_BURST, CALLS_PER_SECOND, FORGET_EVERY};

/// How many calls a client may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// In the long run.
    pub calls_per_second: NonZero<u32>,
    /// At once.
    pub burst: NonZero<u32>,
}

impl Default for Quota {
    fn default() -> Self {
        Self { calls_per_second: CALLS_PER_SECOND, burst: CALL_BURST }
    }
}

/// What happens to a call beyond the quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enforced {
    /// It is refused.
    Yes,
    /// It is logged.
    No,
}

/// The calls of every client, counted.
pub struct Rates {
    calls: DefaultKeyedRateLimiter<String>,
    warnings: DefaultKeyedRateLimiter<String>,
    clock: DefaultClock,
    counted: AtomicU64,
}

impl Rates {
    /// Count against this quota.
    pub fn new(quota: Quota) -> Self {
        let calls = governor::Quota::per_second(quota.calls_per_second).allow_burst(quota.burst);
        let warnings = governor::Quota::with_period(BURST_WARNING_INTERVAL)
            .unwrap_or(governor::Quota::per_hour(NonZero::<u32>::MIN));
        Self {
            calls: RateLimiter::keyed(calls),
            warnings: RateLimiter::keyed(warnings),
            clock: DefaultClock::default(),
            counted: AtomicU64::new(0),
        }
    }

    /// Count a call of `client`; `Err` when it is one too many and that matters.
    pub fn count(&self, client: &str, enforced: Enforced) -> Result<(), Error> {
        self.forget_the_quiet();
        let key = client.to_owned();
        let Err(early) = self.calls.check_key(&key) else { return Ok(()) };
        self.warn(&key, enforced);
        match enforced {
            Enforced::No => Ok(()),
            Enforced::Yes => {
                Err(Error::RateLimited { retry_after: early.wait_time_from(self.clock.now()) })
            }
        }
    }

    /// Tell the log about a burst, now and then.
    fn warn(&self, client: &String, enforced: Enforced) {
        if self.warnings.check_key(client).is_ok() {
            let refused = enforced == Enforced::Yes;
            tracing::warn!(client, refused, "more calls than the rate limit foresees");
        }
    }

    /// Now and then, so that the tables hold no more than the clients of late.
    fn forget_the_quiet(&self) {
        if self.counted.fetch_add(1, Ordering::Relaxed) % FORGET_EVERY == FORGET_EVERY - 1 {
            self.calls.retain_recent();
            self.warnings.retain_recent();
        }
    }
}
