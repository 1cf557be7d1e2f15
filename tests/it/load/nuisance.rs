//! Clients that behave badly: they say nothing, say half, take nothing, or go away in the middle.

use super::client::kept_alive;
use crate::harness::http::Request;
use crate::harness::wire::{LEGACY, initialize_params, request};
use crate::harness::{And, Era, ws};
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The ways to be a nuisance, in words for the report.
pub const KINDS: [&str; 6] = [
    "silent",
    "half a head",
    "half a body",
    "taking nothing",
    "gone before the answer",
    "gone listeners",
];

/// How the server got rid of one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It went by itself.
    Left,
    /// The server closed the connection.
    CutOff,
}

/// Be a nuisance of the kind `kind` once.
pub async fn annoy(address: SocketAddr, kind: usize) -> io::Result<End> {
    let mut stream = TcpStream::connect(address).await?;
    match kind {
        0 => until_cut_off(stream).await,
        1 => {
            stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: ").await?;
            until_cut_off(stream).await
        }
        2 => {
            let head = "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
            stream.write_all(head.as_bytes()).await?;
            until_cut_off(stream).await
        }
        3 => {
            let range = ws("large.txt").and("offset_bytes", 0).and("limit_bytes", 7 << 20);
            stream
                .write_all(&kept_alive(&Request::modern(&call("read_file", range)), address))
                .await?;
            take_nothing(stream).await
        }
        4 => {
            let search = ws(".").and("pattern", "no such line");
            let asked = Request::modern(&call("grep", search));
            stream.write_all(&kept_alive(&asked, address)).await.map(|()| End::Left)
        }
        _ => listen_and_go(stream, address).await,
    }
}

fn call(tool: &str, arguments: Value) -> Value {
    request(Era::Modern, 1, "tools/call", json!({"name": tool, "arguments": arguments}))
}

async fn until_cut_off(mut stream: TcpStream) -> io::Result<End> {
    let mut rest = Vec::new();
    drop(stream.read_to_end(&mut rest).await);
    Ok(End::CutOff)
}

/// Read nothing for longer than the server waits. That it gave up does not show on a socket nobody reads from: its
/// connections are counted in the end.
async fn take_nothing(stream: TcpStream) -> io::Result<End> {
    tokio::time::sleep(Duration::from_secs(12)).await;
    drop(stream);
    Ok(End::Left)
}

/// Open a session and a stream in it, and leave both.
async fn listen_and_go(mut stream: TcpStream, address: SocketAddr) -> io::Result<End> {
    let hello = request(Era::Legacy, 0, "initialize", initialize_params(LEGACY));
    stream.write_all(&kept_alive(&Request::post(&hello), address)).await?;
    let mut head = vec![0; 4_096];
    let read = stream.read(&mut head).await?;
    let head = String::from_utf8_lossy(&head[..read]).to_lowercase();
    let session = head.split("mcp-session-id: ").nth(1).and_then(|rest| rest.split("\r\n").next());
    let listen = Request::get("/mcp")
        .header("Accept", "text/event-stream")
        .header("Mcp-Session-Id", session.unwrap_or_default())
        .header("MCP-Protocol-Version", LEGACY);
    let mut second = TcpStream::connect(address).await?;
    second.write_all(&kept_alive(&listen, address)).await?;
    second.read_exact(&mut [0; 8]).await?;
    Ok(End::Left)
}
