//! `cache_file`: files that the agent brings, what is told about them, and what the cache keeps.

use crate::agent_test;
use crate::harness::*;
use serde_json::{Value, json};

fn file(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

/// What the cache holds for a path, without asking anyone.
fn held(b: &AgentBench, path: &str) -> Option<String> {
    let told = b.call_asked("request_file", json!({"path": path}), |_| {
        Says::json(json!({"error": "no", "error_type": "file_not_found"}))
    });
    told["value"]["content"].as_str().map(str::to_owned)
}

/// Ledger, B-061
agent_test!(a_001_the_tools_are_listed_with_their_prefix, |b| {
    let names: Vec<String> =
        b.session.tools().iter().map(|tool| text(&tool["name"]).to_owned()).collect();
    for tool in [
        "cache_file",
        "list_directory",
        "read_file",
        "request_file",
        "request_directory",
        "cache_stats",
    ] {
        assert!(names.contains(&format!("guide_{tool}")), "{tool}: {names:?}");
    }
});

/// Ledger, B-038, B-039, B-040, B-062
agent_test!(a_002_a_file_is_cached_under_its_absolute_path, |b| {
    let told = b.call("cache_file", file("docs//a/./b.md", "héllo"));
    let absolute = b.project.path("docs/a/b.md");
    let value = &told["value"];
    let timestamp = &value["metadata"]["timestamp"];
    assert!(text(timestamp).ends_with('Z'), "{timestamp}");
    let stats = json!({
        "hits": 0, "misses": 0, "evictions": 0, "invalidations": 0, "updates": 0, "entries": 1,
        "size_bytes": 6, "hit_rate": 0.0, "max_size": 10_485_760, "max_entries": 1000
    });
    let expected = json!({
        "path": absolute, "cache_key": absolute, "relative_path": "docs/a/b.md",
        "status": "cached",
        "metadata": {"size": 6, "timestamp": timestamp, "encoding": "utf-8"},
        "update_count": 0,
        "evicted": {"count": 0, "bytes": 0, "keys": []},
        "stats": stats
    });
    assert_eq!(value, &expected);
    assert_eq!(told["message"], "File content cached for docs/a/b.md");
    assert_eq!(b.value("request_file", json!({"path": "docs/a/b.md"}))["content"], "héllo");
    assert_eq!(b.stats()["hits"], 1);
});

/// Ledger
agent_test!(a_007_metadata_is_kept_and_told, |b| {
    let given =
        json!({"path": "docs/a", "content": "abc", "mtime": 10, "encoding": "latin-1", "size": 3});
    let metadata = b.value("cache_file", given)["metadata"].clone();
    assert_eq!(
        metadata,
        json!({"size": 3, "mtime": 10, "timestamp": metadata["timestamp"], "encoding": "latin-1"})
    );
    let inner = json!({"mtime": "2026-01-02T03:04:05Z", "encoding": "utf-8", "size": 3});
    let given = file("docs/b", "abc").and("metadata", inner);
    let metadata = b.value("cache_file", given)["metadata"].clone();
    assert_eq!(metadata["mtime"], "2026-01-02T03:04:05Z");
});

/// Ledger
agent_test!(a_009_a_wrong_size_is_a_warning, |b| {
    let told = b.call("cache_file", file("docs/a", "abc").and("size", 5));
    assert_eq!(told["success"], true);
    assert_eq!(
        told["warnings"],
        json!(["docs/a: the size was given as 5 bytes, but the content has 3"])
    );
    assert!(text(&told["message"]).contains("partial"), "{told}");
    assert_eq!(held(b, "docs/a").as_deref(), Some("abc"));
});

/// Ledger: A-008, B-043
agent_test!(a_008_a_newer_mtime_makes_the_cached_file_stale, |b| {
    b.value("cache_file", file("docs/a", "old").and("mtime", 10));
    let at = |mtime: u64| json!({"path": "docs/a", "current_mtime": mtime});
    assert_eq!(b.value("request_file", at(10))["source"], "cache");
    let fresh = b.value_asked("request_file", at(20), |_| {
        Says::json(json!({"content": "new", "mtime": 20}))
    });
    assert_eq!((&fresh["content"], &fresh["source"]), (&json!("new"), &json!("agent")));
    let stats = b.stats();
    assert_eq!((number(&stats["invalidations"]), number(&stats["misses"])), (1, 1));
    assert_eq!(b.value("request_file", at(20))["content"], "new");
});

/// An entry without an mtime is judged by the time at which it was cached.
/// Ledger: A-008
agent_test!(a_008_without_an_mtime_the_time_of_caching_counts, |b| {
    b.value("cache_file", file("docs/a", "old"));
    let long_ago = json!({"path": "docs/a", "current_mtime": 1_000_000});
    assert_eq!(b.value("request_file", long_ago)["source"], "cache");
    let later = json!({"path": "docs/a", "current_mtime": "2999-01-01T00:00:00Z"});
    assert_eq!(b.value_asked("request_file", later, |_| Says::text("new"))["source"], "agent");
});

/// Ledger
agent_test!(a_010_a_path_outside_is_refused_and_not_cached, |b| {
    let told = b.refused("cache_file", file("lib/x.rs", "x"), "security", "SecurityError");
    assert_eq!(
        told["error"],
        "path is outside the allowed paths: lib/x.rs; allowed: docs, src, tests, .guide, .todo"
    );
    assert_eq!(b.stats()["entries"], 0);
});

/// Ledger
agent_test!(a_014_caching_again_replaces, |b| {
    let first = b.value("cache_file", file("docs/a", "one"));
    let second = b.value("cache_file", file("docs/a", "two!"));
    let third = b.value("cache_file", file("docs/a", "three"));
    let column = |key: &str| [&first, &second, &third].map(|value| value[key].clone());
    assert_eq!(column("status"), [json!("cached"), json!("updated"), json!("updated")]);
    assert_eq!(column("update_count"), [json!(0), json!(1), json!(2)]);
    let stamps = column("metadata").map(|metadata| text(&metadata["timestamp"]).to_owned());
    assert!(stamps[0] < stamps[1] && stamps[1] < stamps[2], "{stamps:?}");
    assert_eq!(held(b, "docs/a").as_deref(), Some("three"));
    let stats = b.stats();
    let counted = ["updates", "entries", "size_bytes"].map(|key| number(&stats[key]));
    assert_eq!(counted, [2, 1, 5]);
});

/// Ledger, B-044, B-045, B-046
agent_test!(a_018_the_file_unused_longest_makes_room, json!({"cache": {"max_bytes": 10}}), |b| {
    for name in ["a", "b"] {
        b.value("cache_file", file(&format!("docs/{name}"), "1234"));
    }
    assert_eq!(held(b, "docs/a").as_deref(), Some("1234"), "now b was unused longer");
    let value = b.value("cache_file", file("docs/c", "1234"));
    let key = b.project.path("docs/b");
    assert_eq!(value["evicted"], json!({"count": 1, "bytes": 4, "keys": [key]}));
    assert_eq!(held(b, "docs/c").as_deref(), Some("1234"));
    assert_eq!(held(b, "docs/a").as_deref(), Some("1234"));
    assert_eq!(held(b, "docs/b"), None);
    let stats = b.stats();
    let counted = ["evictions", "entries", "size_bytes"].map(|key| number(&stats[key]));
    assert_eq!(counted, [1, 2, 8]);
});

/// Ledger: B-044
agent_test!(b_044_the_number_of_files_is_bounded, json!({"cache": {"max_entries": 2}}), |b| {
    for name in ["a", "b", "c"] {
        b.value("cache_file", file(&format!("docs/{name}"), ""));
    }
    assert_eq!([held(b, "docs/a"), held(b, "docs/b")], [None, Some(String::new())]);
    assert_eq!(number(&b.stats()["entries"]), 2);
});

/// Ledger: A-019
agent_test!(
    a_019_a_file_larger_than_the_cache_is_refused,
    json!({"cache": {"max_bytes": 10}}),
    |b| {
        b.value("cache_file", file("docs/a", "keep"));
        let big = file("docs/big", "12345678901");
        let told = b.refused("cache_file", big, "validation", "ValidationError");
        assert_eq!(
            told["error"],
            "file larger than cache limit: docs/big has 11 bytes, the limit is 10 bytes"
        );
        assert_eq!(held(b, "docs/a").as_deref(), Some("keep"));
        let stats = b.stats();
        assert_eq!((number(&stats["evictions"]), number(&stats["entries"])), (0, 1));
    }
);

/// Ledger: B-041
agent_test!(b_041_a_file_expires, json!({"cache": {"ttl_seconds": 1}}), |b| {
    b.value("cache_file", file("docs/a", "old"));
    assert_eq!(held(b, "docs/a").as_deref(), Some("old"));
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    assert_eq!(held(b, "docs/a"), None);
    assert_eq!(number(&b.stats()["invalidations"]), 1);
});

/// Ledger: B-063, B-064, B-065
agent_test!(b_063_several_files_at_once, |b| {
    let value = b.value(
        "cache_file",
        json!({"files": [file("docs/a", "one"), {"path": "src/b", "content": "AAE=", "encoding": "base64"}]}),
    );
    assert_eq!((number(&value["files_cached"]), number(&value["bytes"])), (2, 5));
    assert_eq!(column(&value["files"], "status"), ["cached", "cached"]);
    assert_eq!(column(&value["files"], "relative_path"), ["docs/a", "src/b"]);
    assert_eq!(value["stats"], {
        let mut stats = b.stats();
        for key in ["violations", "rate"] {
            stats.as_object_mut().unwrap().remove(key);
        }
        stats
    });
});

/// Ledger: A-069, B-063, B-066
agent_test!(b_066_one_bad_file_refuses_them_all, json!({"cache": {"max_bytes": 10}}), |b| {
    b.value("cache_file", file("docs/a", "before"));
    let bad = [
        (file("docs/../../x", "x"), "security"),
        (file("docs/b", "%%").and("encoding", "base64"), "validation"),
        (file("docs/b", "1234567"), "validation"),
        (file("docs/./a", "again"), "validation"),
    ];
    for (bad, kind) in bad {
        let told = b.call("cache_file", json!({"files": [file("docs/a", "after"), bad]}));
        assert_eq!(
            (&told["success"], &told["error_type"]),
            (&json!(false), &json!(kind)),
            "{told}"
        );
        assert_eq!(held(b, "docs/a").as_deref(), Some("before"), "{told}");
    }
    assert_eq!(number(&b.stats()["entries"]), 1);
});

/// Ledger: B-063
agent_test!(b_063_one_file_or_several_not_both, |b| {
    let both = file("docs/a", "x").and("files", json!([file("docs/b", "y")]));
    b.refused("cache_file", both, "validation", "ValidationError");
    b.refused("cache_file", json!({"files": []}), "validation", "ValidationError");
    assert_eq!(number(&b.stats()["entries"]), 0);
});
