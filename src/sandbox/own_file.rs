//! A file of the user's own that several processes change: one at a time, whole or not at all.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::path::{PathArg, PathStyle};
use super::place::{Place, words};
use super::replace::{errno_of, update};
use super::root::Root;
use super::sweep::sweep_top;
use crate::error::Error;
use crate::limits::{LOCK_PATIENCE, MAX_EDIT_BYTES};

/// Time between two looks at a lock that another process holds.
const LOOK: Duration = Duration::from_millis(2);

/// Such a file. It need not exist, nor the directory it is in.
#[derive(Debug, Clone)]
pub struct OwnFile {
    path: PathBuf,
}

impl OwnFile {
    /// The file at `path`.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its text, or `None` where there is none.
    pub fn read(&self) -> Result<Option<String>, Error> {
        let place = match self.place() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            place => place.map_err(|error| self.fail(&error))?,
        };
        match super::open_regular(&place).and_then(|mut file| file.read_whole(MAX_EDIT_BYTES)) {
            Ok(bytes) => self.text(bytes).map(Some),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replace it with what `change` makes of it, while no other process does the same.
    pub fn update(
        &self,
        change: impl FnOnce(Option<String>) -> Result<Option<String>, Error>,
    ) -> Result<(), Error> {
        let directory = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(directory).map_err(|error| self.fail(&error))?;
        let place = self.place().map_err(|error| self.fail(&error))?;
        let _lock = self.lock()?;
        sweep_top(place.root());
        let changed = update(&place, None, |old| {
            let old = old.map(|bytes| self.text(bytes)).transpose()?;
            Ok(change(old)?.map(String::into_bytes))
        });
        changed.map(drop)
    }

    /// Where it really is: users keep such files elsewhere and link them here.
    fn place(&self) -> io::Result<Place> {
        let real = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let root = Root::open("", real.parent().unwrap_or(Path::new(".")), &[])?;
        let name = real.file_name().unwrap_or_default().to_string_lossy();
        Place::new(&Arc::new(root), &PathArg::from(&*name), PathStyle::Chroot)
            .map_err(io::Error::other)
    }

    /// The lock is a file of its own: the file itself is replaced by every change.
    fn lock(&self) -> Result<File, Error> {
        let mut options = OpenOptions::new();
        let open = options.create(true).truncate(false).write(true);
        let file =
            open.open(self.path.with_extension("lock")).map_err(|error| self.fail(&error))?;
        let until = Instant::now() + LOCK_PATIENCE;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(file),
                Err(Errno::WOULDBLOCK) if Instant::now() < until => std::thread::sleep(LOOK),
                Err(Errno::WOULDBLOCK) => return Err(self.busy()),
                Err(errno) => return Err(self.fail(&errno.into())),
            }
        }
    }

    fn text(&self, bytes: Vec<u8>) -> Result<String, Error> {
        String::from_utf8(bytes)
            .map_err(|_| Error::Refused(format!("the file is not UTF-8: {}", self.name())))
    }

    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn busy(&self) -> Error {
        let reason = "another process keeps the file locked; try again".to_owned();
        Error::Io { path: self.name(), reason }
    }

    fn fail(&self, error: &io::Error) -> Error {
        match errno_of(error) {
            Errno::ACCESS | Errno::PERM => Error::PermissionDenied { path: self.name() },
            errno => Error::Io { path: self.name(), reason: words(errno) },
        }
    }
}
