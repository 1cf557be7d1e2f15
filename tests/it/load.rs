//! Many sessions at once, well-behaved and not: every answer is the right one, and nothing piles up.
//!
//! `LOAD=60 cargo test --release --test it load -- --nocapture` (or `make load`) opens a thousand sessions with 256 calls
//! in flight for sixty seconds and prints the figures.

mod client;
mod nuisance;
mod report;
mod work;

use crate::harness::random::Random;
use crate::harness::*;
use crate::http_support::{eventually, metric};
use client::{Client, Told};
use nuisance::{End, KINDS, annoy};
use report::{Holding, Tally};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use work::Task;

/// Nuisances of each kind at once.
const NUISANCES: usize = 8;
/// How long a client may be kept waiting for one answer before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(60);
/// Most that the server may hold under any load here, in KiB. It stops a runaway and proves no more: a few seconds take half
/// of it, a minute nine tenths.
const MEMORY: u64 = 1 << 20;

/// How much, and for how long.
#[derive(Clone, Copy)]
struct Load {
    sessions: usize,
    in_flight: usize,
    lasts: Duration,
}

impl Load {
    fn chosen() -> Self {
        match std::env::var("LOAD").ok().and_then(|seconds| seconds.parse().ok()) {
            Some(seconds) => {
                Self { sessions: 1_000, in_flight: 256, lasts: Duration::from_secs(seconds) }
            }
            None => Self { sessions: 100, in_flight: 64, lasts: Duration::from_secs(3) },
        }
    }
}

/// One well-behaved client, until the end.
async fn behave(
    address: SocketAddr,
    number: usize,
    permits: Arc<Semaphore>,
    until: Instant,
) -> Tally {
    let mut tally = Tally::default();
    let era = if number.is_multiple_of(2) { Era::Modern } else { Era::Legacy };
    let mut client = match Client::connect(address, era).await {
        Ok(client) => client,
        Err(error) => {
            tally.lost.push(format!("client {number} could not connect: {error}"));
            return tally;
        }
    };
    let (mut random, mut own) = (Random::new(number as u64), None);
    while Instant::now() < until {
        let task = Task::next(&mut random, number, own.as_deref());
        let _permit = permits.acquire().await.expect("never closed");
        if !ask(&mut client, &task, &mut tally).await {
            return tally;
        }
        own = task.leaves.or(own);
    }
    if let Err(error) = client.leave().await {
        tally.lost.push(format!("client {number} could not leave: {error}"));
    }
    tally
}

/// Ask until there is an answer; whether the client can go on.
async fn ask(client: &mut Client, task: &Task, tally: &mut Tally) -> bool {
    loop {
        let start = Instant::now();
        let called = tokio::time::timeout(PATIENCE, client.call(task.tool, &task.arguments)).await;
        match called {
            Ok(Ok(Told::Result(result))) => {
                let took = start.elapsed().as_micros() as u64;
                tally.times.entry(task.tool).or_default().push(took);
                if !task.is_answered_by(&result) {
                    tally.wrong.push(format!("{} {}: {result}", task.tool, task.arguments));
                }
                return true;
            }
            Ok(Ok(Told::TurnedAway(Some(_)))) => {
                tally.turned_away += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Ok(Ok(Told::TurnedAway(None))) => tally.wrong.push("503 without Retry-After".into()),
            Ok(Ok(Told::Nonsense(text))) => {
                tally.wrong.push(text);
                return true;
            }
            Ok(Err(error)) => {
                tally.lost.push(format!("{}: {error}", task.tool));
                return false;
            }
            Err(_) => {
                tally.lost.push(format!("{}: no answer in {PATIENCE:?}", task.tool));
                return false;
            }
        }
    }
}

/// A nuisance of one kind after the other, until the end: how many there were, and how many were cut off.
async fn misbehave(address: SocketAddr, kind: usize, until: Instant) -> [usize; 2] {
    let mut counted = [0, 0];
    while Instant::now() < until {
        let left = until.saturating_duration_since(Instant::now());
        let end = tokio::time::timeout(left, annoy(address, kind)).await;
        counted[0] += 1;
        counted[1] += usize::from(matches!(end, Ok(Ok(End::CutOff))));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    counted
}

/// What all clients saw, and the most that the server held.
struct Seen {
    tally: Tally,
    nuisances: [[usize; 2]; KINDS.len()],
    peak: Holding,
}

/// Put the load on the server at `address`.
async fn put(load: Load, address: SocketAddr, pid: u32, nuisances: usize) -> Seen {
    let until = Instant::now() + load.lasts;
    let permits = Arc::new(Semaphore::new(load.in_flight));
    let mut behaving = JoinSet::new();
    for number in 0..load.sessions {
        behaving.spawn(behave(address, number, permits.clone(), until));
    }
    let mut misbehaving = JoinSet::new();
    for number in 0..nuisances * KINDS.len() {
        let kind = number % KINDS.len();
        misbehaving.spawn(async move { (kind, misbehave(address, kind, until).await) });
    }
    let watch = tokio::spawn(async move {
        let mut peak = Holding::of(pid);
        while Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(50)).await;
            peak = peak.most(Holding::of(pid));
        }
        peak
    });
    let mut seen =
        Seen { tally: Tally::default(), nuisances: Default::default(), peak: watch.await.unwrap() };
    while let Some(tally) = behaving.join_next().await {
        seen.tally.add(tally.unwrap());
    }
    while let Some(counted) = misbehaving.join_next().await {
        let (kind, [all, cut_off]) = counted.unwrap();
        let sum = &mut seen.nuisances[kind];
        *sum = [sum[0] + all, sum[1] + cut_off];
    }
    seen
}

fn serving(http: Value) -> Bench {
    let b = HTTP.with(Config::roots(&["workspace"]).set("http", http));
    work::prepare(&b.ws);
    b.ok("grep", ws(".").and("pattern", "warm"));
    b
}

fn run_load(b: &Bench, load: Load, nuisances: usize) -> Seen {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(put(load, b.address(), b.server.pid(), nuisances))
}

#[track_caller]
fn assert_all_is_well(tally: &Tally) {
    assert!(tally.calls() > 100, "nothing was asked");
    assert!(tally.wrong.is_empty(), "wrong: {:?}", &tally.wrong[..tally.wrong.len().min(5)]);
    assert!(tally.lost.is_empty(), "lost: {:?}", &tally.lost[..tally.lost.len().min(5)]);
}

/// Within the limits everybody is served, whoever else is a nuisance; after it all nothing is held any more.
#[test]
fn everybody_gets_the_right_answer() {
    let load = Load::chosen();
    let b = serving(
        json!({"head_timeout_seconds": 10, "body_timeout_seconds": 10, "write_timeout_seconds": 10, "session_idle_seconds": 10}),
    );
    let before = Holding::of(b.server.pid());
    let Seen { tally, nuisances, peak } = run_load(&b, load, NUISANCES);
    let seconds = load.lasts.as_secs();
    eprintln!("\n{} sessions, {} calls in flight, {seconds} s", load.sessions, load.in_flight);
    eprint!("{} calls/s; {tally}", tally.calls() as u64 / seconds.max(1));
    for (kind, [all, cut_off]) in KINDS.iter().zip(nuisances) {
        eprintln!("{kind}: {all}, cut off {cut_off}");
    }
    assert_all_is_well(&tally);
    assert_eq!(tally.turned_away, 0, "there was room for all");
    eventually("no session is kept", || metric(&b, "mcp_filesystem_http_sessions") == 0.0);
    eventually("no connection is kept", || metric(&b, "mcp_filesystem_http_connections") == 1.0);
    eventually("no descriptor is kept", || {
        Holding::of(b.server.pid()).descriptors <= before.descriptors + 1
    });
    let after = Holding::of(b.server.pid());
    eprintln!("before {before}; peak {peak}; after {after}");
    assert!(peak.memory < MEMORY, "memory grew to {peak}");
}

/// Beyond the limits nobody waits for ever: who is turned away is told when to come back, comes back, and is served.
#[test]
fn beyond_the_limit_clients_are_told_to_come_back() {
    let load = Load::chosen();
    let load = Load { lasts: load.lasts.min(Duration::from_secs(10)), ..load };
    let b = serving(json!({"max_in_flight": load.in_flight / 8}));
    let Seen { tally, .. } = run_load(&b, load, 0);
    eprintln!("\n{} calls in flight where {} have room", load.in_flight, load.in_flight / 8);
    eprint!("{tally}");
    assert_all_is_well(&tally);
    assert!(tally.turned_away > 0, "nobody was turned away");
    let refused = metric(&b, "mcp_filesystem_http_refused_total{limit=\"in_flight\"}");
    assert!(refused >= tally.turned_away as f64, "{refused} of {}", tally.turned_away);
}
