//! Regular expressions as Go (RE2) reads them, written as the Rust engine reads them.
//!
//! The differences: perl classes are ASCII, `\Q...\E` quotes, a `{` that opens no repetition is itself, and inside
//! a class `[`, `&&`, `--` and `~~` mean nothing special.

/// Characters of a wrong pattern that are repeated to the caller.
const MAX_GIVEN: usize = 200;

/// `pattern` in the Rust engine's words.
pub fn from_go(pattern: &str) -> String {
    let mut translation = Translation {
        rest: pattern.chars().peekable(),
        out: String::with_capacity(pattern.len()),
        in_class: false,
    };
    while let Some(character) = translation.rest.next() {
        translation.step(character);
    }
    translation.out
}

/// What is wrong with `pattern`, out of the parser's message, and what to do about it.
pub fn explain(pattern: &str, message: &str) -> String {
    let reason = message.lines().find_map(|line| line.trim().strip_prefix("error: "));
    let reason = reason.unwrap_or(message).trim();
    let given: String = pattern.chars().take(MAX_GIVEN).collect();
    match reason.contains("look-around") || reason.contains("backreferences") {
        true => format!(
            "regex parse error: {reason} (look-around and backreferences are not supported): {given}"
        ),
        false => format!(
            "regex parse error: {reason}: {given}; write \\ before a special character to search for itself"
        ),
    }
}

struct Translation<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    out: String,
    in_class: bool,
}

impl Translation<'_> {
    fn step(&mut self, character: char) {
        match character {
            '\\' => self.escape(),
            '[' if !self.in_class => self.open_class(),
            '[' => self.inner_bracket(),
            ']' if self.in_class => {
                self.in_class = false;
                self.out.push(']');
            }
            '&' | '-' | '~' if self.in_class && self.rest.peek() == Some(&character) => {
                self.rest.next();
                self.out.extend(['\\', character, '\\', character]);
            }
            '{' if !self.in_class && !self.opens_repetition() => self.out.push_str("\\{"),
            other => self.out.push(other),
        }
    }

    fn escape(&mut self) {
        match self.rest.next() {
            Some('Q') => self.quote(),
            Some('d') => self.out.push_str("[0-9]"),
            Some('D') => self.out.push_str("[^0-9]"),
            Some('w') => self.out.push_str("[0-9A-Za-z_]"),
            Some('W') => self.out.push_str("[^0-9A-Za-z_]"),
            Some('s') => self.out.push_str("[\\t\\n\\f\\r ]"),
            Some('S') => self.out.push_str("[^\\t\\n\\f\\r ]"),
            Some('b') if !self.in_class => self.out.push_str("(?-u:\\b)"),
            Some('B') if !self.in_class => self.out.push_str("(?-u:\\B)"),
            Some(digit @ '0'..='7') => self.octal(digit),
            Some(other) => {
                self.out.extend(['\\', other]);
                if matches!(other, 'p' | 'P' | 'x') && self.rest.peek() == Some(&'{') {
                    self.copy_through('}');
                }
            }
            None => self.out.push('\\'),
        }
    }

    /// `\123` is a character; a single digit would be a backreference, which the engine refuses by itself.
    fn octal(&mut self, first: char) {
        let mut digits = String::from(first);
        while let Some(digit) = self.rest.next_if(|c| digits.len() < 3 && ('0'..='7').contains(c)) {
            digits.push(digit);
        }
        match u32::from_str_radix(&digits, 8) {
            Ok(code) if first == '0' || digits.len() > 1 => {
                self.out.push_str(&format!("\\x{{{code:x}}}"))
            }
            _ => self.out.extend(['\\', first]),
        }
    }

    /// Everything up to `\E` is literal.
    fn quote(&mut self) {
        let mut literal = String::new();
        while let Some(character) = self.rest.next() {
            if character == '\\' && self.rest.peek() == Some(&'E') {
                self.rest.next();
                break;
            }
            literal.push(character);
        }
        self.out.push_str(&regex::escape(&literal));
    }

    /// `[`, with a `^` and a first `]` that is itself.
    fn open_class(&mut self) {
        self.in_class = true;
        self.out.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.out.push('^');
        }
        if self.rest.next_if_eq(&']').is_some() {
            self.out.push_str("\\]");
        }
    }

    /// `[:alpha:]` stays; any other `[` in a class is itself.
    fn inner_bracket(&mut self) {
        if self.rest.peek() != Some(&':') {
            self.out.push_str("\\[");
            return;
        }
        self.out.push('[');
        self.copy_through(']');
    }

    fn copy_through(&mut self, end: char) {
        for character in self.rest.by_ref() {
            self.out.push(character);
            if character == end {
                break;
            }
        }
    }

    /// Whether what follows reads `n}`, `n,}` or `n,m}`.
    fn opens_repetition(&self) -> bool {
        let rest: String = self.rest.clone().take_while(|c| *c != '}').collect();
        let closed = self.rest.clone().any(|c| c == '}');
        let (low, high) = rest.split_once(',').unwrap_or((&rest, ""));
        let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        closed && !low.is_empty() && digits(low) && digits(high)
    }
}
