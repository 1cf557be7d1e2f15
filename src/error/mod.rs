//! Every way a call can fail: one type, its sentence, its hint, and what it is worth in each dialect.

mod next;
mod sentence;

use std::time::Duration;

use crate::bridge::Question;
use crate::control::Halt;
use crate::ops::patch::PatchError;
use crate::sandbox::Kind;

/// What a path of the agent's files must look like.
pub const PATH_RULES: &str = "a path is 1 to 4096 bytes without control characters, relative to the project or absolute inside it";

/// What went wrong, as data. The sentence for the agent is its `Display`.
#[derive(Debug)]
pub enum Error {
    /// The path leads out of the root.
    Outside(Escape),
    /// The path contains a NUL byte.
    NullByte {
        /// As the client gave it.
        path: String,
    },
    /// No root of that name.
    UnknownRoot {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The operator does not allow this tool here.
    ToolNotAllowed {
        /// The tool.
        tool: String,
        /// The root.
        root: String,
        /// Why, when the allowlist alone does not explain it.
        because: Option<&'static str>,
    },
    /// The operator hides this path.
    Denied {
        /// As the client gave it.
        path: String,
    },
    /// Nothing is there.
    NotFound {
        /// What was looked for: file, directory, path, source file.
        noun: &'static str,
        /// As the client gave it.
        path: String,
        /// Names nearby that may be meant.
        near: Vec<String>,
        /// A file that stands where a directory on the way should be.
        blocked_by: Option<String>,
    },
    /// Something that is no path is missing.
    Missing {
        /// What.
        sentence: String,
        /// Names that may be meant.
        near: Vec<String>,
    },
    /// The text is no expression; the sentence says why.
    Expression(String),
    /// The operating system refuses.
    PermissionDenied {
        /// As the client gave it.
        path: String,
    },
    /// Something is there already.
    Exists {
        /// As the client gave it.
        path: String,
        /// What to do about it, when replacing it is not the way.
        instead: Option<String>,
    },
    /// Something of another kind is there.
    WrongKind {
        /// As the client gave it.
        path: String,
        /// What is there.
        found: Kind,
        /// The sentence, when the tool has a better one than the general.
        sentence: Option<String>,
    },
    /// The directory has entries.
    NotEmpty {
        /// As the client gave it.
        path: String,
    },
    /// The arguments do not fit; all complaints at once.
    Arguments(Vec<Complaint>),
    /// The request makes no sense on what is there; the sentence says why.
    Refused(String),
    /// The file is larger than a full read may be.
    TooLarge {
        /// As the client gave it.
        path: String,
        /// Bytes in the file.
        size: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The file is not the one the caller read.
    Changed {
        /// As the client gave it.
        path: String,
        /// The hash now, or `None` when the file is gone.
        actual: Option<String>,
    },
    /// The patch does not apply.
    Patch {
        /// As the client gave it.
        path: String,
        /// Why.
        error: Box<PatchError>,
        /// Names nearby that may be meant, when the file is missing.
        near: Vec<String>,
    },
    /// Cancelled, or out of time with nothing changed.
    Halted(Halt),
    /// Out of time; how far the work had come.
    TimedOut {
        /// What was done and what was not.
        state: String,
    },
    /// The client calls too often.
    RateLimited {
        /// When it may call again.
        retry_after: Duration,
    },
    /// The operating system failed.
    Io {
        /// As the client gave it.
        path: String,
        /// The system's words, without any host path.
        reason: String,
    },
    /// Work of many parts that failed on the way.
    Partly {
        /// Why.
        cause: Box<Error>,
        /// What was done, and what was not.
        state: String,
    },
    /// The change was made but may not survive a crash.
    OutcomeUnknown {
        /// As the client gave it.
        path: String,
        /// The system's words.
        reason: String,
    },
    /// The path is not within the fence of the agent's files.
    Fenced(Fenced),
    /// The text is no path.
    PathFormat {
        /// What is wrong with it.
        reason: String,
    },
    /// The client has no way to do what is needed.
    Unsupported {
        /// What it can not do.
        what: String,
        /// What to do instead.
        instead: String,
    },
    /// The agent was asked and did not answer in time.
    NoAnswer {
        /// What it was asked for.
        path: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The agent's answer can not be used.
    BadAnswer {
        /// What it was asked for.
        path: String,
        /// Why not.
        reason: String,
    },
    /// The state of an asked question came back changed, late, or from someone else.
    ForeignState,
    /// Not a failure: the agent has to be asked before the call can go on.
    Asks(Box<Question>),
    /// A defect of ours.
    Internal(String),
}

/// A path outside the directories that the agent may share.
#[derive(Debug, Clone)]
pub struct Fenced {
    /// As the client gave it.
    pub path: String,
    /// The directories there are, relative to the project.
    pub allowed: Vec<String>,
    /// Whether the path itself is outside, or a link in it leads there.
    pub manner: Manner,
}

/// How a path left its root: the agent sees a sentence, the log sees the rest.
#[derive(Debug, Clone)]
pub struct Escape {
    /// As the client gave it.
    pub path: String,
    /// What kind of escape it was.
    pub manner: Manner,
    /// Where the path would have led, for the log only.
    pub resolved: Option<String>,
}

/// The ways in which a path can leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// By `..` or as an absolute path.
    Traversal,
    /// Through a symbolic link.
    Link,
    /// Through links that never end.
    Loop,
}

impl Manner {
    /// The word for the log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Traversal => "path_traversal",
            Self::Link => "symlink_escape",
            Self::Loop => "circular_link",
        }
    }
}

/// One thing wrong with one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The argument's name.
    pub field: String,
    /// What is wrong with it, naming it.
    pub message: String,
}

impl Complaint {
    /// A complaint about `field`.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

impl Error {
    /// A single complaint about one argument.
    pub fn argument(field: &str, message: impl Into<String>) -> Self {
        Self::Arguments(vec![Complaint::new(field, message)])
    }

    /// The same failure, in the tool's own words when something of kind `found` is in the way.
    pub fn saying(self, kind: Kind, words: &str) -> Self {
        match self {
            Self::WrongKind { path, found, sentence: None } if found == kind => {
                let sentence = Some(format!("{words}: {path}"));
                Self::WrongKind { path, found, sentence }
            }
            other => other,
        }
    }

    /// The same failure of work that has many parts, telling how far it had come.
    pub fn after(self, state: impl FnOnce() -> String) -> Self {
        match self {
            Self::Halted(Halt::DeadlinePassed) => Self::TimedOut { state: state() },
            Self::Io { .. }
            | Self::PermissionDenied { .. }
            | Self::NotFound { .. }
            | Self::NotEmpty { .. }
            | Self::Partly { .. } => Self::Partly { cause: Box::new(self), state: state() },
            other => other,
        }
    }

    /// The path that it is about, as the client gave it.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Outside(Escape { path, .. })
            | Self::NullByte { path }
            | Self::Denied { path }
            | Self::NotFound { path, .. }
            | Self::PermissionDenied { path }
            | Self::Exists { path, .. }
            | Self::WrongKind { path, .. }
            | Self::NotEmpty { path }
            | Self::TooLarge { path, .. }
            | Self::Patch { path, .. }
            | Self::Changed { path, .. }
            | Self::Io { path, .. }
            | Self::OutcomeUnknown { path, .. } => {
                Some(path).filter(|path| !path.is_empty()).map(String::as_str)
            }
            Self::Partly { cause, .. } => cause.path(),
            _ => None,
        }
    }

    /// Whether the log should call this a violation.
    pub fn is_violation(&self) -> bool {
        self.violation().is_some()
    }

    /// The kind of violation, if it is one.
    pub fn violation(&self) -> Option<&'static str> {
        match self {
            Self::Outside(escape) => Some(escape.manner.name()),
            Self::NullByte { .. } => Some("null_byte"),
            Self::ToolNotAllowed { .. } => Some("tool_not_allowed"),
            Self::Denied { .. } => Some("denied_path"),
            Self::Fenced(Fenced { manner: Manner::Traversal, .. }) => Some("outside_allowed_paths"),
            Self::Fenced(fenced) => Some(fenced.manner.name()),
            Self::ForeignState => Some("request_state"),
            _ => None,
        }
    }

    /// The sentence for the log, which never shows what is in a file.
    pub fn for_log(&self) -> String {
        match self {
            Self::Patch { error, .. } => {
                let sentence = error.to_string();
                sentence.split(['(', '"']).next().unwrap_or_default().trim_end().to_owned()
            }
            Self::BadAnswer { path, .. } => format!("the agent's answer can not be used: {path}"),
            other => other.to_string(),
        }
    }

    /// A stable word for metrics and logs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Outside(_)
            | Self::NullByte { .. }
            | Self::Fenced(_)
            | Self::PathFormat { .. } => "path_validation_error",
            Self::Unsupported { .. } => "unsupported",
            Self::NoAnswer { .. } => "timeout",
            Self::BadAnswer { .. } => "bad_answer",
            Self::ForeignState => "request_state",
            Self::Asks(_) => "input_required",
            Self::UnknownRoot { .. } => "unknown_root",
            Self::ToolNotAllowed { .. } | Self::Denied { .. } => "not_allowed",
            Self::NotFound { .. } | Self::Missing { .. } => "not_found",
            Self::PermissionDenied { .. } => "permission_denied",
            Self::Exists { .. } => "already_exists",
            Self::Changed { .. } => "changed",
            Self::Halted(Halt::Cancelled) => "cancelled",
            Self::Halted(Halt::DeadlinePassed) | Self::TimedOut { .. } => "timeout",
            Self::RateLimited { .. } => "rate_limited",
            Self::Io { .. } | Self::OutcomeUnknown { .. } => "io_error",
            Self::Partly { cause, .. } => cause.code(),
            Self::Internal(_) => "internal",
            _ => "invalid_parameters",
        }
    }

    /// Whether naming the root helps: the sentence is about a path and names no root itself.
    pub fn is_about_a_path(&self) -> bool {
        !matches!(
            self,
            Self::Arguments(_)
                | Self::UnknownRoot { .. }
                | Self::Missing { .. }
                | Self::Expression(_)
                | Self::ToolNotAllowed { .. }
                | Self::Halted(_)
                | Self::TimedOut { .. }
                | Self::RateLimited { .. }
                | Self::Internal(_)
        )
    }
}

impl std::error::Error for Error {}

impl From<Halt> for Error {
    fn from(halt: Halt) -> Self {
        Self::Halted(halt)
    }
}
