//! Text like that of a project: words as often as its own pages and sources have them, by topic, joined into names.

/// What the words are taken from.
const TEXTS: [&str; 10] = [
    include_str!("../../ARCHITECTURE.md"),
    include_str!("../../SEMANTICS.md"),
    include_str!("../../SECURITY.md"),
    include_str!("../../README.md"),
    include_str!("../../src/sandbox/copy.rs"),
    include_str!("../../src/sandbox/resolve.rs"),
    include_str!("../../src/ops/search.rs"),
    include_str!("../../src/error/mod.rs"),
    include_str!("../../src/transport/http.rs"),
    include_str!("../../src/server/follow.rs"),
];

/// In one file of [`RARITY`].
pub const RARE: &str = "heliotrope_value";
/// In most files.
pub const COMMON: &str = "directory";
/// In no file, though each of its trigrams is in many.
pub const ABSENT: &str = "directory_unsearched";

/// One file in so many has the rare word.
const RARITY: u64 = 5_000;
/// Words of one topic, of which most words of a file are.
const TOPIC: u64 = 3_000;
/// Bytes of a file: from this to three times this.
const SMALLEST: u64 = 2_000;

/// Writes one file after another, the same ones on every machine.
pub struct Author {
    words: Vec<&'static str>,
    state: u64,
}

impl Author {
    pub fn new() -> Self {
        let split = |text: &'static str| text.split(|c: char| !c.is_ascii_alphanumeric());
        let words = TEXTS.into_iter().flat_map(split).filter(|word| word.len() > 1).collect();
        Self { words, state: 0x9e37_79b9_7f4a_7c15 }
    }

    /// The text of file `number` on the topic `topic`.
    pub fn text(&mut self, number: u64, topic: u64) -> String {
        let size = SMALLEST + self.below(2 * SMALLEST);
        let mut text = String::with_capacity(size as usize + 100);
        while (text.len() as u64) < size {
            self.add_line(&mut text, topic);
        }
        if number % RARITY == RARITY / 2 {
            text += &format!("    let {RARE} = 1;\n");
        }
        text
    }

    fn add_line(&mut self, text: &mut String, topic: u64) {
        *text += &"            "[..4 * self.below(4) as usize];
        for _ in 0..3 + self.below(6) {
            *text += self.word(topic);
            *text += [" ", " ", " ", "_", ".", "(", ", ", "::"][self.below(8) as usize];
        }
        *text += &format!("{}\n", self.below(100));
    }

    fn word(&mut self, topic: u64) -> &'static str {
        let all = self.words.len() as u64;
        let at = match self.below(5) {
            0 => self.below(all),
            _ => (topic * 611 + self.below(TOPIC)) % all,
        };
        self.words[at as usize]
    }

    /// A number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % bound
    }
}
