//! Streamable HTTP at `/mcp`, health at `/health`, on an accept loop of our own: with time limits and without Nagle.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::routing::get;
use axum::{Extension, Router};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::limits::MAX_REQUEST_BYTES;
use crate::server::Server;

/// Time for a client to send the head of a request, and between two requests.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Connections at once.
const MAX_CONNECTIONS: usize = 4_096;
/// Time that running calls get when the server is told to stop.
const DRAIN: Duration = Duration::from_secs(10);
/// Origins that are always welcome: pages served from this machine.
const LOOPBACK: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// Where to listen and whom to hear.
pub struct Listening {
    /// The bound socket.
    pub listener: TcpListener,
    /// Names clients may use for us; any when empty.
    pub allowed_hosts: Vec<String>,
    /// Web origins beside loopback.
    pub allowed_origins: Vec<String>,
}

/// Serve until told to stop, then let running calls finish.
pub async fn serve(server: Server, listening: Listening) -> Result<(), String> {
    let stop = CancellationToken::new();
    let router = router(server, &listening, &stop);
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut ending = std::pin::pin!(told_to_stop());
    loop {
        let Ok(permit) = connections.clone().acquire_owned().await else { break };
        let (stream, address) = tokio::select! {
            accepted = listening.listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of descriptors, for one: wait for some to come back.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut ending => break,
        };
        let watcher = graceful.watcher();
        let router = router.clone().layer(Extension(ConnectInfo(address)));
        tokio::spawn(async move {
            let _permit = permit;
            converse(stream, router, watcher).await;
        });
    }
    drop(listening.listener);
    tracing::info!("stopping: running calls may finish");
    let drained = tokio::time::timeout(DRAIN, graceful.shutdown()).await;
    stop.cancel();
    drained.map_err(|_| "some connections did not finish in time".to_owned())
}

fn router(server: Server, listening: &Listening, stop: &CancellationToken) -> Router {
    let origins =
        LOOPBACK.into_iter().map(str::to_owned).chain(listening.allowed_origins.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_allowed_origins(origins)
        .with_allowed_hosts(listening.allowed_hosts.iter().cloned())
        .with_max_request_body_bytes(MAX_REQUEST_BYTES)
        .with_cancellation_token(stop.child_token());
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    Router::new().route("/health", get(|| async { "ok" })).nest_service("/mcp", service)
}

/// One connection, until either side has enough.
async fn converse(
    stream: TcpStream,
    router: Router,
    watcher: hyper_util::server::graceful::Watcher,
) {
    // Small messages must not wait for each other.
    let _ = stream.set_nodelay(true);
    // A connection that never says anything is closed; the time limit below starts with the first byte.
    match tokio::time::timeout(HEAD_TIMEOUT, stream.peek(&mut [0])).await {
        Ok(Ok(read)) if read > 0 => {}
        _ => return,
    }
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    let service = TowerToHyperService::new(router);
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    // A client that breaks off is its own affair.
    let _: Result<(), _> = watcher.watch(connection.into_owned()).await;
}

/// Ends when the process is asked to.
async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
