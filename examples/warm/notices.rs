//! What it costs to be told of changes, and what happens when more happens than the kernel keeps.

use std::fs;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Error, Result};
use mcp_filesystem::control::Control;
use mcp_filesystem::sandbox::{Change, WalkOptions, Watcher};

use crate::ground::Ground;

/// How long to wait for what the kernel has to tell.
const PATIENCE: Duration = Duration::from_secs(2);

/// A watch on every directory of a tree.
pub struct Notices {
    pub watches: usize,
    pub set_up_in: Duration,
    /// Watches that one user may have.
    pub allowed: u64,
}

impl Notices {
    pub fn counted(ground: &Ground) -> Result<Self> {
        let place = ground.place()?;
        let watcher = Watcher::start(drop)?;
        let started = Instant::now();
        let options = WalkOptions::default();
        let watched = watcher.watch_tree(&place, usize::MAX, &options, &Control::default());
        let watched = watched.map_err(Error::msg)?;
        let set_up_in = started.elapsed();
        watched.iter().for_each(|id| watcher.unwatch(*id));
        Ok(Self { watches: watched.len(), set_up_in, allowed: limit("max_user_watches")? })
    }
}

fn limit(name: &str) -> Result<u64> {
    Ok(fs::read_to_string(format!("/proc/sys/fs/inotify/{name}"))?.trim().parse()?)
}

/// Let more happen than the kernel keeps while nobody listens, and see what is told afterwards.
pub fn overflow(ground: &Ground) -> Result<String> {
    let (open, gate) = channel::<()>();
    let (tell, told) = channel();
    let watcher = Watcher::start(move |change| {
        // Shut until the other end is dropped.
        let _ = gate.recv();
        let _ = tell.send(change);
    })?;
    let (place, kept) = (ground.place()?, limit("max_queued_events")?);
    watcher.watch(&place).map_err(Error::msg)?;
    write_often(place.root().host_path(), 2 * kept)?;
    drop(open);
    let changes: Vec<Change> = std::iter::from_fn(|| told.recv_timeout(PATIENCE).ok()).collect();
    let lost = if changes.contains(&Change::Overflow) { "that some were lost" } else { "no loss" };
    let told = changes.iter().filter(|change| **change != Change::Overflow).count();
    Ok(format!(
        "The kernel keeps {kept} notices; after {} writes while nobody listened it told of {told} changes and {lost}.\n",
        2 * kept,
    ))
}

/// Two files in turn: equal notices in a row are told as one.
fn write_often(directory: &Path, times: u64) -> Result<()> {
    for number in 0..times {
        fs::write(directory.join(format!("busy{}", number % 2)), number.to_string())?;
    }
    Ok(())
}
