//! A tool's only door: permitted places, the reins, and the bounds of this call.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Service;
use super::trail::Trail;
use super::watches::Watches;
use crate::audit::{ClientStats, backtrace};
use crate::bridge::{Channel, Question, Reply};
use crate::cache::{FileCache, Key};
use crate::control::Control;
use crate::error::{Error, Escape, Manner};
use crate::guidebook::Guidebook;
use crate::limits;
use crate::policy::{Access, AgentPath, AllowedPaths, AtHome, Granted, Policy, Principal};
use crate::sandbox::{PathArg, PathStyle, Patience, Place};
use crate::toolsets::Toolset;

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

/// Near names are a listing: whoever may do neither of these gets none.
pub(super) const MAY_LIST: [&str; 2] = ["list_folder", "glob"];

/// What a running tool is given.
pub struct Cx<'a> {
    pub(super) service: &'a Service,
    pub(super) policy: &'a Policy,
    pub(super) principal: &'a Principal,
    pub(super) tool: &'static str,
    pub(super) home: Option<AtHome>,
    pub(super) toolset: Toolset,
    pub(super) bounds: &'a Bounds,
    pub(super) guidebook: &'a Guidebook,
    pub(super) control: Control,
    pub(super) trail: &'a Mutex<Trail>,
    pub(super) channel: &'a Channel,
    pub(super) reply: Option<Reply>,
    pub(super) patience: Patience,
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
        let place = Place::new(root, &text, PathStyle::Chroot)?.called("document");
        let home = Place::new(root, &PathArg::from(base), PathStyle::Chroot)?;
        // A link may lead elsewhere in the project; documents are only those beneath their directory.
        match place.resolved()?.is_within(&home.resolved()?) {
            true => Ok(place),
            false => Err(Error::Outside(Escape {
                path: text.shown().to_owned(),
                manner: Manner::Link,
                resolved: Some(place.resolved()?.shown()),
            })),
        }
    }

    /// The directory `path` among the guide documents, only to word a failure; `None` for who may not list it.
    pub fn near_document(&self, path: &str) -> Option<Place> {
        let (root, base) = self.policy.documents().ok()?;
        self.policy.admit_home(self.principal, self.tool, &MAY_LIST, Access::Read).ok()?;
        let text = PathArg::from(format!("{base}/{path}").trim_matches('/'));
        Place::new(root, &text, PathStyle::Chroot).ok()
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

    /// `Err` unless the root `root` allows the tool `tool` too, part of whose work is asked of this one.
    pub fn needs(&self, root: &str, tool: &str) -> Result<(), Error> {
        self.policy.admit(self.principal, root, tool, Access::Read).map(drop)
    }

    fn here(&self, path: &PathArg, access: Access) -> Result<Place, Error> {
        self.trail.lock().unwrap_or_else(PoisonError::into_inner).went_to("", path.shown());
        let grants = self.home.map_or(&[][..], |home| home.grants);
        let home = self.policy.admit_home(self.principal, self.tool, grants, access)?;
        Ok(Place::new(home.root(), path, PathStyle::Host)?.with(self.patience))
    }

    fn place(&self, root: &str, path: &PathArg, access: Access) -> Result<Place, Error> {
        self.trail.lock().unwrap_or_else(PoisonError::into_inner).went_to(root, path.shown());
        let granted = self.policy.admit(self.principal, root, self.tool, access)?;
        Ok(Place::new(granted.root(), path, PathStyle::Chroot)?.with(self.patience))
    }

    /// The roots that are there for the caller.
    pub fn roots(&self) -> impl Iterator<Item = &Granted> {
        self.policy.roots_of(self.principal)
    }

    /// Who calls.
    pub fn principal(&self) -> &Principal {
        self.principal
    }

    /// Change notification.
    pub fn watches(&self) -> &Watches {
        &self.service.watches
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

    /// The path on the agent's side that `path` names, if the fence lets it through.
    pub fn agent_path(&self, path: &PathArg) -> Result<AgentPath, Error> {
        self.trail().went_to("", path.shown());
        self.fenced(|fence| fence.judge(path))
    }

    /// The path `name` beneath a directory on the agent's side, judged like any other.
    pub fn agent_entry(&self, directory: &AgentPath, name: &str) -> Result<AgentPath, Error> {
        self.fenced(|fence| fence.judge_beneath(directory, name))
    }

    /// What the cache held for this caller, by its name from the top; another caller's is not named.
    pub fn cache_key(&self, key: &Key) -> Option<String> {
        let fence =
            self.policy.allowed_paths().ok().filter(|_| key.owner == self.principal.key())?;
        Some(fence.named(key.path.clone()).absolute)
    }

    fn fenced(
        &self,
        judge: impl FnOnce(&AllowedPaths) -> Result<AgentPath, Error>,
    ) -> Result<AgentPath, Error> {
        let judged = self.policy.allowed_paths().and_then(judge);
        if judged.as_ref().is_err_and(Error::is_violation) {
            self.trail().backtrace = Some(backtrace());
        }
        judged
    }

    fn trail(&self) -> MutexGuard<'_, Trail> {
        self.trail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the agent has told.
    pub fn cache(&self) -> Result<&FileCache, Error> {
        let bridge = self.service.bridge.as_ref().map(|bridge| &bridge.cache);
        bridge.ok_or_else(|| Error::Internal("there is no cache".into()))
    }

    /// Where the cache holds `path`.
    pub fn key(&self, path: &AgentPath) -> Key {
        Key { owner: self.principal.key(), path: path.relative.clone() }
    }

    /// The name that clients use for another tool of the same toolset.
    pub fn name_of(&self, tool: &str) -> String {
        self.service.registry.name_of(self.toolset, tool).unwrap_or(tool).to_owned()
    }

    /// What the agent replied to the question that this call asked before.
    pub fn reply(&self) -> Option<&Reply> {
        self.reply.as_ref()
    }

    /// How the call ends that has to ask: with the question, or with what to do where nobody can be asked.
    pub fn ask(&self, question: Question) -> Error {
        if !matches!(self.channel, Channel::Closed) {
            return Error::Asks(Box::new(question));
        }
        Error::Unsupported {
            what: format!(
                "the client does not support sampling, so the agent can not be asked for it: {}",
                question.path
            ),
            instead: format!(
                "push it with the tool {}, or attach it as a resource or by hand",
                question.push_tool
            ),
        }
    }

    /// How often each client called, and how often paths were refused.
    pub fn clients(&self) -> ClientStats {
        self.service.watch.stats()
    }
}
