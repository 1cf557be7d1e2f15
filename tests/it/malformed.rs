//! Requests that break the protocol: the answer says what is wrong with them, never that the method is unknown.

use crate::harness::*;
use crate::{era_test, guide_test};
use serde_json::{Value, json};

fn one_root() -> Config {
    Config::roots(&["workspace"])
}

/// The code and the sentence of a request that has to be refused.
#[track_caller]
fn refusal(b: &Bench, method: &str, params: Value) -> (i64, String) {
    let error = b.session.request(method, params).expect_err("a protocol error");
    (error.code, error.message)
}

/// Arguments that are no object are named as such, with what came instead.
era_test!(arguments_that_are_no_object, one_root(), |b| {
    let cases = [
        (json!("README.md"), "string"),
        (json!(["README.md"]), "array"),
        (json!(5), "integer"),
        (json!(true), "boolean"),
    ];
    for (arguments, kind) in cases {
        let params = json!({"name": "read_file", "arguments": arguments});
        let sentence =
            format!("invalid params of tools/call: arguments: expected object, got {kind}");
        assert_eq!(refusal(b, "tools/call", params), (-32602, sentence));
    }
    let quoted = json!({"name": "read_file", "arguments": "{\"root\": \"workspace\"}"});
    let sentence = "invalid params of tools/call: arguments: expected object, got string; send the object itself, not JSON in a string";
    assert_eq!(refusal(b, "tools/call", quoted), (-32602, sentence.to_owned()));
});

/// No arguments at all are none: the tool says what it needs.
era_test!(arguments_that_are_null, one_root(), |b| {
    for params in [json!({"name": "read_file"}), json!({"name": "read_file", "arguments": null})] {
        let result = b.session.request("tools/call", params).expect("a result of the tool");
        let answer = Answer::new("read_file", result);
        assert!(answer.fails().starts_with("root is required; path is required"));
    }
});

/// So are a tool without a name and a resource without an address.
era_test!(other_parameters, one_root(), |b| {
    let unnamed = (-32602, "invalid params of tools/call: name is required".to_owned());
    assert_eq!(refusal(b, "tools/call", json!({"arguments": {}})), unnamed);
    let number =
        (-32602, "invalid params of tools/call: name: expected string, got integer".to_owned());
    assert_eq!(refusal(b, "tools/call", json!({"name": 7})), number);
    let address = (-32602, "invalid params of resources/read: uri is required".to_owned());
    assert_eq!(refusal(b, "resources/read", json!({})), address);
    assert_eq!(refusal(b, "prompts/get", json!({"name": 7})).0, -32601);
    assert_eq!(refusal(b, "tools/fly", json!({})).0, -32601);
});

/// Where there are prompts, theirs are judged too.
guide_test!(prompts_without_a_name, |b| {
    let sentence = "invalid params of prompts/get: name is required".to_owned();
    assert_eq!(refusal(b, "prompts/get", json!({})), (-32602, sentence));
});
