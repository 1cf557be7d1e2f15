//! Hashes of streams.

use std::io::{self, Read};

use md5::Md5;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::control::{Control, Halt};
use crate::limits::HASH_BUFFER;

/// A hash that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Algorithm {
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
}

/// Why a hash was not finished.
#[derive(Debug)]
pub enum HashError {
    /// Told to stop.
    Halted(Halt),
    /// The stream failed.
    Io(io::Error),
}

/// The hash of `reader` in hexadecimal, and its length.
pub fn digest(
    reader: &mut impl Read,
    algorithm: Algorithm,
    control: &Control,
) -> Result<(String, u64), HashError> {
    match algorithm {
        Algorithm::Md5 => stream::<Md5>(reader, control),
        Algorithm::Sha1 => stream::<Sha1>(reader, control),
        Algorithm::Sha256 => stream::<Sha256>(reader, control),
    }
}

/// The SHA-256 of `bytes` in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The SHA-256 of a stream in hexadecimal.
pub fn sha256_of(reader: &mut impl Read) -> io::Result<String> {
    match stream::<Sha256>(reader, &Control::default()) {
        Ok((hash, _)) => Ok(hash),
        Err(HashError::Io(error)) => Err(error),
        Err(HashError::Halted(_)) => Err(io::ErrorKind::Interrupted.into()),
    }
}

fn stream<D: Digest>(
    reader: &mut impl Read,
    control: &Control,
) -> Result<(String, u64), HashError> {
    let mut hasher = D::new();
    let mut buffer = [0_u8; HASH_BUFFER];
    let mut length = 0;
    loop {
        control.check().map_err(HashError::Halted)?;
        match reader.read(&mut buffer) {
            Ok(0) => return Ok((hex(&hasher.finalize()), length)),
            Ok(read) => {
                hasher.update(&buffer[..read]);
                length += read as u64;
                control.advance(read as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(HashError::Io(error)),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
