//! Adding to the end of a file, all of it or nothing.
//!
//! A write that a kill cuts short would leave half of what was added, so a new file takes the place of the old one, as in
//! every other change. Only what is too large to copy each time, or can not be replaced, is extended where it is.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{OFlags, fdatasync};
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

/// Add `content` to the end of the file at `place`.
pub fn append(
    place: &Place,
    content: &[u8],
    parents: Parents,
    expected: Option<&str>,
) -> Result<Written, Error> {
    let target = Target::claim_expecting(place, parents, expected)?;
    match &target.old {
        None => begin(target, content),
        // A program that has it open would go on writing to the old one.
        Some(_) if target.is_foreign => target.extend(content),
        Some(old) if old.size > MAX_APPEND_COPY_BYTES => target.extend(content),
        Some(_) => target.grow(content),
    }
}

/// Append to a file that is not there. Another process may make it meanwhile: then there is something to append to.
fn begin(target: Target<'_>, content: &[u8]) -> Result<Written, Error> {
    match target.replace(content, WriteMode::CreateOnly) {
        Err(Error::Exists { .. }) => {
            let place = target.place;
            drop(target);
            append(place, content, Parents::Require, None)
        }
        written => written,
    }
}

impl Target<'_> {
    /// Replace the file by a longer one.
    fn grow(&self, content: &[u8]) -> Result<Written, Error> {
        let old = linkless(self.slot.dir.as_fd(), Path::new(&self.slot.name), READ);
        let old = File::from(old.map_err(|errno| self.fail(errno))?);
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
