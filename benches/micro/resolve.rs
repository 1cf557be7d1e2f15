//! From a client's path to a handle, and back to what is known of the file.

use divan::Bencher;
use mcp_filesystem::sandbox::{Patience, Place, inspect, open_regular};

use crate::ground::Ground;

/// A path of so many names.
fn deep(depth: usize) -> String {
    (1..depth).map(|level| format!("level{level:02}/")).collect::<String>() + "file.txt"
}

fn look(bencher: Bencher<'_, '_>, place: &Place) {
    bencher.bench(|| inspect(place).unwrap());
}

#[divan::bench(args = [1, 5, 12])]
fn plain(bencher: Bencher<'_, '_>, depth: usize) {
    let ground = Ground::new().with_file(&deep(depth), b"text");
    look(bencher, &ground.place(&deep(depth)));
}

/// The kernel follows it by itself.
#[divan::bench]
fn link_in_the_way(bencher: Bencher<'_, '_>) {
    let ground = Ground::new().with_file("a/b/file.txt", b"text").with_link("shortcut", "a/b");
    look(bencher, &ground.place("shortcut/file.txt"));
}

/// The kernel refuses it, and the path is rewritten.
#[divan::bench]
fn absolute_link_in_the_way(bencher: Bencher<'_, '_>) {
    let ground = Ground::new().with_file("a/b/file.txt", b"text");
    let target = ground.root().host_path().join("a/b").display().to_string();
    let ground = ground.with_link("shortcut", &target);
    look(bencher, &ground.place("shortcut/file.txt"));
}

#[divan::bench(args = [1, 5, 12])]
fn with_deny_globs(bencher: Bencher<'_, '_>, depth: usize) {
    let ground = Ground::new().denying(&["*.pem", ".env", "secrets/**", ".git"]);
    let ground = ground.with_file(&deep(depth), b"text");
    look(bencher, &ground.place(&deep(depth)));
}

#[divan::bench]
fn absent(bencher: Bencher<'_, '_>) {
    let ground = Ground::new().with_file("a/b/file.txt", b"text");
    let place = ground.place("a/b/other.txt");
    bencher.bench(|| inspect(&place).unwrap_err());
}

/// Opened for reading as calls do: with time for the disk, and at hand.
#[divan::bench(args = [Patience::Any, Patience::None])]
fn open_to_read(bencher: Bencher<'_, '_>, patience: Patience) {
    let ground = Ground::new().with_file(&deep(5), b"text");
    let place = ground.place(&deep(5)).with(patience);
    bencher.bench(|| open_regular(&place).unwrap());
}
