//! libFuzzer on the properties that the suite holds too: `FUZZ_TARGET` names the one to try. See `scripts/fuzz`.
#![no_main]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a target stops at the first surprise")]

#[path = "../../tests/it/fuzz/targets/mod.rs"]
mod targets;

use std::sync::LazyLock;

/// The property to try.
static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names a target");
    let found = targets::ALL.into_iter().find(|(known, _)| *known == name);
    found.map(|(_, target)| target).expect("a target of that name")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| (*TARGET)(data));
