//! Walking a tree in the order of its paths.

use divan::Bencher;
use divan::counter::ItemsCount;
use mcp_filesystem::control::Control;
use mcp_filesystem::sandbox::{Choice, Flow, Tree, WalkOptions, walk_chosen};

use crate::ground::Ground;

/// Threads that read ahead in a search by name.
const READERS: usize = 2;

fn visit(bencher: Bencher<'_, '_>, entries: usize, helpers: usize, choice: Choice) {
    let ground = Ground::new().with_entries(entries);
    let (options, control) = (WalkOptions::default(), Control::default());
    bencher.counter(ItemsCount::new(entries)).bench(|| {
        let tree = Tree::open(&ground.place(".")).unwrap();
        let mut visited = 0;
        walk_chosen(&tree, &options, &control, helpers, &|_, _| choice, |_| {
            visited += 1;
            Flow::Continue
        });
        visited
    });
}

#[divan::bench(args = [1_000, 20_000])]
fn names(bencher: Bencher<'_, '_>, entries: usize) {
    visit(bencher, entries, 0, Choice::Visit);
}

#[divan::bench(args = [1_000, 20_000])]
fn names_read_ahead(bencher: Bencher<'_, '_>, entries: usize) {
    visit(bencher, entries, READERS, Choice::Visit);
}

#[divan::bench(args = [1_000, 20_000])]
fn with_metadata(bencher: Bencher<'_, '_>, entries: usize) {
    visit(bencher, entries, 0, Choice::VisitWithMetadata);
}

#[divan::bench(args = [1_000, 20_000])]
fn with_metadata_read_ahead(bencher: Bencher<'_, '_>, entries: usize) {
    visit(bencher, entries, READERS, Choice::VisitWithMetadata);
}
