//! Regular files opened for reading, without ever blocking on anything else.

use std::fs::File;
use std::io::{self, IoSliceMut, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::OFlags;
use rustix::io::{Errno, ReadWriteFlags, preadv2};

use super::metadata::{Kind, Metadata};
use super::place::{Patience, Place};
use super::resolve::Fault;
use crate::error::Error;
use crate::limits::MAX_AT_HAND_BYTES;
use crate::ops::text::ReadError;

/// Opening a FIFO must not wait for a writer.
pub(super) const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// A regular file, open for reading.
#[derive(Debug)]
pub struct RegularFile {
    file: File,
    metadata: Metadata,
    shown: String,
    patience: Patience,
}

/// Open the file at `place`; anything but a regular file is refused.
pub fn open_regular(place: &Place) -> Result<RegularFile, Error> {
    let open = || -> Result<(OwnedFd, Metadata), Fault> {
        let handle = match place.patience() {
            Patience::Any => place.root().open_at(place.path(), READ)?,
            Patience::None => place.root().open_at_hand(place.path(), READ)?,
        };
        let metadata = Metadata::of_handle(handle.as_fd())?;
        Ok((handle, metadata))
    };
    let (handle, metadata) = open().map_err(|fault| match fault {
        Fault::Os(Errno::NXIO) => wrong_kind(place, Kind::Socket),
        other => place.fail(other),
    })?;
    if metadata.kind != Kind::File {
        return Err(wrong_kind(place, metadata.kind));
    }
    let file = RegularFile::new(handle, metadata, place.shown());
    match place.patience() {
        Patience::None if file.metadata.size > MAX_AT_HAND_BYTES => {
            Err(place.fail(Errno::AGAIN.into()))
        }
        patience => Ok(RegularFile { patience, ..file }),
    }
}

pub(super) fn wrong_kind(place: &Place, found: Kind) -> Error {
    Error::WrongKind { path: place.shown().to_owned(), found, sentence: None }
}

impl RegularFile {
    pub(super) fn new(handle: OwnedFd, metadata: Metadata, shown: &str) -> Self {
        let (file, shown) = (File::from(handle), shown.to_owned());
        Self { file, metadata, shown, patience: Patience::Any }
    }

    /// What was known when it was opened.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Go to `offset` bytes from the start.
    pub fn seek_to(&mut self, offset: u64) -> Result<(), Error> {
        let sought = self.file.seek(SeekFrom::Start(offset));
        sought.map(drop).map_err(|error| self.fail(&error))
    }

    /// The whole file, which must not exceed `limit` bytes.
    pub fn read_whole(&mut self, limit: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::with_capacity(self.metadata.size.min(limit) as usize + 1);
        self.seek_to(0)?;
        let read = self.by_ref().take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| self.fail(&error))?;
        if bytes.len() as u64 > limit {
            return Err(Error::TooLarge {
                path: self.shown.clone(),
                size: self.metadata.size.max(bytes.len() as u64),
                limit,
            });
        }
        Ok(bytes)
    }

    /// The first bytes, `most` at the most; reading goes on from the start.
    pub fn head(&mut self, most: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::with_capacity(most.min(self.metadata.size as usize) + 1);
        let read = self.by_ref().take(most as u64).read_to_end(&mut bytes);
        read.map_err(|error| self.fail(&error))?;
        self.seek_to(0)?;
        Ok(bytes)
    }

    /// The failure of a read that was stopped or broke off.
    pub fn fail_reading(&self, error: ReadError) -> Error {
        match error {
            ReadError::Halted(halt) => halt.into(),
            ReadError::Io(error) => self.fail(&error),
        }
    }

    /// A read error of this file, in words without host paths.
    pub fn fail(&self, error: &io::Error) -> Error {
        let reason =
            error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase();
        Error::Io { path: self.shown.clone(), reason }
    }
}

/// A file of a scan: regular when its directory was read, and opened so that it can not block if it no longer is.
#[derive(Debug)]
pub struct ScanFile {
    file: File,
    end: End,
}

/// How the end of a file shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By a read that does not fill the buffer: asking once more would cost a system call per file.
    AtShortRead,
    /// By a read that gives nothing: some network filesystems cut reads.
    AtEmptyRead,
}

impl ScanFile {
    pub(super) fn new(handle: OwnedFd, end: End) -> Self {
        Self { file: File::from(handle), end }
    }

    /// How its end shows.
    pub fn end(&self) -> End {
        self.end
    }

    /// Its size now: a system call that most searches can do without.
    pub fn size(&self) -> io::Result<u64> {
        self.file.metadata().map(|metadata| metadata.len())
    }
}

impl Read for ScanFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl From<RegularFile> for ScanFile {
    fn from(file: RegularFile) -> Self {
        Self { file: file.file, end: End::AtEmptyRead }
    }
}

impl Read for RegularFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.patience {
            Patience::Any => self.file.read(buffer),
            Patience::None => read_at_hand(&mut self.file, buffer),
        }
    }
}

/// Read on from where the file stands what is in the kernel's memory; `WouldBlock` when it would have to come from the
/// disk.
fn read_at_hand(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut buffers = [IoSliceMut::new(buffer)];
    match preadv2(&*file, &mut buffers, u64::MAX, ReadWriteFlags::NOWAIT) {
        // A filesystem that can not tell holds its files in memory.
        Err(Errno::OPNOTSUPP) => file.read(buffer),
        read => Ok(read?),
    }
}
