//! Adding to the end of a file, all of it or nothing.
//!
//! A write that a kill cuts short would leave half of what was added, so a new file takes the place of the old one, as in
//! every other change. Only what is too large to copy each time, or can not be replaced, is extended where it is.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, fdatasync, flock};
use rustix::io::Errno;

use super::copy::pour;
use super::file::READ;
use super::metadata::Metadata;
use super::place::Place;
use super::remove::Stop;
use super::replace::{Parents, Target, WriteMode, Written, errno_of, write_all};
use super::resolve::linkless;
use crate::control::Control;
use crate::error::Error;
use crate::limits::MAX_APPEND_COPY_BYTES;

/// A server that adds to a file holds it for milliseconds; whoever keeps it longer than this is none.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time between two looks at a lock that another process holds.
const LOOK: Duration = Duration::from_millis(1);

/// Add `content` to the end of the file at `place`.
pub fn append(
    place: &Place,
    content: &[u8],
    parents: Parents,
    expected: Option<&str>,
) -> Result<Written, Error> {
    let target = Target::claim_expecting(place, parents, expected)?;
    match &target.old {
        None => target.replace(content, WriteMode::Replace),
        Some(old) if old.size > MAX_APPEND_COPY_BYTES => target.extend(content),
        Some(_) => target.grow(content),
    }
}

impl Target<'_> {
    /// Replace the file by a longer one. Another server that adds to it waits meanwhile.
    fn grow(&self, content: &[u8]) -> Result<Written, Error> {
        let Some(old) = self.lock().map_err(|errno| self.fail(errno))? else {
            return self.extend(content);
        };
        let put = self.put(WriteMode::Replace, |file| {
            let size = Metadata::of_handle(old.as_fd())?.size;
            pour(&old, file, size, &Control::default()).map_err(errno_behind)?;
            let mut end = file;
            end.seek(SeekFrom::End(0)).map_err(|error| errno_of(&error))?;
            write_all(file, content)
        });
        match put {
            // A file that is itself a mount point can not be replaced.
            Err(Errno::BUSY) => self.extend(content),
            put => self.made_durable(put.map_err(|errno| self.fail(errno))?),
        }
    }

    /// The file as it is now, locked; `None` where someone keeps it locked for long: a program that has it open, and
    /// would go on writing to the old one.
    fn lock(&self) -> Result<Option<File>, Errno> {
        let until = Instant::now() + PATIENCE;
        loop {
            let file = linkless(self.slot.dir.as_fd(), Path::new(&self.slot.name), READ)?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) if Instant::now() < until => std::thread::sleep(LOOK),
                Err(Errno::WOULDBLOCK) => return Ok(None),
                // Replaced by another server while we waited.
                Ok(()) if !self.holds(&file)? => {}
                // A filesystem without locks only loses the order between servers.
                _ => return Ok(Some(file.into())),
            }
        }
    }

    fn holds(&self, file: &OwnedFd) -> Result<bool, Errno> {
        let now = Metadata::of_entry(self.slot.dir.as_fd(), &self.slot.name)?;
        Ok(now.identity == Metadata::of_handle(file.as_fd())?.identity)
    }

    /// Extend the file where it is; what an error cut short is taken back.
    fn extend(&self, content: &[u8]) -> Result<Written, Error> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NONBLOCK | OFlags::NOCTTY;
        let handle = linkless(self.slot.dir.as_fd(), Path::new(&self.slot.name), flags);
        let file = File::from(handle.map_err(|errno| self.fail(errno))?);
        let size = Metadata::of_handle(file.as_fd()).map_err(|errno| self.fail(errno))?.size;
        let append = || -> Result<Metadata, Errno> {
            write_all(&file, content)?;
            fdatasync(&file)?;
            Metadata::of_handle(file.as_fd())
        };
        let metadata = append().map_err(|errno| {
            let taken_back = file.set_len(size);
            taken_back.map_or_else(|_| self.unknown(errno), |()| self.fail(errno))
        })?;
        Ok(Written { metadata, warnings: Vec::new() })
    }
}

fn errno_behind(stop: Stop) -> Errno {
    match stop {
        Stop::Os(errno) => errno,
        Stop::Halted(_) => Errno::CANCELED,
    }
}
