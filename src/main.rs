//! Flags to settings to serving to an exit code.

use std::io::{ErrorKind, IsTerminal, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use clap::{CommandFactory, Parser};
use mcp_filesystem::audit::log;
use mcp_filesystem::bridge::Bridge;
use mcp_filesystem::call::Service;
use mcp_filesystem::cli::{Cli, Command, Connect, Serve, Transport};
use mcp_filesystem::client_config;
use mcp_filesystem::doctor;
use mcp_filesystem::fence;
use mcp_filesystem::mistyped;
use mcp_filesystem::policy::{Granted, Policy, Principal};
use mcp_filesystem::reference;
use mcp_filesystem::server::{Server, advertise, is_listed};
use mcp_filesystem::settings::Settings;
use mcp_filesystem::toolsets::Registry;
use mcp_filesystem::transport::http::{Http, Listening};
use mcp_filesystem::transport::{http, signals, stdio};
use tokio::runtime::Builder;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if nobody_reads_on(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "mcp-filesystem: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// `doctor | head` has what it wanted.
fn nobody_reads_on(error: &anyhow::Error) -> bool {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.into_iter().any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

/// Help and version as they are; a mistake in one sentence.
fn not_understood(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let _ = writeln!(std::io::stderr(), "mcp-filesystem: {}", mistyped::sentence(error));
    ExitCode::from(2)
}

fn run(cli: Cli) -> Result<()> {
    match cli.command {
        None => serve(&cli.serve),
        Some(Command::Check(flags)) => check(&flags),
        Some(Command::Doctor(flags)) => doctor(&flags),
        Some(Command::Completions { shell }) => completions(shell),
        Some(Command::Man) => man(),
        Some(Command::Probe { paths, serve }) => probe(&serve, &paths),
        Some(Command::ClientConfig(connect)) => client_config(&connect),
        Some(Command::Tools { json, table, serve, .. }) => tools(&serve, json, table),
    }
}

fn load(flags: &Serve) -> Result<(Settings, Registry)> {
    let settings = Settings::load(flags).map_err(|error| anyhow!(error))?;
    let registry = Registry::new(&settings.toolsets).map_err(|error| anyhow!(error))?;
    Ok((settings, registry))
}

fn serve(flags: &Serve) -> Result<()> {
    let (settings, registry) = load(flags)?;
    log::start(settings.log_level.into(), settings.log_format, settings.log_file.as_deref())
        .context("cannot start logging")?;
    let socket = match settings.transport {
        Transport::Stdio => None,
        Transport::Http => Some(bind(&settings.host, settings.port)?),
    };
    // The ring holds this thread and those it starts: no other may be there yet.
    fence::close(settings.landlock, &settings.policy, &settings.own_directories)
        .map_err(|error| anyhow!(error))?;
    let runtime = runtime_for(settings.transport).enable_all().build().context("cannot start")?;
    let outcome = runtime.block_on(serve_with(settings, registry, socket));
    // Work that hangs on a dead disk must not keep the process.
    runtime.shutdown_background();
    outcome
}

/// One client needs one thread that listens, and no waking of others; calls that take time have theirs anyway.
fn runtime_for(transport: Transport) -> Builder {
    match transport {
        Transport::Stdio => Builder::new_current_thread(),
        Transport::Http => Builder::new_multi_thread(),
    }
}

fn bind(host: &str, port: u16) -> Result<TcpListener> {
    let wanted =
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
    let listener =
        TcpListener::bind(&wanted).with_context(|| format!("cannot listen on {wanted}"))?;
    listener.set_nonblocking(true).context("cannot listen without blocking")?;
    Ok(listener)
}

fn probe(flags: &Serve, paths: &[PathBuf]) -> Result<()> {
    let (settings, _) = load(flags)?;
    let attempts =
        fence::probe(settings.landlock, &settings.policy, &settings.own_directories, paths)
            .context("cannot close the ring")?;
    let mut out = std::io::stdout().lock();
    for (path, attempt) in paths.iter().zip(attempts) {
        writeln!(out, "{}: {}", path.display(), attempt.word())?;
    }
    Ok(())
}

async fn serve_with(
    settings: Settings,
    registry: Registry,
    socket: Option<TcpListener>,
) -> Result<()> {
    let names: Vec<&str> =
        settings.policy.roots().iter().map(|granted| granted.root().name()).collect();
    let names = names.join(", ");
    let config =
        settings.config_path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    warn_of_missing(&settings.policy);
    signals::outlive_large_writes();
    let service = Service::new(registry, settings.policy, settings.bounds, settings.structured)
        .with_guidebook(settings.guidebook)
        .with_quota(settings.quota, settings.limited);
    let service = match settings.agent_files {
        Some(files) => {
            let bridge = Bridge::new(files.cache, files.timeout).map_err(|error| anyhow!(error))?;
            service.bridged(bridge, files.burst)
        }
        None => service,
    };
    let server = Server::new(Arc::new(service), settings.annotations);
    let Some(socket) = socket else {
        tracing::info!(transport = "stdio", roots = names, config, "serving");
        return stdio::serve(server).await.map_err(|error| anyhow!(error));
    };
    let listener = tokio::net::TcpListener::from_std(socket).context("cannot listen")?;
    let address = listener.local_addr().context("cannot tell the address")?;
    let scheme = settings.http.scheme();
    tracing::info!(%address, scheme, endpoint = "/mcp", roots = names, config, "listening");
    warn_if_exposed(address, &settings.http);
    let (allowed_hosts, allowed_origins) = (settings.allowed_hosts, settings.allowed_origins);
    let http = settings.http;
    http::serve(server, Listening { listener, allowed_hosts, allowed_origins, http }).await;
    Ok(())
}

fn warn_if_exposed(address: SocketAddr, http: &Http) {
    if address.ip().is_loopback() {
        return;
    }
    if http.access.is_open() {
        tracing::warn!(
            %address,
            "listening beyond this machine without tokens: whoever reaches the port may use the roots; configure http.tokens or http.oauth, or listen on 127.0.0.1"
        );
    } else if http.tls.is_none() {
        tracing::info!(
            "tokens arrive unencrypted: configure http.tls, unless a proxy in front does TLS"
        );
    }
}

/// Paths that may be spoken of but are not there are worth a word, no more: they live on the agent's side.
fn warn_of_missing(policy: &Policy) {
    for path in policy.allowed_paths().map(|fence| fence.missing()).unwrap_or_default() {
        tracing::warn!(path, "allowed path does not exist in the project");
    }
}

fn check(flags: &Serve) -> Result<()> {
    let (settings, registry) = load(flags)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "configuration: ok")?;
    match settings.transport {
        Transport::Stdio => writeln!(out, "transport: stdio")?,
        Transport::Http => {
            let scheme = settings.http.scheme();
            writeln!(out, "transport: {scheme} on {}:{}/mcp", settings.host, settings.port)?;
            writeln!(out, "access: {}", settings.http.access.described())?;
        }
    }
    for granted in settings.policy.roots() {
        let path = granted.root().host_path().display();
        writeln!(out, "root {}: {path}\n  tools: {}", granted.root().name(), allowed(granted))?;
    }
    if let Ok(home) = settings.policy.home() {
        let path = home.root().host_path().display();
        writeln!(out, "directory: {path}\n  tools: {}", allowed(home))?;
    }
    let anyone = Principal::anyone();
    let served = registry.tools().iter().filter(|tool| is_listed(&settings.policy, tool, &anyone));
    let names: Vec<&str> = served.map(|tool| tool.name.as_str()).collect();
    writeln!(out, "tools: {}", names.join(", "))?;
    Ok(())
}

fn allowed(granted: &Granted) -> String {
    granted.allowed().collect::<Vec<_>>().join(", ")
}

/// What to paste goes to stdout, where to paste it to stderr.
fn client_config(connect: &Connect) -> Result<()> {
    let binary = std::env::current_exe().context("cannot tell where this program is")?;
    let directory = connect.root_dir.clone().unwrap_or_else(|| ".".into());
    let directory = client_config::directory(&directory).map_err(|error| anyhow!(error))?;
    writeln!(std::io::stderr(), "{}", connect.host.place())?;
    writeln!(std::io::stdout(), "{}", connect.host.entry(&binary, &directory))?;
    Ok(())
}

fn doctor(flags: &Serve) -> Result<()> {
    let mut out = std::io::stdout();
    let colour = out.is_terminal();
    match doctor::examine(flags, &mut out, colour)? {
        true => Ok(()),
        false => Err(anyhow!("something must be mended before it can serve")),
    }
}

fn completions(shell: clap_complete::Shell) -> Result<()> {
    let mut page = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "mcp-filesystem", &mut page);
    Ok(std::io::stdout().write_all(&page)?)
}

fn man() -> Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    Ok(std::io::stdout().write_all(&page)?)
}

fn tools(flags: &Serve, json: bool, table: bool) -> Result<()> {
    let selections = Settings::toolsets_for_reference(flags).map_err(|error| anyhow!(error))?;
    let registry = Registry::new(&selections).map_err(|error| anyhow!(error))?;
    let text = match (json, table) {
        (true, _) => listed(&registry)?,
        (_, true) => reference::table(&registry),
        _ => reference::markdown(&registry),
    };
    write!(std::io::stdout().lock(), "{text}")?;
    Ok(())
}

fn listed(registry: &Registry) -> Result<String> {
    let listed: Vec<_> =
        registry.tools().iter().map(|tool| advertise(tool, Default::default())).collect();
    Ok(serde_json::to_string_pretty(&listed)?)
}
