//! A tool's only door: permitted places, the reins, and the bounds of this call.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::trail::Trail;
use crate::control::Control;
use crate::error::Error;
use crate::guidebook::Guidebook;
use crate::limits;
use crate::policy::{Access, AtHome, Granted, Policy, Principal};
use crate::sandbox::{PathArg, PathStyle, Place};

/// The bounds that the operator can set.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Largest file that is read whole.
    pub max_full_read: u64,
    /// Bytes of one answer.
    pub max_answer: usize,
    /// Default and ceiling of a search's time.
    pub search_timeout: Duration,
    /// Time of a call of the `files` toolset.
    pub request_timeout: Duration,
    /// Largest part of a file that `read` returns.
    pub max_file_size: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            max_full_read: limits::MAX_FULL_READ_BYTES,
            max_answer: limits::MAX_ANSWER_BYTES,
            search_timeout: limits::SEARCH_TIMEOUT,
            request_timeout: limits::REQUEST_TIMEOUT,
            max_file_size: limits::MAX_FILE_BYTES,
        }
    }
}

/// What a running tool is given.
pub struct Cx<'a> {
    pub(super) policy: &'a Policy,
    pub(super) principal: &'a Principal,
    pub(super) tool: &'static str,
    pub(super) home: Option<AtHome>,
    pub(super) bounds: &'a Bounds,
    pub(super) guidebook: &'a Guidebook,
    pub(super) control: Control,
    pub(super) trail: &'a Mutex<Trail>,
}

impl Cx<'_> {
    /// The place that `path` names in the root `root`, to look at.
    pub fn to_read(&self, root: &str, path: &PathArg) -> Result<Place, Error> {
        self.place(root, path, Access::Read)
    }

    /// The place that `path` names in the root `root`, to change.
    pub fn to_change(&self, root: &str, path: &PathArg) -> Result<Place, Error> {
        self.place(root, path, Access::Change)
    }

    /// The place that `path` names in the one directory of the server, to look at.
    pub fn here_to_read(&self, path: &PathArg) -> Result<Place, Error> {
        self.here(path, Access::Read)
    }

    /// The place that `path` names in the one directory of the server, to change.
    pub fn here_to_change(&self, path: &PathArg) -> Result<Place, Error> {
        self.here(path, Access::Change)
    }

    /// The place that `path` names among the guide documents.
    pub fn document(&self, path: &str) -> Result<Place, Error> {
        let (root, base) = self.policy.documents()?;
        let text = PathArg::from(format!("{base}/{path}").trim_matches('/'));
        self.trail.lock().unwrap_or_else(PoisonError::into_inner).went_to("", text.shown());
        Ok(Place::new(root, &text, PathStyle::Chroot)?.called("document"))
    }

    /// The directory that is the project.
    pub fn project(&self) -> Result<&Path, Error> {
        Ok(self.policy.home()?.root().host_path())
    }

    /// The guide's own configuration.
    pub fn guidebook(&self) -> &Guidebook {
        self.guidebook
    }

    /// `Err` unless the name `grant` of an allowlist permits this tool to change the one directory.
    pub fn needs_here(&self, grant: &str) -> Result<(), Error> {
        self.policy.admit_home(self.principal, self.tool, &[grant], Access::Change).map(drop)
    }

    fn here(&self, path: &PathArg, access: Access) -> Result<Place, Error> {
        self.trail.lock().unwrap_or_else(PoisonError::into_inner).went_to("", path.shown());
        let grants = self.home.map_or(&[][..], |home| home.grants);
        let home = self.policy.admit_home(self.principal, self.tool, grants, access)?;
        Place::new(home.root(), path, PathStyle::Host)
    }

    fn place(&self, root: &str, path: &PathArg, access: Access) -> Result<Place, Error> {
        self.trail.lock().unwrap_or_else(PoisonError::into_inner).went_to(root, path.shown());
        let granted = self.policy.admit(self.principal, root, self.tool, access)?;
        Place::new(granted.root(), path, PathStyle::Chroot)
    }

    /// The roots that are there for the caller.
    pub fn roots(&self) -> impl Iterator<Item = &Granted> {
        self.policy.roots_of(self.principal)
    }

    /// Who calls.
    pub fn principal(&self) -> &Principal {
        self.principal
    }

    /// The reins of this call.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// The reins of a search that the caller gives `seconds`; the operator's limit is the ceiling.
    pub fn search_control(&self, seconds: u64) -> Control {
        self.control.within(Duration::from_secs(seconds).min(self.bounds.search_timeout))
    }

    /// The bounds of this call.
    pub fn bounds(&self) -> &Bounds {
        self.bounds
    }
}
