//! Flags to settings to serving to an exit code.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use mcp_filesystem::audit::log;
use mcp_filesystem::call::Service;
use mcp_filesystem::cli::{Cli, Command, Connect, Serve, Transport};
use mcp_filesystem::client_config;
use mcp_filesystem::policy::Granted;
use mcp_filesystem::reference;
use mcp_filesystem::server::{Server, advertise};
use mcp_filesystem::settings::Settings;
use mcp_filesystem::toolsets::Registry;
use mcp_filesystem::transport::http::Listening;
use mcp_filesystem::transport::{http, stdio};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "mcp-filesystem: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Help and version as they are; a mistake in one sentence.
fn not_understood(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let sentence = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(std::io::stderr(), "mcp-filesystem: {sentence}; try --help");
    ExitCode::from(2)
}

fn run(cli: Cli) -> Result<()> {
    match cli.command {
        None => serve(&cli.serve),
        Some(Command::Check(flags)) => check(&flags),
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
    log::start(settings.log_level.into(), settings.log_file.as_deref())
        .context("cannot start logging")?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start")?;
    let outcome = runtime.block_on(serve_with(settings, registry));
    // Work that hangs on a dead disk must not keep the process.
    runtime.shutdown_background();
    outcome
}

async fn serve_with(settings: Settings, registry: Registry) -> Result<()> {
    let names: Vec<&str> =
        settings.policy.roots().iter().map(|granted| granted.root().name()).collect();
    let names = names.join(", ");
    let config =
        settings.config_path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let service = Service::new(registry, settings.policy, settings.bounds, settings.structured)
        .with_guidebook(settings.guidebook)
        .with_quota(settings.quota, settings.limited);
    let server = Server::new(Arc::new(service), settings.annotations);
    match settings.transport {
        Transport::Stdio => {
            tracing::info!(transport = "stdio", roots = names, config, "serving");
            stdio::serve(server).await.map_err(|error| anyhow!(error))
        }
        Transport::Http => {
            let wanted = format!("{}:{}", settings.host, settings.port);
            let listener = tokio::net::TcpListener::bind(&wanted)
                .await
                .with_context(|| format!("cannot listen on {wanted}"))?;
            let address = listener.local_addr().context("cannot tell the address")?;
            tracing::info!(%address, endpoint = "/mcp", roots = names, config, "listening");
            let (allowed_hosts, allowed_origins) =
                (settings.allowed_hosts, settings.allowed_origins);
            http::serve(server, Listening { listener, allowed_hosts, allowed_origins })
                .await
                .map_err(|error| anyhow!(error))
        }
    }
}

fn check(flags: &Serve) -> Result<()> {
    let (settings, registry) = load(flags)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "configuration: ok")?;
    match settings.transport {
        Transport::Stdio => writeln!(out, "transport: stdio")?,
        Transport::Http => {
            writeln!(out, "transport: http on {}:{}/mcp", settings.host, settings.port)?
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
    let names: Vec<&str> = registry.tools().iter().map(|tool| tool.name.as_str()).collect();
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
