//! Micro-benchmarks of the engine's parts: `make microbench`, or `make microbench ONLY=resolve` for a part.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a benchmark stops at the first surprise"
)]
#![allow(clippy::disallowed_methods, reason = "benchmarks lay out the files they need")]

mod envelope;
mod ground;
mod patch;
mod resolve;
mod schema;
mod walk;

fn main() {
    divan::main();
}
