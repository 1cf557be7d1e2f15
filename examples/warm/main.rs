//! What a warm structure would win over reading what is there, and what it would cost: `make warm FILES=10000,100000`.
//!
//! A tree is made, searched in the ways of [`Way`], and removed. Every figure is the best of three turns or more with the
//! tree in the kernel's memory; every way must find what the scan finds.
#![allow(clippy::disallowed_methods, reason = "the experiment lays out its own tree")]
#![allow(clippy::print_stdout, reason = "the tables are what it is for")]

mod cores;
mod ground;
mod kept;
mod notices;
mod table;
mod trigrams;
mod ways;
mod words;

use std::process::ExitCode;

use anyhow::{Context, Result};

use ground::Ground;
use notices::Notices;
use table::Table;
use ways::Warm;

fn main() -> ExitCode {
    match run(&std::env::args().nth(1).unwrap_or_default()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("warm: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The tree grows from one size to the next.
fn run(sizes: &str) -> Result<()> {
    let sizes = sizes.split(',').map(str::parse::<usize>).collect::<Result<Vec<_>, _>>();
    let mut sizes = sizes.context("give numbers of files, as 10000,100000")?;
    sizes.sort_unstable();
    let mut ground = Ground::new(sizes.last().copied().unwrap_or_default())?;
    for size in sizes {
        ground.grow_to(size)?;
        let notices = Notices::counted(&ground)?;
        let warm = Warm::new(&ground)?;
        println!("{}", Table { ground: &ground, warm: &warm, notices: &notices }.markdown()?);
    }
    println!("{}", notices::overflow(&ground)?);
    Ok(())
}
