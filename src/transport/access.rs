//! Who may come in over HTTP: the bearer of a token that the operator or the authorization server gave out.

use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};

use super::oauth::{Oauth, Rejection};
use super::tokens::Tokens;
use crate::audit::metrics::METRICS;
use crate::policy::Principal;

/// Who may come in.
#[derive(Debug, Default)]
pub struct Access {
    /// Holders of the operator's tokens.
    pub tokens: Tokens,
    /// Holders of tokens of an authorization server.
    pub oauth: Option<Oauth>,
}

/// Why somebody may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No token came.
    NoToken,
    /// A token came that opens nothing.
    BadToken,
    /// A good token came whose scopes open nothing.
    InsufficientScope,
}

impl Refusal {
    /// The word for logs and metrics.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoToken => "no_token",
            Self::BadToken => "bad_token",
            Self::InsufficientScope => "insufficient_scope",
        }
    }
}

impl Access {
    /// Whether anyone may come in.
    pub fn is_open(&self) -> bool {
        self.tokens.is_empty() && self.oauth.is_none()
    }

    /// Who may come in, in words for the operator.
    pub fn described(&self) -> String {
        let holders = self.tokens.holders().map(|name| format!("token {name}"));
        let issuer = self.oauth.iter().map(|oauth| format!("tokens of {}", oauth.issuer()));
        let all: Vec<String> = holders.chain(issuer).collect();
        if all.is_empty() { "anyone who reaches the port".into() } else { all.join(", ") }
    }

    /// Who sends these headers.
    pub fn identify(&self, headers: &HeaderMap) -> Result<Principal, Refusal> {
        if self.is_open() {
            return Ok(Principal::anyone());
        }
        let token = bearer(headers).ok_or(Refusal::NoToken)?;
        if let Some(principal) = self.tokens.holder(token) {
            return Ok(principal);
        }
        let oauth = self.oauth.as_ref().ok_or(Refusal::BadToken)?;
        oauth.holder(token).map_err(|rejection| match rejection {
            Rejection::Invalid => Refusal::BadToken,
            Rejection::InsufficientScope => Refusal::InsufficientScope,
        })
    }

    /// The answer to somebody who may not, with the way to a token.
    pub fn refuse(&self, refusal: Refusal) -> Response {
        let (status, sentence) = match refusal {
            Refusal::NoToken => (
                StatusCode::UNAUTHORIZED,
                "a token is needed: send it as \"Authorization: Bearer TOKEN\"",
            ),
            Refusal::BadToken => (StatusCode::UNAUTHORIZED, "the token is not valid"),
            Refusal::InsufficientScope => {
                (StatusCode::FORBIDDEN, "the token has none of the scopes that are needed here")
            }
        };
        METRICS.count_denial(refusal.word());
        (status, [(WWW_AUTHENTICATE, self.challenge(refusal))], sentence).into_response()
    }

    fn challenge(&self, refusal: Refusal) -> String {
        let mut parts = vec!["realm=\"mcp-filesystem\"".to_owned()];
        match refusal {
            Refusal::NoToken => {}
            Refusal::BadToken => parts.push("error=\"invalid_token\"".into()),
            Refusal::InsufficientScope => parts.push("error=\"insufficient_scope\"".into()),
        }
        if let Some(oauth) = &self.oauth {
            parts.push(format!("resource_metadata=\"{}\"", oauth.metadata_url()));
            let scopes = oauth.all_scopes();
            if !scopes.is_empty() {
                parts.push(format!("scope=\"{scopes}\""));
            }
        }
        format!("Bearer {}", parts.join(", "))
    }
}

/// The token of the only `Authorization` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let (only, None) = (all.next()?, all.next()) else { return None };
    let (scheme, token) = only.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
