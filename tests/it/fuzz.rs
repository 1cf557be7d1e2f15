//! Any input: the committed corpora, and what chance makes of them, against what must always hold.
//!
//! Unlike the other tests this one calls the library. `FUZZ=100000 cargo test --release --test it fuzz` tries more;
//! `scripts/fuzz` (or `make fuzz`) looks for new inputs with libFuzzer, which sees what code they reach.

mod targets;

use crate::harness::random::Random;
use std::path::{Path, PathBuf};

/// Inputs that chance makes for each target.
const USUAL: u64 = 2_000;
/// Pieces that mean something to some target.
const PIECES: [&str; 40] = [
    "..",
    "/",
    "./",
    "\n%\n",
    "@@ -1,2 +1,2 @@\n",
    "--- a/f\n",
    "+++ b/f\n",
    "\\ No newline at end of file\n",
    "-",
    "+",
    " ",
    "*** Begin Patch\n",
    "```",
    "**",
    "*",
    "[!a-z]",
    "{a,b}",
    "\\",
    "(?:",
    ")",
    "\\Q",
    "\\E",
    "[[:alpha:]]",
    "{1,2}",
    "$",
    "^",
    "|",
    ": ",
    "- ",
    "&a",
    "*a",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "null",
    "1e9",
    "\0",
    "\u{301}",
];

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&dir).expect("a corpus").map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// One of the inputs, changed in a few places.
fn mutated(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut input = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(5) {
        let at = random.below(input.len() + 1);
        let end = (at + random.below(12)).min(input.len());
        match random.below(6) {
            0 => drop(input.splice(at..end, [])),
            1 => {
                let again = input[at..end].to_vec();
                input.splice(at..at, again);
            }
            2 => {
                let other = &corpus[random.below(corpus.len())];
                let from = random.below(other.len() + 1);
                let to = (from + random.below(40)).min(other.len());
                input.splice(at..end, other[from..to].iter().copied());
            }
            3 if at < input.len() => input[at] ^= 1 << random.below(8),
            _ => drop(input.splice(at..at, random.pick(&PIECES).bytes())),
        }
    }
    input
}

fn fuzz(name: &str, target: targets::Target) {
    let corpus = corpus(name);
    assert!(!corpus.is_empty(), "{name} has no corpus");
    let tries = std::env::var("FUZZ").ok().and_then(|tries| tries.parse().ok()).unwrap_or(USUAL);
    let mut random = Random::new(1);
    let made = (0..tries).map(|_| mutated(&mut random, &corpus));
    for input in corpus.iter().cloned().chain(made) {
        let outcome = std::panic::catch_unwind(|| target(&input));
        assert!(outcome.is_ok(), "{name} fails on {:?}", String::from_utf8_lossy(&input));
    }
    eprintln!("{name}: {} inputs", corpus.len() as u64 + tries);
}

macro_rules! fuzz_tests {
    ($($test:ident: $at:literal),*) => {
        $(
            #[test]
            fn $test() {
                let (name, target) = targets::ALL[$at];
                fuzz(name, target);
            }
        )*

        /// No target is forgotten.
        #[test]
        fn every_target_is_tried() {
            assert_eq!(targets::ALL.len(), [$($at),*].len());
        }
    };
}

fuzz_tests!(
    no_path_leads_outside: 0, any_patch_is_judged: 1, a_diff_leads_there_and_back: 2, globs_agree: 3,
    searches_agree: 4, expressions_are_read_as_shown: 5, any_configuration_is_judged: 6,
    judged_arguments_fit_their_type: 7, no_token_is_forged: 8, any_key_set_is_judged: 9
);
