//! Flags to settings to serving to an exit code.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use mcp_filesystem::audit::log;
use mcp_filesystem::call::Service;
use mcp_filesystem::cli::{Cli, Command, Serve, Transport};
use mcp_filesystem::reference;
use mcp_filesystem::server::{Server, advertise};
use mcp_filesystem::settings::Settings;
use mcp_filesystem::toolsets::Registry;
use mcp_filesystem::transport::http::Listening;
use mcp_filesystem::transport::{http, stdio};

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "mcp-filesystem: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<()> {
    match cli.command {
        None => serve(&cli.serve),
        Some(Command::Check(flags)) => check(&flags),
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
        .with_guidebook(settings.guidebook);
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
        let tools: Vec<&str> = granted.allowed().collect();
        let (name, path) = (granted.root().name(), granted.root().host_path().display());
        writeln!(out, "root {name}: {path}\n  tools: {}", tools.join(", "))?;
    }
    let names: Vec<&str> = registry.tools().iter().map(|tool| tool.name.as_str()).collect();
    writeln!(out, "tools: {}", names.join(", "))?;
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
