//! Texts with a grammar: expressions, the configuration, arguments, tokens and keys.

use mcp_filesystem::content::expression;
use mcp_filesystem::doors;
use mcp_filesystem::error::Error;
use mcp_filesystem::toolsets::{Definition, Examples, Toolset};
use mcp_filesystem::transport::oauth::{KeySet, Oauth};
use serde_json::Value;
use std::sync::LazyLock;

/// An expression, shown and read again, is the same.
pub fn expression(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(parts) = expression::parse(&text, None) else { return };
    assert!(parts.iter().all(|part| !part.name.is_empty()), "{text:?}: {parts:?}");
    let shown = expression::shown(&parts);
    assert_eq!(expression::parse(&shown, None).expect("it was read before"), parts, "{shown:?}");
}

/// A configuration is read or refused with a sentence, and JSON is read as YAML.
pub fn config(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Err(sentence) = doors::config(&text) {
        assert!(!sentence.is_empty());
    }
}

static TOOLS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    Toolset::ALL.iter().flat_map(|toolset| toolset.tools(Examples::Included)).collect()
});

/// What is judged to be right is right for the type, but for numbers that are too large for it.
pub fn arguments(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let Ok(Value::Object(arguments)) = serde_json::from_slice(rest) else { return };
    let tool = &TOOLS[usize::from(*first) % TOOLS.len()];
    let shown = Value::Object(arguments.clone()).to_string();
    match doors::arguments(tool, arguments) {
        Ok(()) => {}
        Err(Error::Arguments(complaints)) => {
            assert!(!complaints.is_empty(), "{} {shown}", tool.name);
            for complaint in complaints {
                let too_large = complaint.message.starts_with("invalid value: integer");
                assert!(
                    complaint.field != "arguments" || too_large,
                    "{} {shown}: {complaint:?}",
                    tool.name
                );
            }
        }
        Err(other) => panic!("{} {shown}: {other}", tool.name),
    }
}

/// A public key whose other half nobody here has.
const KEYS: &str = r#"{"keys":[{"kty":"OKP","crv":"Ed25519","use":"sig","alg":"EdDSA","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

static OAUTH: LazyLock<Oauth> = LazyLock::new(|| {
    let (issuer, here) = ("https://issuer.example".to_owned(), "https://here.example".to_owned());
    let keys = KeySet::parse(KEYS).expect("keys");
    Oauth::new(issuer, here.clone(), here, keys, Vec::new()).expect("a resource")
});

/// No text is a token that somebody signed.
pub fn token(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    assert!(OAUTH.holder(&text).is_err(), "accepted: {text:?}");
}

/// Keys are read or refused with a sentence.
pub fn key_set(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Err(sentence) = KeySet::parse(&text) {
        assert!(!sentence.is_empty());
    }
}
