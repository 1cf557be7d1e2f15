//! Bearer tokens that the operator handed out: kept as hashes, compared in constant time.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

use crate::policy::{Grant, Principal};

/// The SHA-256 of a token: all we keep of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of a token.
    pub fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// A digest in hexadecimal.
    pub fn from_hex(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut bytes = [0; 32];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    fn is(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(..)")
    }
}

/// A token, or several of one holder, and what it opens.
#[derive(Debug)]
pub struct TokenRule {
    /// The holder's name for the log.
    pub name: String,
    /// The tokens.
    pub digests: Vec<Digest>,
    /// What they open.
    pub grant: Grant,
}

/// All tokens.
#[derive(Debug, Default)]
pub struct Tokens {
    rules: Vec<TokenRule>,
}

impl Tokens {
    /// These tokens.
    pub fn new(rules: Vec<TokenRule>) -> Self {
        Self { rules }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The names of the holders.
    pub fn holders(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| rule.name.as_str())
    }

    /// Whose token this is. Every digest is compared, so that the time tells nothing.
    pub fn holder(&self, token: &str) -> Option<Principal> {
        let presented = Digest::of(token);
        let mut found = None;
        for rule in &self.rules {
            let fits = rule.digests.iter().filter(|digest| digest.is(&presented)).count() > 0;
            if fits && found.is_none() {
                found = Some(rule);
            }
        }
        found.map(|rule| Principal::new(&rule.name, vec![rule.grant.clone()]))
    }
}
