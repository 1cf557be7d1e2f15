//! The conformance server: the product's own stack, with what the official suite asks for beside the real tools.
//!
//! Plain fixtures are tools of the registry and take the same road as all others. What no real tool does
//! (images in an answer, questions to the user, lists that change) is added around the server by [`Fixture`].

mod asking;
mod content;
mod fixture;
mod legacy;
mod listeners;
mod prompts;
mod resources;
mod road;
mod schemas;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use mcp_filesystem::audit::log;
use mcp_filesystem::call::Service;
use mcp_filesystem::cli::{Cli, Serve};
use mcp_filesystem::server::Server;
use mcp_filesystem::settings::Settings;
use mcp_filesystem::toolsets::Registry;
use mcp_filesystem::transport::http::{self, Listening};

use fixture::Fixture;

fn main() -> ExitCode {
    match run(&Cli::parse().serve) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("conformance: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: &Serve) -> Result<(), String> {
    let settings = Settings::load(flags)?;
    let registry = road::tools()
        .into_iter()
        .try_fold(Registry::new(&settings.toolsets)?, |registry, definition| {
            registry.with(settings.toolsets[0].toolset, definition)
        })?;
    log::start(settings.log_level.into(), settings.log_format, None)
        .map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    runtime.block_on(serve(settings, registry))
}

async fn serve(settings: Settings, registry: Registry) -> Result<(), String> {
    let wanted = format!("{}:{}", settings.host, settings.port);
    let listener = tokio::net::TcpListener::bind(&wanted).await.map_err(|e| e.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    tracing::info!(target: "mcp_filesystem", %address, "listening");
    let service = Service::new(registry, settings.policy, settings.bounds, settings.structured);
    let server = Server::new(Arc::new(service), settings.annotations);
    let (allowed_hosts, allowed_origins) = (settings.allowed_hosts, settings.allowed_origins);
    let http = settings.http;
    let listening = Listening { listener, allowed_hosts, allowed_origins, http };
    let fixture = Fixture::around(server);
    http::serve(move || fixture.clone(), listening).await;
    Ok(())
}
