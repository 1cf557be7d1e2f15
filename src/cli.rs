//! Every flag and variable, once: what was typed.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::client_config::Host;

/// The filesystem an AI agent is given: files over MCP, confined to the directories you name.
#[derive(Debug, Parser)]
#[command(name = "mcp-filesystem", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do instead of serving.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What to serve.
    #[command(flatten)]
    pub serve: Serve,
}

/// What to do instead of serving.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Validate flags and configuration, print what would be served, and exit.
    Check(Serve),
    /// Examine configuration, directories, kernel and limits, and tell what to mend.
    Doctor(Serve),
    /// Print the completions for a shell.
    Completions {
        /// Whose completions.
        shell: Shell,
    },
    /// Print the manual page.
    Man,
    /// Close the second ring as for serving, try to open paths from inside it, and print what came of it.
    #[command(hide = true)]
    Probe {
        /// What to try to open.
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// What would be served.
        #[command(flatten)]
        serve: Serve,
    },
    /// Print what to paste into a host's configuration so that it starts this server.
    ClientConfig(Connect),
    /// Print the reference of the tools that would be served.
    Tools {
        /// As Markdown (the default).
        #[arg(long, conflicts_with_all = ["json", "table"])]
        markdown: bool,
        /// As a table with one line per tool.
        #[arg(long, conflicts_with = "json")]
        table: bool,
        /// As the JSON that clients get.
        #[arg(long)]
        json: bool,
        /// What would be served.
        #[command(flatten)]
        serve: Serve,
    },
}

/// What to connect to a host.
#[derive(Debug, Clone, Args)]
pub struct Connect {
    /// The program that will start the server.
    #[arg(value_enum)]
    pub host: Host,
    /// The directory to serve [default: the current one].
    #[arg(long, value_name = "DIR", env = "FS_SERVER_ROOT")]
    pub root_dir: Option<PathBuf>,
}

/// What to serve, and how.
#[derive(Debug, Clone, Default, Args)]
pub struct Serve {
    /// Configuration in YAML; serves its roots over HTTP unless told otherwise.
    #[arg(long, value_name = "FILE", env = "MCP_FILESYSTEM_CONFIG")]
    pub config: Option<PathBuf>,
    /// The directory of toolsets `files` and `guide` [default: the current one].
    #[arg(long, value_name = "DIR", env = "FS_SERVER_ROOT")]
    pub root_dir: Option<PathBuf>,
    /// Toolsets, separated by commas; `files:fs` gives the names of `files` the prefix `fs_`.
    #[arg(long, value_name = "SETS", value_delimiter = ',', env = "MCP_FILESYSTEM_TOOLSET")]
    pub toolset: Vec<String>,
    /// How clients connect.
    #[arg(long, value_enum, env = "MCP_FILESYSTEM_TRANSPORT")]
    pub transport: Option<Transport>,
    /// Address to listen on, over HTTP [default: 0.0.0.0 with a configuration, else 127.0.0.1].
    #[arg(long, env = "MCP_FILESYSTEM_HOST")]
    pub host: Option<String>,
    /// Port to listen on; 0 picks a free one [default: 8091].
    #[arg(long, env = "MCP_FILESYSTEM_PORT")]
    pub port: Option<u16>,
    /// Whether the kernel keeps the process inside its roots [default: auto].
    #[arg(long, value_enum, value_name = "WHEN", env = "MCP_FILESYSTEM_LANDLOCK")]
    pub landlock: Option<Landlock>,
    /// What the roots that a client names (its open folders) are worth [default: narrow].
    #[arg(long, value_enum, value_name = "WORTH", env = "MCP_FILESYSTEM_CLIENT_ROOTS")]
    pub client_roots: Option<ClientRoots>,
    /// Largest part of a file that `read` returns [default: 10485760].
    #[arg(long, value_name = "BYTES", env = "FS_MAX_FILE_SIZE")]
    pub max_file_size: Option<NonZero<u64>>,
    /// Time for a call of toolset `files` [default: 30].
    #[arg(long, value_name = "SECONDS", env = "FS_REQUEST_TIMEOUT")]
    pub request_timeout: Option<NonZero<u32>>,
    /// How much to log [default: info]; without it, MG_LOG_LEVEL counts too.
    #[arg(long, value_name = "LEVEL", env = "FS_LOG_LEVEL")]
    pub log_level: Option<LogLevel>,
    /// How log lines look on stderr [default: auto].
    #[arg(long, value_enum, value_name = "FORMAT", env = "MCP_FILESYSTEM_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Write the log to this file as well as to stderr.
    #[arg(long, value_name = "FILE", env = "MCP_FILESYSTEM_LOG_FILE")]
    pub log_file: Option<PathBuf>,
    /// What concerns toolset `guide` alone.
    #[command(flatten)]
    pub guide: Guide,
}

/// What concerns toolset `guide` alone.
#[derive(Debug, Clone, Default, Args)]
pub struct Guide {
    /// Prefix of the names of toolset `guide`; empty for none [default: guide].
    #[arg(long, value_name = "PREFIX", env = "MCP_TOOL_PREFIX")]
    pub tool_prefix: Option<String>,
    /// Directory of the guide documents [default: .guide in the project].
    #[arg(long, value_name = "DIR", env = "MG_DOCROOT")]
    pub docroot: Option<PathBuf>,
    /// Directory of the guide's own configuration and flags [default: mcp-guide in the user's].
    #[arg(long, value_name = "DIR", env = "MG_CONFIGDIR")]
    pub configdir: Option<PathBuf>,
    /// `true` serves the example tools of toolset `guide` too.
    #[arg(long, value_name = "WORD", env = "MCP_INCLUDE_EXAMPLE_TOOLS", hide = true)]
    pub include_example_tools: Option<String>,
}

/// How clients connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// The client starts the server and speaks over its standard streams.
    Stdio,
    /// Streamable HTTP at `/mcp`.
    Http,
}

/// Whether the kernel keeps the process inside its roots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Landlock {
    /// Where the kernel can.
    #[default]
    Auto,
    /// Or do not start.
    Required,
    /// No.
    Off,
}

/// What the roots that a client names are worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientRoots {
    /// They narrow what the client reaches, unless they share nothing with what is served.
    #[default]
    Narrow,
    /// They narrow without exception: a client whose roots are elsewhere reaches nothing.
    Strict,
    /// They are not asked for.
    Ignore,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people on a terminal, JSON elsewhere.
    #[default]
    Auto,
    /// One JSON object each.
    Json,
    /// For people, in colour on a terminal.
    Human,
}

/// How much to log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Failures of the server itself.
    Error,
    /// Violations too.
    Warn,
    /// Every call too.
    Info,
    /// More.
    Debug,
    /// Everything.
    Trace,
}

impl From<LogLevel> for tracing::Level {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Error => Self::ERROR,
            LogLevel::Warn => Self::WARN,
            LogLevel::Info => Self::INFO,
            LogLevel::Debug => Self::DEBUG,
            LogLevel::Trace => Self::TRACE,
        }
    }
}
