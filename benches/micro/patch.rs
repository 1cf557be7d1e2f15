//! Reading a patch and applying it: one change in a small file, and one in every hundred lines of a megabyte.

use std::fmt::Write;

use divan::Bencher;
use divan::counter::BytesCount;
use mcp_filesystem::doors;
use mcp_filesystem::ops::patch::apply;

/// Lines of a small file, and of one of 1 MB.
const LINES: [usize; 2] = [60, 23_000];
/// Lines from one change to the next, and lines shown around each.
const APART: usize = 100;
const AROUND: usize = 3;

fn line(number: usize) -> String {
    format!("line {number:06} of a file that is to be changed\n")
}

fn file(lines: usize) -> String {
    (1..=lines).map(line).collect()
}

fn diff(lines: usize) -> String {
    let changed = (APART / 2..lines).step_by(APART);
    changed.fold("--- a/file\n+++ b/file\n".to_owned(), |patch, at| patch + &hunk(at))
}

fn hunk(at: usize) -> String {
    let (from, size) = (at - AROUND, 2 * AROUND + 1);
    let mut hunk = format!("@@ -{from},{size} +{from},{size} @@\n");
    for number in from..from + size {
        let old = line(number);
        let _ = match number == at {
            true => write!(hunk, "-{old}+changed {old}"),
            false => write!(hunk, " {old}"),
        };
    }
    hunk
}

#[divan::bench(args = LINES)]
fn parse(bencher: Bencher<'_, '_>, lines: usize) {
    let patch = diff(lines);
    let bytes = BytesCount::of_str(&patch);
    bencher.counter(bytes).bench(|| doors::patch(&patch).unwrap());
}

#[divan::bench(args = LINES)]
fn parse_and_apply(bencher: Bencher<'_, '_>, lines: usize) {
    let (base, patch) = (file(lines), diff(lines));
    let bytes = BytesCount::of_str(&base);
    bencher.counter(bytes).bench(|| apply(base.as_bytes(), &patch).unwrap());
}

/// Line numbers that are all wrong, as models write them: every hunk is looked for.
#[divan::bench(args = LINES)]
fn parse_and_apply_with_wrong_numbers(bencher: Bencher<'_, '_>, lines: usize) {
    let (base, patch) = (file(lines), diff(lines));
    let base = format!("one\ntwo\nthree\n{base}");
    let bytes = BytesCount::of_str(&base);
    bencher.counter(bytes).bench(|| apply(base.as_bytes(), &patch).unwrap());
}
