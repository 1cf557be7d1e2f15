//! Random sequences of calls against the server and against a tree in memory: the same outcome of every call, the same
//! tree after every sequence.
//!
//! `MODEL=1000 cargo test --release --test it model` runs a thousand sequences; `MODEL_SEED=7` begins with another one.

mod steps;
mod tree;

use crate::harness::random::Random;
use crate::harness::*;
use crate::wire_test;
use std::collections::BTreeMap;
use steps::Step;
use tree::Tree;

/// Steps of one sequence.
const STEPS: usize = 60;
/// Sequences when nobody says how many.
const USUAL: u64 = 12;

fn from_environment(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Calls by tool: those that went well, those that failed.
type Tally = BTreeMap<&'static str, [usize; 2]>;

fn sequence(seed: u64) -> Vec<Step> {
    let mut random = Random::new(seed);
    let names = steps::names(&mut random);
    (0..STEPS).map(|number| Step::random(&mut random, &names, number)).collect()
}

/// Run the sequence on an empty root; how the server differs from the tree, if it does; else how many calls went
/// well and how many failed, of each tool.
fn run_sequence(b: &Bench, steps: &[Step]) -> Result<Tally, String> {
    b.ws.clear();
    let mut tree = Tree::default();
    let mut tally = Tally::new();
    for (at, step) in steps.iter().enumerate() {
        let (tool, arguments) = step.call(&tree);
        let Some(expected) = tree.step(step) else { continue };
        let answer = b.call(tool, arguments);
        let counted = tally.entry(tool).or_insert([0, 0]);
        counted[usize::from(answer.is_error)] += 1;
        let same = match (&expected, answer.is_error) {
            (Ok(value), false) => answer.structured.as_ref().is_some_and(|told| has(told, value)),
            (Err(sentence), true) => answer.text.starts_with(sentence),
            _ => false,
        };
        if !same {
            return Err(format!(
                "step {at} {step:?}\n  expected {expected:?}\n  got {}",
                answer.text
            ));
        }
    }
    let (disk, model) = (on_disk(&b.ws), tree.shown());
    match disk == model {
        true => Ok(tally),
        false => Err(format!("the trees differ\n  disk  {disk:?}\n  model {model:?}")),
    }
}

/// The tree on disk without modes.
fn on_disk(dir: &Dir) -> BTreeMap<String, String> {
    let without_mode = |text: String| text.split_once(' ').map(|(_, rest)| rest.to_owned());
    dir.snapshot().into_iter().map(|(path, what)| (path, without_mode(what).unwrap())).collect()
}

/// Leave out what the difference does not need, in ever smaller pieces.
fn shrunk(b: &Bench, steps: Vec<Step>) -> Vec<Step> {
    let mut steps = steps;
    let mut piece = steps.len() / 2;
    while piece > 0 {
        let mut start = 0;
        while start < steps.len() {
            let mut fewer = steps.clone();
            fewer.drain(start..(start + piece).min(fewer.len()));
            match run_sequence(b, &fewer) {
                Err(_) => steps = fewer,
                Ok(_) => start += piece,
            }
        }
        piece /= 2;
    }
    steps
}

wire_test!(the_server_does_what_the_tree_does, |b| {
    let first = from_environment("MODEL_SEED", 0);
    let mut tally = Tally::new();
    for seed in first..first + from_environment("MODEL", USUAL) {
        let steps = sequence(seed);
        let Ok(made) = run_sequence(b, &steps) else {
            let steps = shrunk(b, steps);
            let difference = run_sequence(b, &steps).expect_err("it differs still");
            panic!("seed {seed}, shrunk to {steps:#?}\n{difference}");
        };
        for (tool, [well, failed]) in made {
            let sum = tally.entry(tool).or_insert([0, 0]);
            *sum = [sum[0] + well, sum[1] + failed];
        }
    }
    let calls: usize = tally.values().flatten().sum();
    eprintln!("{calls} calls as the tree has it; well and failed: {tally:?}");
    assert!(tally.values().all(|[well, failed]| *well > 0 && *failed > 0), "{tally:?}");
});
