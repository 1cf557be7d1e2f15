//! One connection: taken or turned away, with TLS or without, until either side has enough.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::Watcher;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use super::http::Limits;
use super::patient::Patient;

/// Time that a client gets to hear that there is no room.
const FAREWELL: Duration = Duration::from_secs(1);
/// What it hears.
const NO_ROOM: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 45\r\n\r\ntoo many connections; try again in 5 seconds\n";

/// Talk over `stream` until either side has enough.
pub async fn converse(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    remote: SocketAddr,
    router: Router,
    watcher: Watcher,
    limits: &Limits,
) {
    // Small messages must not wait for each other.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else { return speak(stream, remote, router, watcher, limits).await };
    // A client that gives up the handshake is its own affair.
    if let Ok(Ok(stream)) = timeout(limits.head_timeout, tls.accept(stream)).await {
        speak(stream, remote, router, watcher, limits).await;
    }
}

async fn speak<S>(stream: S, remote: SocketAddr, router: Router, watcher: Watcher, limits: &Limits)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let stream = Patient::new(stream, limits.head_timeout, limits.write_timeout);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(remote));
        router.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .max_buf_size(limits.header)
        .serve_connection(TokioIo::new(stream), service);
    // A client that breaks off is its own affair.
    let _: Result<(), _> = watcher.watch(connection).await;
}

/// Tell the client that there is no room, instead of letting it wait for ever.
pub async fn turn_away(mut stream: TcpStream) {
    let farewell = async {
        stream.write_all(NO_ROOM).await?;
        stream.shutdown().await?;
        // Closing with unread bytes would take our answer back.
        let mut rest = [0; 4_096];
        while stream.read(&mut rest).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = timeout(FAREWELL, farewell).await;
}
