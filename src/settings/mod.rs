//! Flags and YAML made meaningful: flag over environment over YAML over default, roots opened, all or an error.

mod agent;
mod config;
mod guide;
mod home;
mod http;
mod limits;
mod selection;
mod written;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::call::Bounds;
use crate::cli::{ClientRoots, Landlock, LogFormat, LogLevel, Serve, Transport};
use crate::guidebook::Guidebook;
use crate::policy::{Granted, Policy, Quota, TOOL_NAMES};
use crate::sandbox::Root;
use crate::toolsets::{Selection, Toolset};
use crate::transport::http::Http;
pub use agent::AgentFiles;
pub use config::Annotations;
use config::{Config, RootEntry};
use selection::selections;
use written::{Written, meant, unexpanded};

/// What the server will do.
#[derive(Debug)]
pub struct Settings {
    /// How clients connect.
    pub transport: Transport,
    /// Address to listen on.
    pub host: String,
    /// Port to listen on.
    pub port: u16,
    /// Toolsets to serve.
    pub toolsets: Vec<Selection>,
    /// The roots and their rules.
    pub policy: Policy,
    /// The bounds of calls.
    pub bounds: Bounds,
    /// How often a client may call.
    pub quota: Quota,
    /// The toolsets that refuse calls beyond that.
    pub limited: Vec<Toolset>,
    /// The agent's files, where a toolset needs them.
    pub agent_files: Option<AgentFiles>,
    /// Whether answers carry `structuredContent`.
    pub structured: bool,
    /// Which hints tools carry.
    pub annotations: Annotations,
    /// Names under which clients may reach the HTTP server; any when empty.
    pub allowed_hosts: Vec<String>,
    /// Web origins that may call, beside loopback.
    pub allowed_origins: Vec<String>,
    /// Who may come in over HTTP, and how much there is room for.
    pub http: Http,
    /// What the roots that clients name are worth.
    pub client_roots: ClientRoots,
    /// Whether the kernel keeps the process inside its roots.
    pub landlock: Landlock,
    /// Where the server keeps things of its own while it runs, besides the roots.
    pub own_directories: Vec<PathBuf>,
    /// How much to log.
    pub log_level: LogLevel,
    /// How log lines look.
    pub log_format: LogFormat,
    /// Where to log beside stderr.
    pub log_file: Option<PathBuf>,
    /// The guide's own configuration.
    pub guidebook: Guidebook,
    /// Where the configuration came from.
    pub config_path: Option<PathBuf>,
}

impl Settings {
    /// The toolsets whose reference is wanted: no directory needs to exist for that.
    pub fn toolsets_for_reference(flags: &Serve) -> Result<Vec<Selection>, String> {
        let (config, written) = read_config(flags)?;
        selections(flags, &config, written.as_ref())
    }

    /// Settings from flags and the configuration they name.
    pub fn load(flags: &Serve) -> Result<Self, String> {
        let (mut config, written) = read_config(flags)?;
        let toolsets = selections(flags, &config, written.as_ref())?;
        let over_http = flags.config.is_some() || flags.port.is_some() || flags.host.is_some();
        let usual = if over_http { Transport::Http } else { Transport::Stdio };
        let uses_roots = toolsets.iter().any(|selection| selection.toolset == Toolset::Roots);
        if uses_roots && config.roots.as_ref().is_none_or(Vec::is_empty) {
            return Err("no roots configured: toolset roots needs at least one entry under `roots:` in the configuration (--config FILE)".into());
        }
        let written_roots = config.roots.iter().flatten().map(|root| root.name.as_str());
        let known = http::Known::new(written_roots, &toolsets);
        let transport = flags.transport.or(config.transport).unwrap_or(usual);
        let guidebook = guide::guidebook(&flags.guide, &config.guide);
        let agent_files = AgentFiles::for_toolsets(&toolsets, &config);
        let policy = policy(flags, &mut config, written.as_ref(), &toolsets)?;
        Ok(Self {
            transport,
            http: http::meant(std::mem::take(&mut config.http), &known)
                .map_err(|sentence| blame_quoted(written.as_ref(), sentence))?,
            own_directories: own_directories(&toolsets, &guidebook),
            client_roots: flags.client_roots.or(config.client_roots).unwrap_or_default(),
            landlock: flags.landlock.or(config.landlock).unwrap_or_default(),
            limited: limits::limited(&config, transport),
            quota: limits::quota(&config),
            bounds: limits::bounds(flags, &config),
            log_level: limits::log_level(flags, &config)?,
            host: flags.host.clone().or(config.host.clone()).unwrap_or_else(|| usual_host(flags)),
            port: flags.port.or(config.port).unwrap_or(8091),
            toolsets: toolsets.clone(),
            structured: config.structured_content.unwrap_or(true),
            annotations: config.annotations.unwrap_or_default(),
            log_format: flags.log_format.or(config.log_format).unwrap_or_default(),
            log_file: flags.log_file.clone().or(config.log_file.clone()),
            config_path: flags.config.clone(),
            guidebook,
            agent_files,
            policy,
            allowed_hosts: config.allowed_hosts,
            allowed_origins: config.allowed_origins,
        })
    }
}

/// A deployment listens everywhere unless told otherwise; someone at a desk meant this machine.
fn usual_host(flags: &Serve) -> String {
    if flags.config.is_some() { "0.0.0.0".into() } else { "127.0.0.1".into() }
}

/// Where the served toolsets keep things besides the roots.
fn own_directories(toolsets: &[Selection], guidebook: &Guidebook) -> Vec<PathBuf> {
    let keeps = toolsets.iter().any(|selection| selection.toolset == Toolset::Guide);
    let directory = guidebook.directory().filter(|_| keeps);
    directory.map(Path::to_path_buf).into_iter().collect()
}

/// The configuration, and the file it was written in.
fn read_config(flags: &Serve) -> Result<(Config, Option<Written>), String> {
    let Some(path) = flags.config.as_deref() else { return Ok(Default::default()) };
    let written = Written::read(path)?;
    Ok((written.config()?, Some(written)))
}

/// The sentence, with the place in the file of the `nth` mention of `value`.
fn blame(written: Option<&Written>, value: &str, nth: usize, sentence: String) -> String {
    match written {
        Some(written) => written.blame(value, nth, sentence),
        None => sentence,
    }
}

/// The same for a sentence that quotes what it is about, the narrowest last.
fn blame_quoted(written: Option<&Written>, sentence: String) -> String {
    let quoted = sentence.split('"').skip(1).step_by(2).last().map(str::to_owned);
    blame(written, quoted.as_deref().unwrap_or_default(), 0, sentence)
}

/// Whether the text is a configuration, whatever is on the disk.
pub(crate) fn is_readable(yaml: &str) -> Result<(), String> {
    Written::of(yaml).config().map(drop)
}

/// The roots, the one directory, and the fence in it.
fn policy(
    flags: &Serve,
    config: &mut Config,
    written: Option<&Written>,
    toolsets: &[Selection],
) -> Result<Policy, String> {
    let home = home::open(flags, config, written, toolsets)?;
    let roots = open_roots(config.roots.take().unwrap_or_default(), written)?;
    let fence = agent::fence(home.as_ref(), config, toolsets)?;
    let documents = guide::documents(&flags.guide, &config.guide, &config.deny)?;
    let policy = Policy::new(roots, home).with_documents(documents);
    Ok(match fence {
        Some(fence) => policy.fenced(fence),
        None => policy,
    })
}

fn open_roots(entries: Vec<RootEntry>, written: Option<&Written>) -> Result<Vec<Granted>, String> {
    let mut names = BTreeSet::new();
    let mut roots = Vec::new();
    for entry in entries {
        if entry.name.trim().is_empty() {
            return Err("a root has an empty name".into());
        }
        if !names.insert(entry.name.clone()) {
            let sentence = format!("duplicate root name: {}", entry.name);
            return Err(blame(written, &format!("name: {}", entry.name), 1, sentence));
        }
        roots.push(open_root(entry, written)?);
    }
    Ok(roots)
}

fn open_root(entry: RootEntry, written: Option<&Written>) -> Result<Granted, String> {
    let whose = format!("root \"{}\": ", entry.name);
    let allowed = allowed_tools(&entry.allowed_tools, &whose, written)?;
    let root = Root::open(&entry.name, &entry.path, &entry.deny).map_err(|error| {
        let (path, hint) = (entry.path.display().to_string(), unexpanded(&entry.path));
        blame(written, &path, 0, format!("{whose}cannot open {path}: {error}{hint}"))
    })?;
    Ok(Granted::new(root, allowed, entry.read_only))
}

/// The tools that a list names; `whose` stands before what is wrong with it.
fn allowed_tools(
    names: &[String],
    whose: &str,
    written: Option<&Written>,
) -> Result<BTreeSet<String>, String> {
    let mut allowed = BTreeSet::new();
    for tool in names {
        match tool.as_str() {
            "*" => allowed.extend(TOOL_NAMES.map(str::to_owned)),
            known if TOOL_NAMES.contains(&known) => _ = allowed.insert(tool.clone()),
            unknown => {
                let (meant, known) = (meant(unknown, &TOOL_NAMES), TOOL_NAMES.join(", "));
                let sentence = format!(
                    "{whose}unknown tool \"{unknown}\" in allowed_tools{meant}; known tools: {known}, or \"*\" for all"
                );
                return Err(blame(written, unknown, 0, sentence));
            }
        }
    }
    Ok(allowed)
}
