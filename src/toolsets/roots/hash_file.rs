//! `hash_file`: a file's hash, streamed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READS;
use crate::call::Cx;
use crate::control::Control;
use crate::error::Error;
use crate::ops::hash::{self, Algorithm, HashError};
use crate::policy::Access;
use crate::sandbox::{self, Kind, PathArg, RegularFile};
use crate::toolsets::{Effect, Tool};

/// Hash the content of a file in a root
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HashFile {
    /// Root name
    root: String,
    /// File
    path: PathArg,
    /// Hash function
    #[schemars(extend("x-sentence" = "unsupported hash algorithm: {given}; supported: {options}"))]
    algorithm: Algorithm,
}

/// The hash
#[derive(Serialize, JsonSchema)]
pub struct Hashed {
    path: String,
    algorithm: Algorithm,
    /// Hexadecimal, lower case
    hash: String,
    size: u64,
}

impl Tool for HashFile {
    type Output = Hashed;
    const NAME: &'static str = "hash_file";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = READS;

    fn run(self, cx: &Cx) -> Result<Hashed, Error> {
        let place = cx.to_read(&self.root, &self.path)?;
        let mut file = sandbox::open_regular(&place)
            .map_err(|error| error.saying(Kind::Directory, "cannot hash a directory"))?;
        let (hash, size) = digest(&mut file, self.algorithm, cx.control())?;
        Ok(Hashed { path: self.path.shown().to_owned(), algorithm: self.algorithm, hash, size })
    }
}

/// The hash of an open file, from where it stands.
pub(super) fn digest(
    file: &mut RegularFile,
    algorithm: Algorithm,
    control: &Control,
) -> Result<(String, u64), Error> {
    hash::digest(file, algorithm, control).map_err(|error| match error {
        HashError::Halted(halt) => halt.into(),
        HashError::Io(error) => file.fail(&error),
    })
}
