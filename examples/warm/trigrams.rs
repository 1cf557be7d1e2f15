//! A trigram index in memory: for every three bytes in a row the files that have them, as deltas in variable length.

use std::io::Read;

use anyhow::{Result, ensure};
use mcp_filesystem::control::Control;
use mcp_filesystem::sandbox::{Flow, Looked, RelativePath, ScanFile, WalkOptions, scan_files};

use crate::kept::{Id, Kept};

/// How many trigrams there can be.
const ALL: usize = 1 << 24;

type Trigram = u32;

/// The trigrams of a line or a word.
fn trigrams(text: &[u8]) -> impl Iterator<Item = Trigram> {
    text.windows(3).map(|three| u32::from_be_bytes([0, three[0], three[1], three[2]]))
}

/// The files that have one trigram.
#[derive(Default)]
struct Posting {
    last: Id,
    deltas: Vec<u8>,
}

impl Posting {
    /// Files come in rising order; the first delta is from zero, and every number is one more than it says.
    fn push(&mut self, id: Id) {
        let mut delta = id + 1 - self.last;
        self.last = id + 1;
        while delta >= 0x80 {
            self.deltas.push(delta as u8 | 0x80);
            delta >>= 7;
        }
        self.deltas.push(delta as u8);
    }
}

/// The files that a posting tells.
fn files_of(deltas: &[u8]) -> impl Iterator<Item = Id> {
    let (mut sum, mut delta, mut shift) = (0, 0, 0);
    deltas.iter().filter_map(move |byte| {
        delta |= Id::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 != 0 {
            return None;
        }
        sum += delta;
        (delta, shift) = (0, 0);
        Some(sum - 1)
    })
}

/// Finds the different trigrams of one file after another.
struct Reader {
    text: Vec<u8>,
    seen: Vec<bool>,
}

impl Reader {
    fn new() -> Self {
        Self { text: Vec::new(), seen: vec![false; ALL] }
    }

    fn read(&mut self, mut file: ScanFile) -> Looked<Vec<Trigram>> {
        self.text.clear();
        if file.read_to_end(&mut self.text).is_err() {
            return Looked::Unreadable;
        }
        let lines = self.text.split(|byte| *byte == b'\n').flat_map(trigrams);
        let is_new = |found: &Trigram| !std::mem::replace(&mut self.seen[*found as usize], true);
        let found: Vec<Trigram> = lines.filter(is_new).collect();
        found.iter().for_each(|found| self.seen[*found as usize] = false);
        Looked::Found(found)
    }
}

/// The postings while they grow, found by a table that has a slot for every trigram there can be.
struct Growing {
    slots: Vec<u32>,
    postings: Vec<(Trigram, Posting)>,
}

impl Growing {
    fn new() -> Self {
        Self { slots: vec![0; ALL], postings: Vec::new() }
    }

    fn add(&mut self, trigram: Trigram, id: Id) {
        let slot = &mut self.slots[trigram as usize];
        if *slot == 0 {
            self.postings.push((trigram, Posting::default()));
            *slot = self.postings.len() as u32;
        }
        self.postings[*slot as usize - 1].1.push(id);
    }

    fn into_index(mut self) -> Index {
        self.postings.sort_unstable_by_key(|(trigram, _)| *trigram);
        let packed = |(trigram, posting): (Trigram, Posting)| (trigram, posting.deltas.into());
        Index { postings: self.postings.into_iter().map(packed).collect() }
    }
}

pub struct Index {
    /// Sorted by trigram.
    postings: Vec<(Trigram, Box<[u8]>)>,
}

impl Index {
    /// Read every file of the list.
    pub fn new(kept: &Kept) -> Result<Self> {
        let mut growing = Growing::new();
        let (mut id, mut in_step) = (0, true);
        let hire = || {
            let mut reader = Reader::new();
            move |file| reader.read(file)
        };
        let take = |path: &RelativePath, found: Vec<Trigram>| {
            found.into_iter().for_each(|trigram| growing.add(trigram, id));
            in_step &= kept.path(id) == Some(path);
            id += 1;
            Flow::Continue
        };
        let (options, control) = (WalkOptions::default(), Control::default());
        scan_files(&kept.tree, &options, &control, |_| true, hire, take);
        ensure!(in_step && kept.path(id).is_none(), "the tree changed while it was read");
        Ok(growing.into_index())
    }

    /// Bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        self.postings.iter().map(|entry| size_of_val(entry) + entry.1.len()).sum()
    }

    /// The files that have every trigram of `word`, in order: whoever has the word is among them.
    pub fn candidates(&self, word: &str) -> Vec<Id> {
        let lists = trigrams(word.as_bytes()).map(|trigram| self.deltas(trigram));
        let mut lists: Vec<&[u8]> = lists.collect();
        lists.sort_unstable_by_key(|deltas| deltas.len());
        let Some((shortest, others)) = lists.split_first() else { return Vec::new() };
        let shortest: Vec<Id> = files_of(shortest).collect();
        others.iter().fold(shortest, |files, deltas| in_both(files, deltas))
    }

    fn deltas(&self, trigram: Trigram) -> &[u8] {
        let at = self.postings.binary_search_by_key(&trigram, |(found, _)| *found);
        at.map_or(&[], |at| &self.postings[at].1)
    }
}

fn in_both(mut files: Vec<Id>, deltas: &[u8]) -> Vec<Id> {
    let mut others = files_of(deltas).peekable();
    files.retain(|file| {
        while others.next_if(|other| other < file).is_some() {}
        others.peek() == Some(file)
    });
    files
}
