//! The table of one size.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::ground::Ground;
use crate::kept::Check;
use crate::notices::Notices;
use crate::ways::{Warm, Way};
use crate::words::{ABSENT, COMMON, RARE};

const WORDS: [&str; 3] = [RARE, COMMON, ABSENT];
/// Every figure is the best of so many turns, and of more as long as they take less than this together.
const TURNS: usize = 3;
const AT_LEAST: Duration = Duration::from_secs(3);

/// The shortest time of each of these works, done in turn: what else the machine does meets them all.
fn best<const N: usize>(works: [&dyn Fn(); N]) -> [Duration; N] {
    let (mut shortest, begun) = ([Duration::MAX; N], Instant::now());
    let mut turns = 0;
    while turns < TURNS || begun.elapsed() < AT_LEAST {
        for (work, shortest) in works.iter().zip(&mut shortest) {
            let started = Instant::now();
            work();
            *shortest = started.elapsed().min(*shortest);
        }
        turns += 1;
    }
    shortest
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

pub struct Table<'a> {
    pub ground: &'a Ground,
    pub warm: &'a Warm,
    pub notices: &'a Notices,
}

impl Table<'_> {
    pub fn markdown(&self) -> Result<String> {
        let lines = self.lines(Way::Scan)?;
        let times = WORDS.map(|word| self.times(word));
        let mut table = self.head(&lines);
        for (at, way) in Way::ALL.into_iter().enumerate() {
            ensure!(self.lines(way)? == lines, "{}: not what the scan finds", way.name());
            table += &self.row(way, times.map(|times| times[at]))?;
        }
        Ok(format!("{table}\n{}", self.costs()))
    }

    /// How long each way takes to find `word`.
    fn times(&self, word: &str) -> [Duration; Way::ALL.len()] {
        let works = Way::ALL.map(|way| move || drop(black_box(self.warm.hits(way, word))));
        best(works.each_ref().map(|work| work as &dyn Fn()))
    }

    /// How many lines have each of the words.
    fn lines(&self, way: Way) -> Result<Vec<u64>> {
        WORDS.into_iter().map(|word| self.warm.hits(way, word)).collect()
    }

    fn head(&self, lines: &[u64]) -> String {
        let (ground, directories) = (self.ground, self.warm.kept.directories());
        let megabytes = megabytes(ground.bytes as usize);
        let named = ["rare", "common", "absent"].into_iter().zip(lines);
        let columns: String =
            named.map(|(name, lines)| format!(" {name} word, {lines} lines |")).collect();
        format!(
            "### {} files in {directories} directories, {megabytes:.0} MB\n\n\
             | way |{columns} sees a write in place |\n|---|---|---|---|---|\n",
            ground.files
        )
    }

    fn row(&self, way: Way, times: [Duration; WORDS.len()]) -> Result<String> {
        let times = times.map(|time| format!(" {} |", milliseconds(time))).concat();
        let sees = if self.sees_a_write(way)? { "yes" } else { "no" };
        Ok(format!("| {} |{times} {sees} |\n", way.name()))
    }

    fn sees_a_write(&self, way: Way) -> Result<bool> {
        let before = self.warm.hits(way, RARE)?;
        self.ground.with_written(RARE, || Ok(self.warm.hits(way, RARE)? == before + 1))
    }

    fn costs(&self) -> String {
        let (kept, index, notices) = (&self.warm.kept, &self.warm.index, self.notices);
        let check = |check| drop(black_box(kept.changed(check)));
        let [directories, everything] =
            best([&|| check(Check::Directories), &|| check(Check::Everything)]).map(milliseconds);
        let candidates = WORDS.map(|word| index.candidates(word).len());
        format!(
            "- The check alone: {directories} for every directory, {everything} for every file.\n\
             - The list takes {:.1} MB. The index takes {:.1} MB, {:.0} % of the text, and {:.1} s to make; its candidates \
             were {candidates:?} files.\n\
             - Notices: {} watches of {} allowed, set up in {}.\n",
            megabytes(kept.bytes()),
            megabytes(index.bytes()),
            100.0 * index.bytes() as f64 / self.ground.bytes as f64,
            self.warm.built_in.as_secs_f64(),
            notices.watches,
            notices.allowed,
            milliseconds(notices.set_up_in),
        )
    }
}
