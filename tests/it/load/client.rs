//! A client that keeps its connection: a session of the handshake era, or stateless requests.

use crate::harness::Era;
use crate::harness::http::{Request, Response};
use crate::harness::wire::{LEGACY, initialize_params, notification, request};
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// One client.
pub struct Client {
    address: SocketAddr,
    era: Era,
    stream: BufReader<TcpStream>,
    session: Option<String>,
    next_id: u64,
}

/// What a call came to.
pub enum Told {
    /// The result of the tool.
    Result(Value),
    /// There was no room; when to come back, if that was said.
    TurnedAway(Option<u64>),
    /// Something else than an answer.
    Nonsense(String),
}

impl Client {
    /// Connect; in the handshake era, open a session.
    pub async fn connect(address: SocketAddr, era: Era) -> io::Result<Self> {
        let stream = BufReader::new(TcpStream::connect(address).await?);
        stream.get_ref().set_nodelay(true)?;
        let mut client = Self { address, era, stream, session: None, next_id: 1 };
        if era == Era::Legacy {
            client.shake_hands().await?;
        }
        Ok(client)
    }

    async fn shake_hands(&mut self) -> io::Result<()> {
        let hello = request(self.era, 0, "initialize", initialize_params(LEGACY));
        let answer = self.send_patiently(&Request::post(&hello)).await?;
        self.session = answer.header("Mcp-Session-Id").map(str::to_owned);
        let greeted =
            self.head(Request::post(&notification("notifications/initialized", json!({}))));
        match (answer.status, self.send_patiently(&greeted).await?.status) {
            (200, 202) => Ok(()),
            other => Err(io::Error::other(format!("no session: {other:?}"))),
        }
    }

    /// Send, and come back when told to.
    async fn send_patiently(&mut self, request: &Request<'_>) -> io::Result<Response> {
        loop {
            let answer = self.send(request).await?;
            if answer.status != 503 {
                return Ok(answer);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Call a tool.
    pub async fn call(&mut self, tool: &str, arguments: &Value) -> io::Result<Told> {
        self.next_id += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let message = request(self.era, self.next_id, "tools/call", params);
        let asked = match self.era {
            Era::Modern => Request::modern(&message),
            Era::Legacy => self.head(Request::post(&message)),
        };
        let answer = self.send(&asked).await?;
        Ok(match answer.status {
            200 if answer.message()["id"] == self.next_id => {
                Told::Result(answer.message()["result"].clone())
            }
            503 => Told::TurnedAway(answer.header("Retry-After").and_then(|s| s.parse().ok())),
            status => Told::Nonsense(format!("{status}: {}", answer.text())),
        })
    }

    /// End the session, if there is one.
    pub async fn leave(mut self) -> io::Result<()> {
        if self.session.is_none() {
            return Ok(());
        }
        let mut leave = Request::get("/mcp");
        leave.method = "DELETE";
        let leave = self.head(leave);
        self.send_patiently(&leave).await.map(drop)
    }

    fn head<'r>(&self, request: Request<'r>) -> Request<'r> {
        let session = self.session.as_deref().unwrap_or_default();
        request.header("Mcp-Session-Id", session).header("MCP-Protocol-Version", LEGACY)
    }

    async fn send(&mut self, request: &Request<'_>) -> io::Result<Response> {
        self.stream.get_mut().write_all(&kept_alive(request, self.address)).await?;
        let status = self.line().await?;
        let status = status.split(' ').nth(1).and_then(|s| s.parse().ok());
        let status = status.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
        let mut headers = Vec::new();
        while let Some((name, value)) = self.line().await?.split_once(':') {
            headers.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        let mut answer = Response { status, headers, body: Vec::new() };
        match answer.header("Content-Length").map(str::parse) {
            Some(Ok(length)) => self.read_into(&mut answer.body, length).await?,
            _ if answer.header("Transfer-Encoding").is_some() => {
                self.chunks(&mut answer.body).await?
            }
            _ => {}
        }
        Ok(answer)
    }

    async fn chunks(&mut self, body: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let size = usize::from_str_radix(&self.line().await?, 16).map_err(io::Error::other)?;
            self.read_into(body, size).await?;
            self.line().await?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    async fn read_into(&mut self, body: &mut Vec<u8>, length: usize) -> io::Result<()> {
        let start = body.len();
        body.resize(start + length, 0);
        self.stream.read_exact(&mut body[start..]).await.map(drop)
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line).await?;
        Ok(line.trim_end().to_owned())
    }
}

/// The bytes of a request after which the connection stays.
pub fn kept_alive(request: &Request<'_>, to: SocketAddr) -> Vec<u8> {
    let mut head = format!("{} {} HTTP/1.1\r\nHost: {to}\r\n", request.method, request.path);
    for (name, value) in &request.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("Content-Length: {}\r\n\r\n", request.body.len());
    [head.as_bytes(), &request.body].concat()
}
