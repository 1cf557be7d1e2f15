//! The resource server of OAuth 2.1: access tokens of the operator's authorization server, checked against its keys.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Value, json};

use super::signatures;
use crate::policy::{Grant, Principal};

/// How far the clocks of the two servers may differ, in seconds.
const CLOCK_SKEW: u64 = 30;
/// Where the metadata of this resource is, below its origin.
pub const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// What a scope opens.
#[derive(Debug)]
pub struct ScopeRule {
    /// The scope.
    pub scope: String,
    /// What it opens.
    pub grant: Grant,
}

/// Whose tokens are accepted, and what they open.
#[derive(Debug)]
pub struct Oauth {
    issuer: String,
    resource: String,
    origin: String,
    keys: KeySet,
    audience: String,
    scopes: Vec<ScopeRule>,
}

/// Why a token opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// It is not one of ours, or not any more.
    Invalid,
    /// It is good, but none of its scopes means anything here.
    InsufficientScope,
}

#[derive(Deserialize)]
struct Claims {
    /// Read as one string, so that a list of issuers is refused.
    #[serde(rename = "iss")]
    _issuer: String,
    sub: Option<String>,
    client_id: Option<String>,
    scope: Option<String>,
    scp: Option<Scopes>,
    exp: f64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scopes {
    One(String),
    Many(Vec<String>),
}

impl Claims {
    /// When the token is good no more; a time beyond all clocks is never.
    fn end(&self) -> Option<SystemTime> {
        let seconds = Duration::try_from_secs_f64(self.exp).ok()?;
        UNIX_EPOCH.checked_add(seconds)?.checked_add(Duration::from_secs(CLOCK_SKEW))
    }

    fn scopes(&self) -> Vec<&str> {
        let mut scopes: Vec<&str> = self.scope.iter().flat_map(|all| all.split(' ')).collect();
        match &self.scp {
            Some(Scopes::One(all)) => scopes.extend(all.split(' ')),
            Some(Scopes::Many(all)) => scopes.extend(all.iter().map(String::as_str)),
            None => {}
        }
        scopes
    }
}

impl Oauth {
    /// Tokens of `issuer` for `audience`; `resource` is the address under which clients know this server.
    pub fn new(
        issuer: String,
        resource: String,
        audience: String,
        keys: KeySet,
        scopes: Vec<ScopeRule>,
    ) -> Result<Self, String> {
        let uri = resource.parse::<http::Uri>().ok();
        let origin = uri.as_ref().and_then(|uri| Some((uri.scheme_str()?, uri.authority()?)));
        let (scheme, authority) = origin.ok_or_else(|| {
            format!("http.oauth: the resource is not a URL: {resource}; set resource to the address of /mcp as clients see it")
        })?;
        let origin = format!("{scheme}://{authority}");
        Ok(Self { issuer, resource, origin, keys, audience, scopes })
    }

    /// The authorization server.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Who presents this token.
    pub fn holder(&self, token: &str) -> Result<Principal, Rejection> {
        let claims = self.keys.claims(token, &self.issuer, &self.audience)?;
        let name = claims.sub.clone().or(claims.client_id.clone()).unwrap_or_default();
        let name = if name.is_empty() { "oauth client".to_owned() } else { name };
        let holder = Principal::new(name, self.grants(&claims.scopes())?);
        Ok(holder.of_realm(&self.issuer).until(claims.end()))
    }

    /// What these scopes open; everything when the operator maps no scopes.
    fn grants(&self, held: &[&str]) -> Result<Vec<Grant>, Rejection> {
        if self.scopes.is_empty() {
            return Ok(vec![Grant::default()]);
        }
        let ours = self.scopes.iter().filter(|rule| held.contains(&rule.scope.as_str()));
        let grants: Vec<Grant> = ours.map(|rule| rule.grant.clone()).collect();
        if grants.is_empty() { Err(Rejection::InsufficientScope) } else { Ok(grants) }
    }

    /// Every scope that means something here, separated by spaces.
    pub fn all_scopes(&self) -> String {
        let scopes: Vec<&str> = self.scopes.iter().map(|rule| rule.scope.as_str()).collect();
        scopes.join(" ")
    }

    /// The address of the metadata.
    pub fn metadata_url(&self) -> String {
        format!("{}{METADATA_PATH}/mcp", self.origin)
    }

    /// The metadata of this resource (RFC 9728).
    pub fn metadata(&self) -> Value {
        let scopes: Vec<&str> = self.scopes.iter().map(|rule| rule.scope.as_str()).collect();
        json!({
            "resource": self.resource,
            "resource_name": "mcp-filesystem",
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
            "scopes_supported": scopes,
        })
    }
}

/// The public keys of the authorization server.
#[derive(Debug)]
pub struct KeySet {
    keys: Vec<PublicKey>,
}

#[derive(Debug)]
struct PublicKey {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
}

impl KeySet {
    /// The signing keys of a JSON Web Key Set. Keys of kinds that are not supported are passed over.
    pub fn parse(text: &str) -> Result<Self, String> {
        signatures::install();
        let set: JwkSet =
            serde_json::from_str(text).map_err(|error| format!("not a key set: {error}"))?;
        let keys: Vec<PublicKey> = set.keys.iter().filter_map(PublicKey::new).collect();
        if keys.is_empty() {
            return Err("the key set has no key for RS256, ES256 or EdDSA signatures".into());
        }
        Ok(Self { keys })
    }

    fn claims(&self, token: &str, issuer: &str, audience: &str) -> Result<Claims, Rejection> {
        let header = decode_header(token).map_err(|_| Rejection::Invalid)?;
        // The token insists on something that we do not know.
        if header.crit.is_some() {
            return Err(Rejection::Invalid);
        }
        // The algorithm is the key's, never the token's choice.
        let fits = |key: &&PublicKey| {
            key.algorithm == header.alg
                && (header.kid.is_none() || key.id.is_none() || key.id == header.kid)
        };
        let validation = validation(header.alg, issuer, audience);
        self.keys
            .iter()
            .filter(fits)
            .find_map(|key| decode::<Claims>(token, &key.key, &validation).ok())
            .map(|token| token.claims)
            .ok_or(Rejection::Invalid)
    }
}

fn validation(algorithm: Algorithm, issuer: &str, audience: &str) -> Validation {
    let mut validation = Validation::new(algorithm);
    validation.leeway = CLOCK_SKEW;
    validation.validate_nbf = true;
    validation.set_issuer(&[issuer]);
    validation.set_audience(&[audience]);
    // A token that names no audience was made for anyone, and so not for us.
    validation.set_required_spec_claims(&["exp", "iss", "aud"]);
    validation
}

impl PublicKey {
    fn new(jwk: &Jwk) -> Option<Self> {
        if jwk.common.public_key_use.as_ref().is_some_and(|usage| *usage != PublicKeyUse::Signature)
        {
            return None;
        }
        let algorithm = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => Algorithm::RS256,
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
                Algorithm::ES256
            }
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                Algorithm::EdDSA
            }
            _ => return None,
        };
        let named = jwk.common.key_algorithm.map(|named| named.to_string());
        if named.is_some_and(|named| named != format!("{algorithm:?}")) {
            return None;
        }
        let key = DecodingKey::from_jwk(jwk).ok()?;
        Some(Self { id: jwk.common.key_id.clone(), algorithm, key })
    }
}
