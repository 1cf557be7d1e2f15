//! TLS: the certificate of the operator, and nothing in the clear.

use crate::harness::http::Request;
use crate::harness::*;
use crate::http_support::*;
use serde_json::json;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, Stream, crypto};

/// A server with a certificate for `files.example`, and that certificate.
fn bench() -> (Server, SocketAddr, CertificateDer<'static>, Workspace) {
    let made = rcgen::generate_simple_self_signed(vec!["files.example".to_owned()]).unwrap();
    let workspace = Workspace::new();
    workspace.all().write("cert.pem", made.cert.pem());
    workspace.all().write("key.pem", made.signing_key.serialize_pem());
    let tls = json!({"certificate": workspace.all().path("cert.pem"),
                     "key": workspace.all().path("key.pem")});
    let limits = json!({"tls": tls, "head_timeout_seconds": 1});
    let file = Config::roots(&["workspace"]).set("http", limits).save(&workspace);
    let mut server = Launch::new(&file, Transport::Http).start();
    let address = server.address();
    (server, address, made.cert.der().clone(), workspace)
}

/// Send a request over TLS and read all that comes back; `Err` when the handshake fails.
fn exchange(
    address: SocketAddr,
    trusted: &CertificateDer<'static>,
    name: &str,
    request: &[u8],
) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let mut session = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = std::net::TcpStream::connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let mut stream = Stream::new(&mut session, &mut socket);
    stream.write_all(request)?;
    let mut all = Vec::new();
    stream.read_to_end(&mut all)?;
    Ok(String::from_utf8_lossy(&all).into_owned())
}

/// A client that trusts the certificate is served; one that expects another name is not.
#[test]
fn served_over_tls() {
    let (server, address, certificate, _workspace) = bench();
    let get = b"GET /health HTTP/1.1\r\nHost: files.example\r\nConnection: close\r\n\r\n";
    let answer = exchange(address, &certificate, "files.example", get).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nok"),
        "{answer}"
    );
    let call = message("tools/call", json!({"name": "list_roots", "arguments": {}})).to_string();
    let post = format!(
        "POST /mcp HTTP/1.1\r\nHost: files.example\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: list_roots\r\nContent-Length: {}\r\n\r\n{call}",
        call.len()
    );
    let answer = exchange(address, &certificate, "files.example", post.as_bytes()).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("workspace"), "{answer}");
    assert!(exchange(address, &certificate, "other.example", get).is_err());
    let said = server.log.wait_for("the scheme", |line| line["msg"] == "listening");
    assert_eq!(said["scheme"], "https");
}

/// What is not TLS gets nothing, and neither it nor a silent client keeps its connection.
#[test]
fn nothing_in_the_clear() {
    let (_server, address, certificate, _workspace) = bench();
    let plain = Request::get("/health").open(address);
    let (_, answer) = until_closed(plain);
    assert!(!answer.contains("HTTP/1.1"), "{answer}");
    let (took, _) = until_closed(std::net::TcpStream::connect(address).unwrap());
    assert!(took.as_secs() < 5, "a silent client was kept for {took:?}");
    let silent = exchange(address, &certificate, "files.example", b"");
    assert!(silent.is_err() || silent.is_ok_and(|all| all.is_empty()), "handshake, then silence");
}

/// A certificate or key that can not be used is found at start, without showing the key.
#[test]
fn mistakes_are_found_at_start() {
    let made = rcgen::generate_simple_self_signed(vec!["a.example".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(vec!["b.example".to_owned()]).unwrap();
    let (cert, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let cases = [
        (cert.clone(), "no key".to_owned(), "http.tls.key holds no private key in PEM"),
        ("no certificate".to_owned(), key.clone(), "http.tls.certificate holds no certificate"),
        (cert, other.signing_key.serialize_pem(), "http.tls: certificate and key do not fit"),
    ];
    for (certificate, key, sentence) in cases {
        let workspace = Workspace::new();
        workspace.all().write("cert.pem", certificate).write("key.pem", &key);
        let paths = ["cert.pem", "key.pem"].map(|name| workspace.all().path(name));
        let tls = json!({"tls": {"certificate": paths[0], "key": paths[1]}});
        let file = Config::roots(&["workspace"]).set("http", tls).save(&workspace);
        let end = Launch::new(&file, Transport::Http).finish();
        assert_eq!(end.code, Some(1), "{end:?}");
        assert!(end.stderr.contains(sentence), "{sentence:?} is missing: {end:?}");
        assert!(!end.stderr.contains(key.lines().nth(1).unwrap_or("-----")), "{end:?}");
    }
}
