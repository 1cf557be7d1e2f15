//! `list_directory`: listings that the agent brings, and what the server knows by them.

use crate::agent_test;
use crate::harness::*;
use serde_json::{Value, json};

fn listing(path: &str, files: Value) -> Value {
    json!({"path": path, "files": files})
}

fn nested() -> Value {
    json!([
        {"name": "a.md", "type": "file", "size": 12, "mtime": 100},
        {"name": "img", "type": "directory", "children": [
            {"name": "x.png", "type": "file", "size": 3},
            {"name": "deep", "type": "directory", "children": [{"name": "y.md"}]}
        ]}
    ])
}

/// Ledger
agent_test!(a_022_a_listing_is_kept_and_served, |b| {
    let files = json!([{"name": "a.md", "type": "file", "size": 12, "mtime": 100}, {"name": "sub", "type": "directory"}]);
    let told = b.call("list_directory", listing("docs", files));
    let value = &told["value"];
    let entries = json!([
        {"name": "a.md", "path": "docs/a.md", "type": "file", "size": 12, "mtime": 100},
        {"name": "sub", "path": "docs/sub", "type": "directory"}
    ]);
    let path = b.project.path("docs");
    assert_eq!(
        value,
        &json!({
            "path": path, "cache_key": path, "relative_path": "docs", "files": entries,
            "recursive": false, "count": 2, "filtered": 0, "truncated": false, "stats": value["stats"]
        })
    );
    let served = b.value("request_directory", json!({"path": "docs"}));
    assert_eq!(served["entries"], entries);
    assert_eq!((&served["source"], number(&served["count"])), (&json!("cache"), 2));
});

/// Ledger: A-022
agent_test!(a_022_entries_is_another_word_for_files, |b| {
    let value = b.value("list_directory", json!({"path": "docs", "entries": [{"name": "a"}]}));
    assert_eq!(number(&value["count"]), 1);
    let told =
        b.refused("list_directory", json!({"path": "docs"}), "validation", "ValidationError");
    assert_eq!(
        told["error_data"]["validation_errors"],
        json!([{"field": "files", "message": "files is required"}])
    );
    let both = json!({"path": "docs", "entries": [], "files": []});
    b.refused("list_directory", both, "validation", "ValidationError");
});

/// Ledger
agent_test!(a_024_one_path_that_leads_out_refuses_the_listing, |b| {
    b.refused("list_directory", listing("lib", json!([])), "security", "SecurityError");
    for name in ["../../x", "..", ".", "/etc/passwd", "sub/../../src/a"] {
        let files = json!([{"name": "a.md"}, {"name": name}]);
        b.refused("list_directory", listing("docs", files), "security", "SecurityError");
    }
    let told = b.call_asked("request_directory", json!({"path": "docs"}), |_| Says::text("no"));
    assert_eq!(told["success"], false, "nothing was kept: {told}");
});

/// Ledger: A-030
agent_test!(a_030_the_whole_tree_is_judged, |b| {
    let files = json!([{"name": "sub", "children": [{"name": "deep", "children": [{"name": "../../../../x"}]}]}]);
    b.refused("list_directory", listing("docs", files), "security", "SecurityError");
    let files = json!([{"name": "sub", "children": [{"name": "a\u{7}b"}]}]);
    b.refused("list_directory", listing("docs", files), "validation", "PathFormatError");
});

/// Ledger
agent_test!(a_031_a_nested_listing_is_served_at_any_level, |b| {
    let value = b.value("list_directory", listing("docs", nested()));
    assert_eq!((number(&value["count"]), &value["recursive"]), (5, &json!(true)));
    let all = b.value("request_directory", json!({"path": "docs", "recursive": true}));
    assert_eq!(
        all["entries"],
        json!([
            {"name": "a.md", "path": "docs/a.md", "type": "file", "size": 12, "mtime": 100},
            {"name": "img", "path": "docs/img", "type": "directory", "children": [
                {"name": "deep", "path": "docs/img/deep", "type": "directory", "children": [
                    {"name": "y.md", "path": "docs/img/deep/y.md", "type": "file"}
                ]},
                {"name": "x.png", "path": "docs/img/x.png", "type": "file", "size": 3}
            ]}
        ])
    );
    let inner = b.value("request_directory", json!({"path": "docs/img"}));
    assert_eq!(
        (column(&inner["entries"], "name"), &inner["source"]),
        (vec!["deep", "x.png"], &json!("cache"))
    );
    let deep = b.value("request_directory", json!({"path": "docs/img/deep", "recursive": true}));
    assert_eq!(column(&deep["entries"], "name"), ["y.md"]);
});

/// Ledger: A-030
agent_test!(a_030_paths_with_slashes_make_the_same_tree, |b| {
    let flat = json!([{"name": "img/deep/y.md"}, {"name": "a.md", "size": 12, "mtime": 100}, {"name": "img/x.png", "size": 3}]);
    b.value("list_directory", listing("docs", flat));
    let served = |b: &AgentBench| {
        b.value("request_directory", json!({"path": "docs", "recursive": true}))["entries"].clone()
    };
    let from_flat = served(b);
    b.value("list_directory", listing("docs", nested()));
    assert_eq!(from_flat, served(b));
});

/// A listing that does not say what is in a directory can not answer for it.
/// Ledger: A-032
agent_test!(a_032_what_is_not_known_is_asked_for, |b| {
    b.value("list_directory", listing("docs", json!([{"name": "sub", "type": "directory"}])));
    let ask = json!({"path": "docs", "recursive": true});
    let value = b.value_asked("request_directory", ask.clone(), |_| {
        Says::json(json!([{"name": "sub", "type": "directory", "children": [{"name": "a"}]}]))
    });
    assert_eq!((&value["source"], number(&value["count"])), (&json!("agent"), 2));
    assert_eq!(b.value("request_directory", ask)["source"], "cache");
});

/// Ledger, B-043
agent_test!(a_029_a_newer_listing_drops_the_cached_file, |b| {
    b.value("cache_file", json!({"path": "docs/a.md", "content": "old", "mtime": 50}));
    b.value("list_directory", listing("docs", json!([{"name": "a.md", "mtime": 50}])));
    assert_eq!(b.value("request_file", json!({"path": "docs/a.md"}))["content"], "old");
    b.value("list_directory", listing("docs", json!([{"name": "a.md", "mtime": 60}])));
    let stats = b.stats();
    assert_eq!((number(&stats["invalidations"]), number(&stats["entries"])), (1, 0));
    let fresh = b.value_asked("request_file", json!({"path": "docs/a.md"}), |_| Says::text("new"));
    assert_eq!(fresh["content"], "new");
    // What the listing says is still known: an older version pushed later is not served.
    b.value("cache_file", json!({"path": "docs/a.md", "content": "older", "mtime": 55}));
    let fresh = b.value_asked("request_file", json!({"path": "docs/a.md"}), |_| Says::text("new"));
    assert_eq!(fresh["source"], "agent");
});

/// Ledger
agent_test!(a_033_a_pattern_accepts_only_what_fits, |b| {
    let files = json!([{"name": "a.md"}, {"name": "b.txt"}, {"name": "c.rs"}]);
    let told = b.call("list_directory", listing("docs", files).and("pattern", "*.md"));
    assert_eq!((number(&told["value"]["count"]), number(&told["value"]["filtered"])), (1, 2));
    assert_eq!(
        told["warnings"],
        json!(["does not fit the pattern: b.txt", "does not fit the pattern: c.rs"])
    );
    assert!(text(&told["message"]).contains("partial"), "{told}");
    let same = json!({"path": "docs", "pattern": "*.md"});
    assert_eq!(column(&b.value("request_directory", same)["entries"], "name"), ["a.md"]);
    let told = b.call_asked("request_directory", json!({"path": "docs"}), |_| Says::text("no"));
    assert_eq!(told["success"], false, "a filtered listing is not the whole one: {told}");
});

/// A whole listing answers for any pattern.
/// Ledger: A-033, B-009
agent_test!(a_033_a_whole_listing_is_filtered_when_served, |b| {
    b.value("list_directory", listing("docs", nested()));
    let ask = json!({"path": "docs", "recursive": true, "pattern": "*.md"});
    let value = b.value("request_directory", ask);
    assert_eq!(number(&value["count"]), 4);
    assert_eq!(column(&value["entries"][1]["children"], "name"), ["deep"]);
});

/// Ledger
agent_test!(a_034_an_unsafe_or_broken_pattern_is_refused, |b| {
    for pattern in ["../*", "/etc/*", "a/../../*", "[abc", "a\nb"] {
        let args = listing("docs", json!([{"name": "a"}])).and("pattern", pattern);
        let told = b.refused("list_directory", args, "validation", "ValidationError");
        let message = text(&told["error_data"]["validation_errors"][0]["message"]);
        assert!(message.starts_with("invalid pattern: "), "{message}");
        let ask = json!({"path": "docs", "pattern": pattern});
        b.refused("request_directory", ask, "validation", "ValidationError");
    }
});
