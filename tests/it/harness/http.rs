//! HTTP/1.1 on a plain socket: JSON bodies, event streams, chunks, sessions.

use super::wire::{Era, LEGACY, MODERN, Reply, RpcError, answers, reply_of};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;
use std::time::Duration;

/// How long a silent peer is waited for.
const PATIENCE: Duration = Duration::from_secs(90);

/// A response read to its end.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The JSON-RPC message in the body, or the one in its first event with data.
    pub fn message(&self) -> Value {
        let text = self.text();
        let json = text
            .lines()
            .find_map(|l| l.strip_prefix("data:").map(str::trim).filter(|d| d.starts_with('{')));
        serde_json::from_str(json.unwrap_or(&text))
            .unwrap_or_else(|e| panic!("no JSON ({e}) in {self:?}"))
    }
}

/// A request as it goes out; `Host`, `Content-Length` and `Connection` are added unless given.
pub struct Request<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl<'a> Request<'a> {
    pub fn get(path: &'a str) -> Self {
        Self { method: "GET", path, headers: Vec::new(), body: Vec::new() }
    }

    pub fn post(message: &Value) -> Self {
        let json = vec![
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("Accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ];
        Self { method: "POST", path: "/mcp", headers: json, body: message.to_string().into_bytes() }
    }

    /// A modern request with the headers that mirror its body.
    pub fn modern(message: &Value) -> Self {
        let request = Self::post(message).header("MCP-Protocol-Version", MODERN);
        let request = request.header("Mcp-Method", message["method"].as_str().unwrap_or_default());
        let params = &message["params"];
        match params["name"].as_str().or(params["uri"].as_str()) {
            Some(name) => request.header("Mcp-Name", name),
            None => request,
        }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Send on a new connection, and return it with nothing read yet.
    pub fn open(&self, to: SocketAddr) -> TcpStream {
        let mut socket = TcpStream::connect(to).unwrap_or_else(|e| panic!("connect to {to}: {e}"));
        socket.set_nodelay(true).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.write_all(&self.bytes(to)).expect("send the request");
        socket
    }

    pub fn send(&self, to: SocketAddr) -> Response {
        let (status, headers, mut body) = read_head(self.open(to));
        let mut bytes = Vec::new();
        body.read_to_end(&mut bytes).expect("read the body");
        Response { status, headers, body: bytes }
    }

    fn bytes(&self, to: SocketAddr) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        if header(&self.headers, "Host").is_none() {
            head += &format!("Host: {to}\r\n");
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\nConnection: close\r\n\r\n", self.body.len());
        [head.as_bytes(), &self.body].concat()
    }
}

/// One client of `/mcp`.
pub struct HttpLine {
    pub address: SocketAddr,
    era: Era,
    session: Mutex<Option<String>>,
    heard: Mutex<Vec<Value>>,
}

impl HttpLine {
    pub fn new(address: SocketAddr, era: Era) -> Self {
        Self { address, era, session: Mutex::default(), heard: Mutex::default() }
    }

    /// Post a request and read until its answer has come.
    pub fn exchange(&self, message: &Value) -> Reply {
        let (status, headers, mut body) = read_head(self.request(message).open(self.address));
        if let Some(session) = header(&headers, "Mcp-Session-Id") {
            *self.session.lock().unwrap() = Some(session.to_owned());
        }
        if header(&headers, "Content-Type").is_some_and(|t| t.starts_with("text/event-stream")) {
            return reply_of(&self.until_answered(body, &message["id"]), status);
        }
        let mut bytes = Vec::new();
        body.read_to_end(&mut bytes).expect("read the body");
        match serde_json::from_slice(&bytes) {
            Ok(answer) => reply_of(&answer, status),
            Err(_) => Err(no_json_rpc(status, &bytes)),
        }
    }

    pub fn notify(&self, message: &Value) {
        let response = self.request(message).send(self.address);
        assert_eq!(response.status, 202, "a notification is accepted: {}", response.text());
    }

    /// The request with the headers of its era.
    pub fn request(&self, message: &Value) -> Request<'static> {
        if self.era == Era::Modern {
            return Request::modern(message);
        }
        match &*self.session.lock().unwrap() {
            Some(id) => Request::post(message)
                .header("Mcp-Session-Id", id)
                .header("MCP-Protocol-Version", LEGACY),
            None => Request::post(message),
        }
    }

    /// Everything the server said on a stream that was not the answer.
    pub fn heard(&self) -> Vec<Value> {
        self.heard.lock().unwrap().clone()
    }

    fn until_answered(&self, body: Body, id: &Value) -> Value {
        for message in events(body) {
            if answers(&message, id) {
                return message;
            }
            self.heard.lock().unwrap().push(message);
        }
        panic!("the stream ended without an answer to request {id}");
    }
}

fn no_json_rpc(status: u16, body: &[u8]) -> RpcError {
    RpcError { code: 0, message: String::from_utf8_lossy(body).into_owned(), status }
}

/// The messages of an event stream.
pub fn events(body: Body) -> impl Iterator<Item = Value> {
    let mut lines = BufReader::new(body).lines();
    std::iter::from_fn(move || {
        let mut data = String::new();
        loop {
            let line = lines.next()?.expect("read the stream");
            match line.strip_prefix("data:") {
                Some(more) => data += more.strip_prefix(' ').unwrap_or(more),
                None if line.is_empty() && !data.is_empty() => break,
                None => {}
            }
        }
        Some(
            serde_json::from_str(&data)
                .unwrap_or_else(|e| panic!("event is not JSON ({e}): {data}")),
        )
    })
}

/// A body, whichever way its end is told.
pub struct Body {
    from: BufReader<TcpStream>,
    end: End,
}

enum End {
    After(u64),
    Chunked(u64),
    AtClose,
    Done,
}

impl Read for Body {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if matches!(self.end, End::Chunked(0)) {
            self.end = self.next_chunk()?;
        }
        let most = match self.end {
            End::Done | End::After(0) => return Ok(0),
            End::AtClose => into.len(),
            End::After(left) | End::Chunked(left) => into.len().min(usize::try_from(left).unwrap()),
        };
        let n = self.from.read(&mut into[..most])?;
        match &mut self.end {
            End::After(left) => *left -= n as u64,
            End::Chunked(left) => {
                *left -= n as u64;
                if *left == 0 {
                    self.line()?;
                }
            }
            End::AtClose | End::Done => {}
        }
        Ok(n)
    }
}

impl Body {
    fn next_chunk(&mut self) -> std::io::Result<End> {
        let line = self.line()?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size =
            u64::from_str_radix(size, 16).unwrap_or_else(|e| panic!("chunk size {line:?}: {e}"));
        Ok(if size == 0 { End::Done } else { End::Chunked(size) })
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}

/// Read status and headers; the body is left to read.
pub fn read_head(socket: TcpStream) -> (u16, Vec<(String, String)>, Body) {
    let mut body = Body { from: BufReader::new(socket), end: End::AtClose };
    let status = body.line().expect("read the status line");
    let status = status.split(' ').nth(1).and_then(|s| s.parse().ok());
    let status = status.unwrap_or_else(|| panic!("no HTTP status"));
    let mut headers = Vec::new();
    loop {
        let line = body.line().expect("read a header");
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    body.end = if header(&headers, "Transfer-Encoding")
        .is_some_and(|v| v.eq_ignore_ascii_case("chunked"))
    {
        End::Chunked(0)
    } else if let Some(length) = header(&headers, "Content-Length") {
        End::After(length.parse().expect("content length"))
    } else {
        End::AtClose
    };
    (status, headers, body)
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
}
