//! The guide's `Result`: one object for every answer, and what it says about wrong arguments.

use crate::guide_test;
use crate::harness::*;
use serde_json::{Value, json};

fn keys(told: &Value) -> Vec<&str> {
    told.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Success has a value; what is empty is left out.
/// Ledger: E-001, E-002, E-004, E-006
guide_test!(e_002_success, |b| {
    b.ws.write(".guide/lang/python.md", "PY\n");
    let told = b.told("get_content", json!({"expression": "lang/python"}));
    assert_eq!(told, json!({"success": true, "value": "PY\n"}));
    assert_eq!(keys(&told), ["success", "value"]);
});

/// No value: the key is left out too.
/// Ledger: E-002, E-039
guide_test!(e_002_success_without_a_value, |b| {
    let told = b.told("get_feature_flag", json!({"feature_name": "unset"}));
    assert_eq!(told, json!({"success": true}));
});

/// A value that is false is a value.
guide_test!(e_002_false_is_a_value, |b| {
    b.value("set_feature_flag", json!({"feature_name": "off", "value": false}));
    let told = b.told("get_feature_flag", json!({"feature_name": "off"}));
    assert_eq!(told, json!({"success": true, "value": false}));
});

/// Failure has error, type, exception and instruction, in this order.
/// Ledger: E-003, E-005, E-006, E-007
guide_test!(e_003_failure, |b| {
    let told = b.told("get_content", json!({"expression": "nope"}));
    let sentence = "Category 'nope' not found in project";
    assert_eq!(
        told,
        json!({
            "success": false,
            "error": sentence,
            "error_type": "not_found",
            "exception_type": "NotFoundError",
            "exception_message": sentence,
            "instruction": "Present this error to the user and take no further action.",
        })
    );
    let order =
        ["success", "error", "error_type", "exception_type", "exception_message", "instruction"];
    assert_eq!(keys(&told), order);
});

/// Message and instruction are two things.
/// Ledger: E-007
guide_test!(e_007_message_and_instruction_differ, |b| {
    b.ws.mkdir(".guide/lang");
    let told = b.told("get_content", json!({"expression": "lang/zzz"}));
    assert!(text(&told["instruction"]).contains("correct the pattern"), "{told}");
    assert_eq!(told.get("message"), None);
    let told = b.told(
        "create_document",
        json!({"category": "lang", "name": "a.md", "content": "A", "explicit_action": "CREATE_DOCUMENT"}),
    );
    assert_eq!(told["message"], "Document 'a.md' created in 'lang'");
    assert_eq!(told.get("instruction"), None);
});

/// Unknown arguments are refused with the known ones named; every mistake is listed.
/// Ledger: E-008, A-053
guide_test!(e_008_every_wrong_argument_is_listed, |b| {
    assert_eq!(
        b.complaints("get_content", json!({"expression": 5, "color": "red"})),
        [
            "color: unknown argument: color; known arguments: expression, pattern",
            "expression: expression: expected string, got integer",
        ]
    );
    assert_eq!(b.complaints("get_content", json!({})), ["expression: expression is required"]);
    assert_eq!(
        b.complaints("set_project_flag", json!({"feature_name": "f", "value": 3})),
        ["value: value: expected boolean or string or array or object or null, got integer"]
    );
    assert_eq!(
        b.complaints("set_project_flag", json!({"feature_name": "f", "value": ["a", 1]})),
        ["value[1]: value[1]: expected string, got integer"]
    );
    assert_eq!(
        b.complaints("set_project_flag", json!({"feature_name": "f", "value": {"a": true}})),
        ["value.a: value.a: expected string, got boolean"]
    );
});

/// Wrong arguments say so in one order of keys, with their data.
/// Ledger: E-003, E-006
guide_test!(e_006_order_of_keys_with_data, |b| {
    let told = b.told("get_content", json!({}));
    let order = [
        "success",
        "error",
        "error_type",
        "error_data",
        "exception_type",
        "exception_message",
        "instruction",
    ];
    assert_eq!(keys(&told), order);
    assert_eq!(told["exception_message"], "expression is required");
});

/// A lone wrapper around the arguments is taken off; a wrapper beside something else is an unknown argument.
guide_test!(e_008_the_args_wrapper, |b| {
    b.ws.write(".guide/lang/python.md", "PY\n");
    assert_eq!(b.value("get_content", json!({"args": {"expression": "lang/python"}})), "PY\n");
    assert_eq!(
        b.complaints("get_content", json!({"args": {}})),
        ["expression: expression is required"]
    );
    let both = b.complaints("get_content", json!({"args": {}, "expression": "lang"}));
    assert_eq!(both, ["args: unknown argument: args; known arguments: expression, pattern"]);
    let text = b.complaints("get_content", json!({"args": "lang"}));
    assert!(text.iter().any(|c| c.starts_with("args: unknown argument")), "{text:?}");
});

/// Every failure tells the agent what to do, whatever its kind.
/// Ledger: E-007, A-062
guide_test!(e_007_every_failure_has_an_instruction, |b| {
    b.ws.write(".guide/lang/a.md", "A").link(".guide/out", b.outside().path(""));
    let document = json!({"category": "out", "name": "a.md", "content": "A", "explicit_action": "CREATE_DOCUMENT"});
    let failures = [
        b.failure("get_content", json!({}), "validation"),
        b.failure("get_content", json!({"expression": "nope"}), "not_found"),
        b.failure("get_content", json!({"expression": ""}), "validation"),
        b.failure("create_document", document, "security"),
        b.failure(
            "delete_document",
            json!({"category": "lang", "name": "b.md", "explicit_action": "DELETE_DOCUMENT"}),
            "not_found",
        ),
    ];
    for told in failures {
        assert!(text(&told["instruction"]).len() > 20, "{told}");
        assert_eq!(told.get("value"), None);
        assert_eq!(told.get("exception"), None);
        assert!(told["exception_type"].is_string() && told["exception_message"].is_string());
    }
});

/// With the structured copy switched off the text alone is the `Result`, failures too.
#[test]
fn e_004_text_alone() {
    let workspace = Workspace::new();
    let project = workspace.root("workspace");
    let config = Config::default()
        .set("roots", Value::Null)
        .set("toolsets", json!(["guide"]))
        .set("structured_content", json!(false));
    let b = STDIO.launch(workspace, config, |launch| launch.args(&["--root-dir", project.host()]));
    let answer = b.call("guide_get_content", json!({"expression": "nope"}));
    assert_eq!((answer.is_error, &answer.structured), (true, &None));
    assert_eq!(serde_json::from_str::<Value>(&answer.text).unwrap()["success"], false);
}

/// Success and failure both fit the advertised output schema.
/// Ledger: E-001
guide_test!(e_001_answers_fit_the_output_schema, |b| {
    for tool in b.session.tools() {
        let schema = &tool["outputSchema"];
        assert_eq!(schema["required"], json!(["success"]), "{tool}");
        let known: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        let expected = [
            "success",
            "value",
            "error",
            "error_type",
            "error_data",
            "exception_type",
            "exception_message",
            "message",
            "instruction",
            "warnings",
        ];
        assert_eq!(known, expected);
    }
});
