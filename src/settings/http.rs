//! The `http:` section: as written, and as meant.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::written::{self, unexpanded};
use crate::limits;
use crate::policy::{Grant, HOME, TOOL_NAMES};
use crate::sandbox::own;
use crate::toolsets::Selection;
use crate::transport::access::Access;
use crate::transport::http::{Http, Limits};
use crate::transport::oauth::{KeySet, Oauth, ScopeRule};
use crate::transport::tls;
use crate::transport::tokens::{Digest, TokenRule, Tokens};

/// The section as written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct HttpEntry {
    tokens: Vec<TokenEntry>,
    oauth: Option<OauthEntry>,
    tls: Option<TlsEntry>,
    metrics: Option<bool>,
    max_connections: Option<usize>,
    max_in_flight: Option<usize>,
    max_sessions: Option<usize>,
    max_body_bytes: Option<usize>,
    max_header_bytes: Option<usize>,
    head_timeout_seconds: Option<u64>,
    body_timeout_seconds: Option<u64>,
    write_timeout_seconds: Option<u64>,
    session_idle_seconds: Option<u64>,
    stop_delay_seconds: Option<u64>,
    drain_seconds: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenEntry {
    name: String,
    sha256: Option<String>,
    file: Option<PathBuf>,
    roots: Names,
    tools: Names,
}

/// Names of roots or tools; all when left out.
type Names = Option<Vec<String>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OauthEntry {
    issuer: String,
    audience: String,
    resource: Option<String>,
    jwks_file: Option<PathBuf>,
    jwks: Option<serde_json::Value>,
    #[serde(default)]
    scopes: Vec<ScopeEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScopeEntry {
    scope: String,
    roots: Names,
    tools: Names,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TlsEntry {
    certificate: PathBuf,
    key: PathBuf,
}

/// The names that grants may use.
pub(super) struct Known {
    roots: BTreeSet<String>,
    tools: BTreeSet<String>,
}

impl Known {
    /// The tools of these toolsets, these roots, and the one directory.
    pub(super) fn new<'a>(roots: impl Iterator<Item = &'a str>, toolsets: &[Selection]) -> Self {
        let served =
            toolsets.iter().flat_map(|selection| selection.toolset.tools(selection.examples));
        let served = served.map(|definition| definition.name.to_owned());
        Self {
            roots: roots.chain([HOME]).map(str::to_owned).collect(),
            tools: TOOL_NAMES.map(str::to_owned).into_iter().chain(served).collect(),
        }
    }

    fn grant(&self, whose: &str, roots: Names, tools: Names) -> Result<Grant, String> {
        let roots = roots.map(|names| all_known(whose, "root", names, &self.roots));
        let tools = tools.map(|names| all_known(whose, "tool", names, &self.tools));
        Ok(Grant { roots: roots.transpose()?, tools: tools.transpose()? })
    }
}

/// The names, all of which must be known; `*` is all of them.
fn all_known(
    whose: &str,
    noun: &str,
    names: Vec<String>,
    known: &BTreeSet<String>,
) -> Result<BTreeSet<String>, String> {
    if names.iter().any(|name| name == "*") {
        return Ok(known.clone());
    }
    match names.iter().find(|name| !known.contains(*name)) {
        None => Ok(names.into_iter().collect()),
        Some(unknown) => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let (meant, known) = (written::meant(unknown, &known), known.join(", "));
            Err(format!("{whose}: unknown {noun} \"{unknown}\"{meant}; known: {known}"))
        }
    }
}

/// What the section means.
pub(super) fn meant(entry: HttpEntry, known: &Known) -> Result<Http, String> {
    let limits = limits_of(&entry);
    let tokens = tokens(entry.tokens, known)?;
    let oauth = entry.oauth.map(|oauth| meant_oauth(oauth, known)).transpose()?;
    let tls = entry.tls.map(|files| {
        let certificate = read(&files.certificate, "http.tls.certificate")?;
        tls::config(&certificate, &read(&files.key, "http.tls.key")?)
    });
    Ok(Http {
        access: Access { tokens, oauth },
        tls: tls.transpose()?,
        limits,
        metrics: entry.metrics.unwrap_or(true),
    })
}

fn limits_of(entry: &HttpEntry) -> Limits {
    let seconds = |written: Option<u64>, usual| written.map_or(usual, Duration::from_secs);
    Limits {
        connections: entry.max_connections.unwrap_or(limits::MAX_CONNECTIONS).max(1),
        in_flight: entry.max_in_flight.unwrap_or(limits::MAX_IN_FLIGHT).max(1),
        sessions: entry.max_sessions.unwrap_or(limits::MAX_SESSIONS),
        body: entry.max_body_bytes.unwrap_or(limits::MAX_REQUEST_BYTES),
        // The HTTP library needs this much at least.
        header: entry.max_header_bytes.unwrap_or(limits::MAX_HEADER_BYTES).max(8 << 10),
        head_timeout: seconds(entry.head_timeout_seconds, limits::HEAD_TIMEOUT),
        body_timeout: seconds(entry.body_timeout_seconds, limits::BODY_TIMEOUT),
        write_timeout: seconds(entry.write_timeout_seconds, limits::WRITE_TIMEOUT),
        session_idle: seconds(entry.session_idle_seconds, limits::SESSION_IDLE),
        stop_delay: seconds(entry.stop_delay_seconds, Duration::ZERO),
        drain: seconds(entry.drain_seconds, limits::DRAIN),
    }
}

fn tokens(entries: Vec<TokenEntry>, known: &Known) -> Result<Tokens, String> {
    let mut names = BTreeSet::new();
    let mut rules = Vec::new();
    for entry in entries {
        if entry.name.trim().is_empty() {
            return Err("a token under http.tokens has an empty name".into());
        }
        if !names.insert(entry.name.clone()) {
            return Err(format!("duplicate token name: {}", entry.name));
        }
        rules.push(token(entry, known)?);
    }
    Ok(Tokens::new(rules))
}

fn token(entry: TokenEntry, known: &Known) -> Result<TokenRule, String> {
    let whose = format!("token \"{}\"", entry.name);
    let digests = match (entry.sha256, entry.file) {
        (Some(hash), None) => vec![
            Digest::from_hex(&hash)
                .ok_or_else(|| format!("{whose}: sha256 must be 64 hexadecimal digits"))?,
        ],
        (None, Some(path)) => in_file(&read(&path, &whose)?),
        _ => return Err(format!("{whose}: give either sha256 or file")),
    };
    if digests.is_empty() {
        return Err(format!("{whose}: the file holds no token"));
    }
    Ok(TokenRule {
        grant: known.grant(&whose, entry.roots, entry.tools)?,
        name: entry.name,
        digests,
    })
}

/// One token per line; empty lines and comments do not count.
fn in_file(text: &str) -> Vec<Digest> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(Digest::of).collect()
}

fn meant_oauth(entry: OauthEntry, known: &Known) -> Result<Oauth, String> {
    let keys = match (entry.jwks_file, entry.jwks) {
        (Some(path), None) => KeySet::parse(&read(&path, "http.oauth.jwks_file")?),
        (None, Some(keys)) => KeySet::parse(&keys.to_string()),
        _ => return Err("http.oauth: give either jwks_file or jwks".into()),
    };
    let scopes = entry.scopes.into_iter().map(|scope| {
        let whose = format!("scope \"{}\"", scope.scope);
        Ok(ScopeRule { grant: known.grant(&whose, scope.roots, scope.tools)?, scope: scope.scope })
    });
    Oauth::new(
        entry.issuer,
        entry.resource.unwrap_or_else(|| entry.audience.clone()),
        entry.audience,
        keys.map_err(|error| format!("http.oauth: {error}"))?,
        scopes.collect::<Result<_, String>>()?,
    )
}

fn read(path: &Path, whose: &str) -> Result<String, String> {
    own::read_text(path).map_err(|error| {
        let hint = unexpanded(path);
        format!("{whose}: cannot read {}: {error}{hint}", path.display())
    })
}
