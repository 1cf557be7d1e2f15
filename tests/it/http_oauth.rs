//! The resource server of OAuth: tokens of an authorization server, good ones and every kind of bad one.

use crate::harness::http::Request;
use crate::harness::*;
use crate::http_support::*;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RsaKeyPair,
};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

const ISSUER: &str = "https://auth.example/realms/agents";
const AUDIENCE: &str = "https://files.example/mcp";

/// A key of the authorization server.
enum Key {
    Rsa(RsaKeyPair),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl Key {
    fn rsa() -> Self {
        let pem = include_str!("../keys/test-only-rsa.pem");
        let body: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
        Self::Rsa(RsaKeyPair::from_pkcs8(&STANDARD.decode(body).unwrap()).unwrap())
    }

    fn ec() -> Self {
        let (random, kind) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let made = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Self::Ec(EcdsaKeyPair::from_pkcs8(kind, made.as_ref(), &random).unwrap())
    }

    fn ed() -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed(Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap())
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::Ec(_) => "ES256",
            Self::Ed(_) => "EdDSA",
        }
    }

    /// The public half, as the key set shows it; its id is its algorithm.
    fn jwk(&self) -> Value {
        let common = |rest: Value| rest.and("kid", self.algorithm()).and("use", "sig");
        match self {
            Self::Rsa(key) => {
                let parts = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(key.public());
                common(json!({"kty": "RSA", "n": b64(&parts.n), "e": b64(&parts.e)}))
            }
            Self::Ec(key) => {
                let (x, y) = key.public_key().as_ref()[1..].split_at(32);
                common(json!({"kty": "EC", "crv": "P-256", "x": b64(x), "y": b64(y)}))
            }
            Self::Ed(key) => {
                let x = b64(key.public_key().as_ref());
                common(json!({"kty": "OKP", "crv": "Ed25519", "x": x}))
            }
        }
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let message = format!(
            "{}.{}",
            b64(header.to_string().as_bytes()),
            b64(claims.to_string().as_bytes())
        );
        let random = SystemRandom::new();
        let signature = match self {
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message.as_bytes(), &mut signature).unwrap();
                signature
            }
            Self::Ec(key) => key.sign(&random, message.as_bytes()).unwrap().as_ref().to_vec(),
            Self::Ed(key) => key.sign(message.as_bytes()).as_ref().to_vec(),
        };
        format!("{message}.{}", b64(&signature))
    }

    /// A token with these claims and an honest header.
    fn token(&self, claims: &Value) -> String {
        self.sign(
            &json!({"alg": self.algorithm(), "kid": self.algorithm(), "typ": "at+jwt"}),
            claims,
        )
    }
}

fn b64(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Claims that are in order, for a holder with these scopes.
fn claims(scope: &str) -> Value {
    json!({"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": now() + 300, "scope": scope})
}

/// Reading in `docs` is one scope, everything in `scratch` another.
fn config(keys: &[&Key]) -> Config {
    let keys: Vec<Value> = keys.iter().map(|key| key.jwk()).collect();
    let oauth = json!({
        "issuer": ISSUER, "audience": AUDIENCE, "jwks": {"keys": keys},
        "scopes": [
            {"scope": "docs:read", "roots": ["docs"], "tools": ["read_file", "list_folder"]},
            {"scope": "scratch", "roots": ["scratch"]},
        ],
    });
    Config::roots(&["docs", "scratch"]).set("http", json!({"oauth": oauth}))
}

fn status(b: &Bench, token: &str) -> u16 {
    bearing(token, "tools/list", json!({})).send(b.address()).status
}

/// Tokens signed in each of the three ways come in, and the log names their subject.
#[test]
fn good_tokens_come_in() {
    let keys = [Key::rsa(), Key::ec(), Key::ed()];
    let b = HTTP.with(config(&keys.iter().collect::<Vec<_>>()));
    b.root("docs").write("f.txt", "hello");
    for key in &keys {
        let token = key.token(&claims("docs:read"));
        let read = call_as(&b, &token, "read_file", at("docs", "f.txt")).ok();
        assert_eq!(read["content"], "hello", "{}", key.algorithm());
    }
    assert_eq!(b.server.log.call_of("read_file")["principal"], "ada");
}

/// Whatever is wrong with a token, it opens nothing.
#[test]
fn bad_tokens_stay_out() {
    let (key, other) = (Key::ec(), Key::ec());
    let b = HTTP.with(config(&[&key]));
    let good = claims("docs:read");
    assert_eq!(status(&b, &key.token(&good)), 200);
    let without = |name: &str| {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(name);
        claims
    };
    let cases = [
        ("another issuer", good.clone().and("iss", "https://evil.example")),
        ("a list of issuers", good.clone().and("iss", json!([ISSUER]))),
        ("another audience", good.clone().and("aud", "https://other.example/mcp")),
        ("other audiences", good.clone().and("aud", json!(["https://other.example/mcp", "x"]))),
        ("expired", good.clone().and("exp", now() - 60)),
        ("not yet", good.clone().and("nbf", now() + 120)),
        ("exp is no number", good.clone().and("exp", "tomorrow")),
        ("no audience", without("aud")),
        ("no issuer", without("iss")),
        ("no expiry", without("exp")),
    ];
    for (what, claims) in cases {
        assert_eq!(status(&b, &key.token(&claims)), 401, "{what}");
    }
    let among = good.clone().and("aud", json!(["https://other.example/mcp", AUDIENCE]));
    assert_eq!(status(&b, &key.token(&among)), 200, "one of several audiences is enough");
    assert_eq!(status(&b, &other.token(&good)), 401, "another's signature");
}

/// The header of a token can not choose how it is judged.
#[test]
fn headers_choose_nothing() {
    let key = Key::ec();
    let b = HTTP.with(config(&[&key]));
    let good = claims("docs:read");
    let token = key.token(&good);
    let (message, signature) = token.rsplit_once('.').unwrap();
    let (header, body) = message.split_once('.').unwrap();
    let none = b64(json!({"alg": "none"}).to_string().as_bytes());
    let hmac = b64(json!({"alg": "HS256", "kid": "ES256"}).to_string().as_bytes());
    let rsa = b64(json!({"alg": "RS256"}).to_string().as_bytes());
    let more = b64(good.clone().and("scope", "docs:read scratch").to_string().as_bytes());
    for bad in [
        format!("{none}.{body}."),
        format!("{none}.{body}.{signature}"),
        format!("{hmac}.{body}.{signature}"),
        format!("{rsa}.{body}.{signature}"),
        format!("{header}.{more}.{signature}"),
        format!("{header}.{body}.{}", b64(&[0; 64])),
        format!("{header}.{body}"),
        format!("{token}.x"),
        "..".to_owned(),
    ] {
        assert_eq!(status(&b, &bad), 401, "{bad}");
    }
    let unknown = key.sign(&json!({"alg": "ES256", "kid": "another"}), &good);
    assert_eq!(status(&b, &unknown), 401, "a key that is not in the set");
    let critical = key.sign(&json!({"alg": "ES256", "crit": ["b64"], "b64": false}), &good);
    assert_eq!(status(&b, &critical), 401, "an extension that must be understood");
    let nameless = key.sign(&json!({"alg": "ES256"}), &good);
    assert_eq!(status(&b, &nameless), 200, "a token need not name its key");
}

/// A scope opens its own roots and tools; two scopes open both, and neither lends to the other.
#[test]
fn scopes_open_their_own() {
    let key = Key::ed();
    let b = HTTP.with(config(&[&key]));
    b.root("docs").write("f.txt", "hello");
    let reader = key.token(&claims("openid docs:read"));
    let both = key.token(&claims("docs:read scratch"));
    let array = key.token(&claims("").and("scp", json!(["docs:read"])));
    assert_eq!(tools_of(&b, &reader), ["list_roots", "list_folder", "read_file"]);
    assert_eq!(tools_of(&b, &array), ["list_roots", "list_folder", "read_file"]);
    assert_eq!(tools_of(&b, &both).len(), 15);
    let write = |root: &str| at(root, "new.txt").and("content", "x").and("mode", "overwrite");
    call_as(&b, &reader, "write_file", write("docs")).fails();
    call_as(&b, &reader, "write_file", write("scratch")).fails();
    call_as(&b, &both, "write_file", write("docs")).fails();
    assert!(!b.root("docs").has("new.txt") && !b.root("scratch").has("new.txt"));
    call_as(&b, &both, "write_file", write("scratch")).ok();
    let carry = across("docs", "f.txt", "scratch", "f.txt");
    call_as(&b, &both, "copy", carry).fails();
    assert!(!b.root("scratch").has("f.txt"), "copy is not among the tools on docs");
}

/// A good token without a scope of ours is told which it needs.
#[test]
fn insufficient_scope_403() {
    let key = Key::ec();
    let b = HTTP.with(config(&[&key]));
    let token = key.token(&claims("openid email"));
    let refused = bearing(&token, "tools/list", json!({})).send(b.address());
    assert_eq!(refused.status, 403);
    let asked = "Bearer realm=\"mcp-filesystem\", error=\"insufficient_scope\", resource_metadata=\"https://files.example/.well-known/oauth-protected-resource/mcp\", scope=\"docs:read scratch\"";
    assert_eq!(refused.header("WWW-Authenticate"), Some(asked));
}

/// Who comes without a token finds the authorization server.
#[test]
fn the_way_to_a_token() {
    let key = Key::ec();
    let b = HTTP.with(config(&[&key]));
    let refused = Request::modern(&message("tools/list", json!({}))).send(b.address());
    assert_eq!(refused.status, 401);
    let asked = "Bearer realm=\"mcp-filesystem\", resource_metadata=\"https://files.example/.well-known/oauth-protected-resource/mcp\", scope=\"docs:read scratch\"";
    assert_eq!(refused.header("WWW-Authenticate"), Some(asked));
    let expected = json!({
        "resource": AUDIENCE,
        "resource_name": "mcp-filesystem",
        "authorization_servers": [ISSUER],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["docs:read", "scratch"],
    });
    for path in
        ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]
    {
        let found = get(&b, path);
        assert_eq!((found.status, found.header("Content-Type")), (200, Some("application/json")));
        assert_eq!(found.message(), expected);
    }
    let plain = HTTP.bench();
    assert_eq!(get(&plain, "/.well-known/oauth-protected-resource").status, 404);
}

/// Keys come from a file too, tokens of the operator beside them; without scopes a good token opens everything.
#[test]
fn keys_from_a_file_and_tokens_beside() {
    let key = Key::rsa();
    let workspace = Workspace::new();
    workspace.all().write("keys.json", json!({"keys": [key.jwk()]}).to_string());
    let http = json!({
        "tokens": [{"name": "operator", "sha256": sha256(b"static"), "roots": ["docs"]}],
        "oauth": {"issuer": ISSUER, "audience": "files", "resource": AUDIENCE,
                  "jwks_file": workspace.all().path("keys.json")},
    });
    let b = HTTP.on(workspace, Config::roots(&["docs", "scratch"]).set("http", http));
    let token = key.token(&claims("").and("aud", "files"));
    let roots = |token| call_as(&b, token, "list_roots", json!({})).ok()["roots"].clone();
    assert_eq!(column(&roots(&token), "name"), ["docs", "scratch"]);
    assert_eq!(column(&roots("static"), "name"), ["docs"]);
}

/// The same name from another source is another caller: a session of the operator's `ada` is not the subject `ada`'s.
#[test]
fn names_of_two_sources_are_two_callers() {
    let key = Key::ec();
    let http = json!({
        "tokens": [{"name": "ada", "sha256": sha256(b"static")}],
        "oauth": {"issuer": ISSUER, "audience": AUDIENCE, "jwks": {"keys": [key.jwk()]}},
    });
    let b = HTTP.with(Config::roots(&["docs"]).set("http", http));
    let post = |message: &Value, token: &str| {
        Request::post(message).header("Authorization", &format!("Bearer {token}"))
    };
    let hello = wire::request(Era::Legacy, 1, "initialize", wire::initialize_params(wire::LEGACY));
    let opened = post(&hello, "static").send(b.address());
    let session = opened.header("Mcp-Session-Id").expect("a session").to_owned();
    let list = wire::request(Era::Legacy, 2, "tools/list", json!({}));
    let in_session = |token: &str| {
        let request = post(&list, token).header("Mcp-Session-Id", &session);
        request.header("MCP-Protocol-Version", wire::LEGACY).send(b.address()).status
    };
    assert_eq!(in_session(&key.token(&claims(""))), 404);
    assert_eq!(in_session("static"), 200);
}

/// A mistake is found at start.
#[test]
fn mistakes_are_found_at_start() {
    let key = Key::ec().jwk();
    let base = json!({"issuer": ISSUER, "audience": AUDIENCE, "jwks": {"keys": [key]}});
    let unusable = json!({"keys": [{"kty": "oct", "k": "c2VjcmV0", "alg": "HS256"}]});
    let cases = [
        (base.clone().and("jwks", json!({"keys": []})), "the key set has no key for RS256, ES256"),
        (base.clone().and("jwks", unusable), "the key set has no key for RS256, ES256"),
        (base.clone().and("jwks", "x"), "not a key set"),
        (base.clone().and("jwks_file", "keys.json"), "give either jwks_file or jwks"),
        (base.clone().and("audience", "files"), "the resource is not a URL: files"),
        (
            base.clone().and("scopes", json!([{"scope": "s", "roots": ["x"]}])),
            "scope \"s\": unknown root \"x\"",
        ),
        (base.clone().and("secret", "x"), "http.oauth: unknown key secret; known keys: issuer, "),
    ];
    for (oauth, sentence) in cases {
        let workspace = Workspace::new();
        let config = Config::roots(&["docs"]).set("http", json!({"oauth": oauth}));
        let end = Launch::new(&config.save(&workspace), Transport::Http).finish();
        assert_eq!(end.code, Some(1), "{end:?}");
        assert!(end.stderr.contains(sentence), "{sentence:?} is missing: {end:?}");
    }
}
