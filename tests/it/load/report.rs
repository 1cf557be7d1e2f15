//! The figures of a load.

use std::collections::BTreeMap;
use std::fmt;

/// What one client saw, or all of them.
#[derive(Default)]
pub struct Tally {
    /// Microseconds of each call, by tool.
    pub times: BTreeMap<&'static str, Vec<u64>>,
    /// Answers that were not what had to come.
    pub wrong: Vec<String>,
    /// Calls that no answer came to.
    pub lost: Vec<String>,
    /// 503 with the time to come back.
    pub turned_away: u64,
}

impl Tally {
    pub fn add(&mut self, other: Self) {
        for (tool, times) in other.times {
            self.times.entry(tool).or_default().extend(times);
        }
        self.wrong.extend(other.wrong);
        self.lost.extend(other.lost);
        self.turned_away += other.turned_away;
    }

    pub fn calls(&self) -> usize {
        self.times.values().map(Vec::len).sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (wrong, lost) = (self.wrong.len(), self.lost.len());
        writeln!(
            f,
            "{} calls, {wrong} wrong, {lost} lost, {} turned away",
            self.calls(),
            self.turned_away
        )?;
        writeln!(
            f,
            "{:<12} {:>8} {:>8} {:>8} {:>8} {:>8}",
            "ms", "calls", "p50", "p90", "p99", "max"
        )?;
        for (tool, times) in &self.times {
            let mut times = times.clone();
            times.sort_unstable();
            let at = |share: usize| {
                times[(times.len() * share / 1000).min(times.len() - 1)] as f64 / 1e3
            };
            let (p50, p90, p99, max) = (at(500), at(900), at(990), at(1000));
            writeln!(
                f,
                "{tool:<12} {:>8} {p50:>8.1} {p90:>8.1} {p99:>8.1} {max:>8.1}",
                times.len()
            )?;
        }
        Ok(())
    }
}

/// What a server holds at a moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holding {
    /// KiB of memory.
    pub memory: u64,
    pub descriptors: u64,
}

impl Holding {
    pub fn of(pid: u32) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let memory = memory.and_then(|text| text.split_whitespace().next()?.parse().ok());
        let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count);
        Self { memory: memory.unwrap_or_default(), descriptors: descriptors as u64 }
    }

    pub fn most(self, other: Self) -> Self {
        let descriptors = self.descriptors.max(other.descriptors);
        Self { memory: self.memory.max(other.memory), descriptors }
    }
}

impl fmt::Display for Holding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MiB, {} descriptors", self.memory >> 10, self.descriptors)
    }
}
