//! What the agent reads: arguments that are judged, results of one shape, descriptions that explain.

use crate::agent_test;
use crate::harness::*;
use serde_json::{Value, json};

fn complaints(told: &Value) -> Vec<(String, String)> {
    let listed = items(&told["error_data"]["validation_errors"]);
    let pair = |c: &Value| (text(&c["field"]).to_owned(), text(&c["message"]).to_owned());
    listed.iter().map(pair).collect()
}

fn pair(field: &str, message: &str) -> (String, String) {
    (field.to_owned(), message.to_owned())
}

/// Ledger
agent_test!(a_053_missing_arguments_are_named, |b| {
    let told = b.refused("cache_file", json!({}), "validation", "ValidationError");
    assert_eq!(
        complaints(&told),
        [pair("path", "path is required"), pair("content", "content is required")]
    );
    let told = b.refused("cache_file", json!({"path": "docs/a"}), "validation", "ValidationError");
    assert_eq!(complaints(&told), [pair("content", "content is required")]);
    let told = b.refused("read_file", json!({"content": "x"}), "validation", "ValidationError");
    assert_eq!(complaints(&told), [pair("path", "path is required")]);
    for tool in ["request_file", "request_directory"] {
        let told = b.refused(tool, json!({}), "validation", "ValidationError");
        assert_eq!(complaints(&told), [pair("path", "path is required")]);
    }
    assert_eq!(number(&b.stats()["entries"]), 0);
});

/// Ledger
agent_test!(a_054_wrong_types_are_told_with_both_types, |b| {
    let args = json!({"path": "docs/a", "content": 5, "mtime": []});
    let told = b.refused("cache_file", args, "validation", "ValidationError");
    assert_eq!(
        complaints(&told),
        [
            pair("content", "content: expected string, got integer"),
            pair("mtime", "mtime: expected number or string, got array")
        ]
    );
    let args = json!({"path": "docs", "files": [{"name": "a", "size": "big"}, {"type": "file"}]});
    let told = b.refused("list_directory", args, "validation", "ValidationError");
    assert_eq!(
        complaints(&told),
        [
            pair("files[0].size", "files[0].size: expected integer, got string"),
            pair("files[1].name", "files[1].name is required")
        ]
    );
    let args = json!({"path": "docs/a", "content": "x", "colour": "red"});
    let told = b.refused("cache_file", args, "validation", "ValidationError");
    assert!(complaints(&told)[0].1.starts_with("unknown argument: colour; known arguments: path"));
    let args = json!({"path": "docs/a", "content": "x", "mtime": "yesterday"});
    b.refused("cache_file", args, "validation", "ValidationError");
    assert_eq!(number(&b.stats()["entries"]), 0);
});

/// Ledger
agent_test!(a_057_every_answer_is_a_result_and_carries_statistics, |b| {
    let calls = [
        ("cache_file", json!({"path": "docs/a", "content": "x"})),
        ("cache_file", json!({"args": {"path": "docs/a", "content": "x"}})),
        ("read_file", json!({"path": "docs/b", "content": "x"})),
        ("list_directory", json!({"path": "docs", "files": []})),
        ("request_file", json!({"path": "docs/a"})),
        ("request_directory", json!({"path": "docs"})),
    ];
    for (tool, args) in calls {
        let told = b.call(tool, args);
        let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
        assert_eq!(keys[..2], ["success", "value"], "{tool}");
        let stats = told["value"]["stats"].as_object().unwrap();
        assert_eq!(
            stats.keys().collect::<Vec<_>>(),
            [
                "hits",
                "misses",
                "evictions",
                "invalidations",
                "updates",
                "entries",
                "size_bytes",
                "hit_rate",
                "max_size",
                "max_entries"
            ],
            "{tool}"
        );
    }
    let numbers = b.stats();
    let keys: Vec<&String> = numbers.as_object().unwrap().keys().collect();
    assert_eq!(keys[10..], ["violations", "rate"]);
});

/// Ledger
agent_test!(a_066_descriptions_explain_the_tools, |b| {
    for tool in b.session.tools() {
        let (name, description) = (text(&tool["name"]), text(&tool["description"]));
        let own =
            ["cache_file", "list_directory", "read_file", "request_file", "request_directory"];
        if !own.iter().any(|own| name == format!("guide_{own}")) {
            continue;
        }
        for section in [
            "## Description",
            "## JSON Schema",
            "## Usage Instructions",
            "## Concrete Examples",
            "## Arguments",
            "- **path** (",
            "(optional): ",
            "success is false",
            "## Security Notes",
        ] {
            assert!(description.contains(section), "{name}: no {section}");
        }
        assert!(description.contains("default"), "{name}: no default");
    }
});
