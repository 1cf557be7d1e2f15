//! Requests whose parameters are not what their method takes: the library hands them on as methods nobody knows.

use rmcp::ErrorData;
use rmcp::model::{CustomRequest, ErrorCode};
use serde_json::Value;

use crate::args::type_of;

/// What a method takes: each field, its type, whether it must be there.
type Fields = &'static [(&'static str, &'static str, Need)];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}
use Need::{Optional, Required};

const ADDRESS: Fields = &[("uri", "string", Required)];
const NAMED: Fields = &[("name", "string", Required), ("arguments", "object", Optional)];
const COMPLETED: Fields = &[("ref", "object", Required), ("argument", "object", Required)];

/// The methods that must have parameters.
const METHODS: [(&str, Fields); 6] = [
    ("tools/call", NAMED),
    ("prompts/get", NAMED),
    ("resources/read", ADDRESS),
    ("resources/subscribe", ADDRESS),
    ("resources/unsubscribe", ADDRESS),
    ("completion/complete", COMPLETED),
];

/// The answer: what is wrong with the parameters, or that there is no such method.
pub(super) fn answer(request: &CustomRequest, is_declared: impl Fn(&str) -> bool) -> ErrorData {
    let method = request.method.as_str();
    let known = METHODS.iter().find(|(known, _)| *known == method && is_declared(method));
    let Some((_, fields)) = known else {
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None);
    };
    let sentence = wrong(fields, request.params.as_ref()).unwrap_or_else(|| described(fields));
    ErrorData::invalid_params(format!("invalid params of {method}: {sentence}"), None)
}

fn wrong(fields: Fields, params: Option<&Value>) -> Option<String> {
    let Some(params) = params else { return Some("params are missing".to_owned()) };
    let Some(params) = params.as_object() else {
        return Some(format!("params: expected object, got {}", type_of(params)));
    };
    fields.iter().find_map(|(name, kind, need)| match params.get(*name) {
        None if *need == Required => Some(format!("{name} is required")),
        None | Some(Value::Null) if *need == Optional => None,
        Some(value) if type_of(value) != *kind => {
            let hint = quoted(value).unwrap_or_default();
            Some(format!("{name}: expected {kind}, got {}{hint}", type_of(value)))
        }
        _ => None,
    })
}

/// The commonest mistake: the object is sent as text.
fn quoted(value: &Value) -> Option<&'static str> {
    let inner: Value = serde_json::from_str(value.as_str()?).ok()?;
    inner.is_object().then_some("; send the object itself, not JSON in a string")
}

fn described(fields: Fields) -> String {
    let each = fields.iter().map(|(name, kind, need)| match need {
        Required => format!("{name} ({kind}, required)"),
        Optional => format!("{name} ({kind})"),
    });
    format!("it takes {}", each.collect::<Vec<_>>().join(" and "))
}
