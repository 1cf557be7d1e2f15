//! Streamable HTTP at `/mcp`, on an accept loop of our own: with time limits, without Nagle, never queueing for ever.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::routing::get;
use axum::{Router, middleware};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use hyper_util::server::graceful::GracefulShutdown;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_util::sync::CancellationToken;

use super::access::Access;
use super::connection::{converse, turn_away};
use super::guard::{self, Gate};
use super::oauth::METADATA_PATH;
use super::signals::told_to_stop;
use crate::audit::metrics::METRICS;
use crate::limits::RESUME_TIME;
use crate::sandbox::probe;

/// Clients that are told at once that there is no room; more are dropped without a word.
const FAREWELLS: usize = 64;
/// Time that idle connections and listening streams get to notice the end.
const CLOSING: Duration = Duration::from_secs(2);
/// How often the end of the running calls is looked for.
const LOOK: Duration = Duration::from_millis(10);
/// Origins that are always welcome: pages served from this machine.
const LOOPBACK: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// The `http:` section of the configuration, made meaningful.
#[derive(Debug)]
pub struct Http {
    /// Who may come in.
    pub access: Access,
    /// TLS, if there is a certificate.
    pub tls: Option<Arc<ServerConfig>>,
    /// How much and how long.
    pub limits: Limits,
    /// Whether `/metrics` answers.
    pub metrics: bool,
}

impl Http {
    /// What the address begins with.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }
}

/// How much and how long.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// Requests that are answered at once.
    pub in_flight: usize,
    /// Sessions held.
    pub sessions: usize,
    /// Bytes of a body.
    pub body: usize,
    /// Bytes of a head.
    pub header: usize,
    /// Time to send a head, and between two requests.
    pub head_timeout: Duration,
    /// Time to send a body.
    pub body_timeout: Duration,
    /// Time in which some of an answer must be taken.
    pub write_timeout: Duration,
    /// Time after which a silent session ends.
    pub session_idle: Duration,
    /// Time between `/ready` saying no and the end of accepting.
    pub stop_delay: Duration,
    /// Time that running calls get in the end.
    pub drain: Duration,
}

/// Where to listen and whom to hear.
pub struct Listening {
    /// The bound socket.
    pub listener: TcpListener,
    /// Names clients may use for us; any when empty.
    pub allowed_hosts: Vec<String>,
    /// Web origins beside loopback.
    pub allowed_origins: Vec<String>,
    /// The rest.
    pub http: Http,
}

/// What gives a server to each client.
pub trait Serves<S>: Fn() -> S + Send + Sync + 'static {}

impl<S, F: Fn() -> S + Send + Sync + 'static> Serves<S> for F {}

/// Serve until told to stop, then let running calls finish.
pub async fn serve<S: ServerHandler>(server: impl Serves<S>, listening: Listening) {
    let stop = CancellationToken::new();
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(listening.http.limits.session_idle);
    // One whose client went away before it began ends likewise.
    sessions.session_config.init_timeout = Some(listening.http.limits.session_idle);
    sessions.session_config.completed_cache_ttl = RESUME_TIME;
    let Listening { listener, allowed_hosts, allowed_origins, mut http } = listening;
    leave_descriptors(&mut http.limits);
    let gate = Arc::new(Gate::new(http.access, http.limits, Arc::new(sessions)));
    let config = protocol(&http.limits, allowed_hosts, allowed_origins, &stop);
    let door = Door {
        router: router(server, &gate, config, http.metrics),
        tls: http.tls.map(TlsAcceptor::from),
        farewells: Arc::new(Semaphore::new(FAREWELLS)),
        graceful: GracefulShutdown::new(),
        gate: gate.clone(),
    };
    door.accept(&listener, told_to_stop_for(&gate)).await;
    drop(listener);
    tracing::info!(running = gate.busy(), "stopping: running calls may finish");
    tokio::select! {
        () = drain(door.graceful, &gate, &stop) => {}
        () = told_to_stop() => tracing::warn!("told to stop again: stopping at once"),
    }
}

/// Connections get half of the descriptors at the most: a client is told that there is no room while calls can still open
/// files.
fn leave_descriptors(limits: &mut Limits) {
    let Some(most) = probe::raise_open_files() else { return };
    let half = usize::try_from(most / 2).unwrap_or(usize::MAX).max(1);
    if limits.connections > half {
        let asked = limits.connections;
        tracing::warn!(
            asked,
            connections = half,
            "fewer connections: the limit of open files is low"
        );
        limits.connections = half;
    }
}

/// What takes connections in.
struct Door {
    gate: Arc<Gate>,
    router: Router,
    tls: Option<TlsAcceptor>,
    farewells: Arc<Semaphore>,
    graceful: GracefulShutdown,
}

impl Door {
    async fn accept(&self, listener: &TcpListener, ending: impl Future<Output = ()>) {
        let mut ending = std::pin::pin!(ending);
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, address)) => self.take(stream, address),
                    Err(error) => {
                        // Out of descriptors, for one: wait for some to come back.
                        tracing::warn!(%error, "cannot accept a connection");
                        sleep(Duration::from_millis(50)).await;
                    }
                },
                () = &mut ending => return,
            }
        }
    }

    fn take(&self, stream: TcpStream, remote: SocketAddr) {
        let Ok(permit) = self.gate.connections.clone().try_acquire_owned() else {
            return self.refuse(stream);
        };
        let (router, tls, watcher) =
            (self.router.clone(), self.tls.clone(), self.graceful.watcher());
        let limits = self.gate.limits;
        tokio::spawn(async move {
            let _permit = permit;
            converse(stream, tls, remote, router, watcher, &limits).await;
        });
    }

    fn refuse(&self, stream: TcpStream) {
        METRICS.count_refusal("connections");
        // Behind TLS there is nothing to be said before the handshake.
        if self.tls.is_some() {
            return;
        }
        let Ok(permit) = self.farewells.clone().try_acquire_owned() else { return };
        tokio::spawn(async move {
            let _permit = permit;
            turn_away(stream).await;
        });
    }
}

/// Let running calls finish, then end what only listens. A connection that hangs does not keep the process.
async fn drain(graceful: GracefulShutdown, gate: &Gate, stop: &CancellationToken) {
    let closing = tokio::spawn(graceful.shutdown());
    let quiet = async {
        while gate.busy() > 0 {
            sleep(LOOK).await;
        }
    };
    if timeout(gate.limits.drain, quiet).await.is_err() {
        tracing::warn!(running = gate.busy(), "some calls did not finish in time");
    }
    stop.cancel();
    if timeout(CLOSING, closing).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
}

fn protocol(
    limits: &Limits,
    allowed_hosts: Vec<String>,
    allowed_origins: Vec<String>,
    stop: &CancellationToken,
) -> StreamableHttpServerConfig {
    let origins = LOOPBACK.into_iter().map(str::to_owned).chain(allowed_origins);
    StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_allowed_origins(origins)
        .with_allowed_hosts(allowed_hosts)
        .with_max_request_body_bytes(limits.body)
        .with_cancellation_token(stop.child_token())
}

/// Every address that is answered.
fn router<S: ServerHandler>(
    server: impl Serves<S>,
    gate: &Arc<Gate>,
    config: StreamableHttpServerConfig,
    metrics: bool,
) -> Router {
    let sessions = gate.sessions.clone();
    let service = StreamableHttpService::new(move || Ok(server()), sessions, config);
    let mut guarded = Router::new()
        .nest_service("/mcp", service)
        .layer(middleware::from_fn_with_state(gate.clone(), guard::carry));
    if metrics {
        guarded = guarded.route("/metrics", get(page(gate)));
    }
    guarded
        .layer(middleware::from_fn_with_state(gate.clone(), guard::identify))
        .merge(open(gate))
        .layer(middleware::from_fn(guard::count))
}

/// What anyone may ask.
fn open(gate: &Arc<Gate>) -> Router {
    let ready = gate.clone();
    let mut open = Router::new().route("/health", get(|| async { "ok" })).route(
        "/ready",
        get(move || async move {
            if ready.is_ready() {
                (StatusCode::OK, "ready")
            } else {
                (StatusCode::SERVICE_UNAVAILABLE, "stopping")
            }
        }),
    );
    if let Some(oauth) = &gate.access.oauth {
        for path in [METADATA_PATH.to_owned(), format!("{METADATA_PATH}/mcp")] {
            let metadata = oauth.metadata().to_string();
            let answer = ([(CONTENT_TYPE, "application/json")], metadata);
            open = open.route(&path, get(move || async move { answer }));
        }
    }
    open
}

/// The metrics, in the content type that Prometheus expects.
fn page(gate: &Arc<Gate>) -> impl axum::handler::Handler<((),), ()> {
    let gate = gate.clone();
    move || async move {
        let text = METRICS.render(gate.gauges().await);
        ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
    }
}

/// Ends when the process is asked to, some time after `/ready` has begun to say no.
async fn told_to_stop_for(gate: &Gate) {
    told_to_stop().await;
    gate.stop();
    sleep(gate.limits.stop_delay).await;
}
