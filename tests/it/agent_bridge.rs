//! `request_file` and `request_directory`: the agent is asked, in both eras over both transports.

use crate::harness::*;
use crate::{agent_test, bridge_test};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn wants(path: &str) -> Value {
    json!({"path": path})
}

fn encoded(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Ledger: B-001, B-002, B-003, B-005, B-037, B-042
bridge_test!(b_001_a_listing_is_asked_for_by_sampling, |b| {
    let answer = json!([{"name": "a.md", "type": "file", "size": 3, "mtime": 5}, {"name": "sub", "type": "directory"}]);
    let value = b.value_asked("request_directory", wants("docs"), |prompt| {
        assert!(prompt.contains("list the files and directories in 'docs'"), "{prompt}");
        assert!(prompt.contains("guide_list_directory"), "{prompt}");
        assert!(prompt.contains("not recursively"), "{prompt}");
        Says::json(answer.clone())
    });
    assert_eq!(
        value["entries"],
        json!([
            {"name": "a.md", "path": "docs/a.md", "type": "file", "size": 3, "mtime": 5},
            {"name": "sub", "path": "docs/sub", "type": "directory"}
        ])
    );
    assert_eq!((&value["source"], number(&value["count"])), (&json!("agent"), 2));
    assert_eq!(b.value("request_directory", wants("docs"))["source"], "cache");
    let asked = b.asked();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].get("tools").is_none(), "no tools unless the client can: {}", asked[0]);
    assert!(asked[0]["maxTokens"].as_u64().is_some_and(|tokens| tokens > 0));
});

/// Other words for the same.
/// Ledger: B-003
agent_test!(b_003_an_agent_may_answer_in_its_own_way, |b| {
    let answers = [
        r#"["a.md", "sub/"]"#,
        r#"{"entries": [{"path": "a.md"}, {"name": "sub", "type": "dir"}]}"#,
        "```json\n{\"files\": [{\"name\": \"a.md\", \"owner\": \"me\"}, {\"name\": \"sub\", \"type\": \"folder\"}]}\n```",
    ];
    for (at, answer) in answers.iter().enumerate() {
        let path = format!("docs/{at}");
        let value = b.value_asked("request_directory", wants(&path), |_| Says::text(*answer));
        assert_eq!(column(&value["entries"], "name"), ["a.md", "sub"]);
        assert_eq!(column(&value["entries"], "type"), ["file", "directory"]);
    }
    for nonsense in ["I can not do that", "{}", "[5]", r#"{"entries": 5}"#] {
        let told = b.refused_asked("request_directory", wants("docs"), "system", "IoError", |_| {
            Says::text(nonsense)
        });
        assert!(text(&told["error"]).starts_with("the agent's answer can not be used: docs: "));
    }
});

/// Ledger: B-004, B-007
bridge_test!(b_004_an_answer_is_judged_by_the_fence, |b| {
    for answer in [
        json!([{"name": "ok"}, {"name": "../../x"}]),
        json!([{"name": "sub", "children": [{"name": "../../../x"}]}]),
        json!(["/etc/passwd"]),
    ] {
        let ask = wants("docs").and("recursive", true);
        b.refused_asked("request_directory", ask, "security", "SecurityError", |_| {
            Says::json(answer.clone())
        });
    }
    let line = b.server.log.violation_of("guide_request_directory");
    assert_eq!(line["attempted_path"], "docs/../../x");
});

/// Ledger: B-006, B-008
bridge_test!(b_006_a_recursive_listing_is_a_tree, |b| {
    let answer = json!([{"name": "sub", "type": "directory", "children": [
        {"name": "deep", "type": "directory", "children": [{"name": "a.md"}]}, {"name": "empty", "type": "directory"}]}]);
    let ask = wants("docs").and("recursive", true);
    let value = b.value_asked("request_directory", ask.clone(), |prompt| {
        assert!(prompt.contains("recursively, with"), "{prompt}");
        Says::json(answer.clone())
    });
    let inner = &value["entries"][0]["children"];
    assert_eq!(column(inner, "path"), ["docs/sub/deep", "docs/sub/empty"]);
    assert_eq!(inner[0]["children"][0]["path"], "docs/sub/deep/a.md");
    assert_eq!(inner[1]["children"], json!([]));
    assert_eq!(number(&value["count"]), 4);
    assert_eq!(b.value("request_directory", ask)["source"], "cache");
    assert_eq!(b.value("request_directory", wants("docs/sub"))["source"], "cache");
});

/// Ledger: B-009
bridge_test!(b_009_the_agent_filters_and_the_server_checks, |b| {
    let ask = wants("docs").and("pattern", "*.md");
    let told = b.call_asked("request_directory", ask.clone(), |prompt| {
        assert!(prompt.contains("glob pattern '*.md'"), "{prompt}");
        Says::json(
            json!([{"name": "a.md"}, {"name": "b.txt"}, {"name": "sub", "type": "directory"}]),
        )
    });
    assert_eq!(column(&told["value"]["entries"], "name"), ["a.md", "sub"]);
    assert_eq!(told["warnings"], json!(["does not fit the pattern: b.txt"]));
    assert_eq!(b.value("request_directory", ask)["source"], "cache");
});

/// Ledger: B-010, B-013, B-014, B-037, B-041, B-042
bridge_test!(b_010_a_file_is_asked_for_once, |b| {
    let value = b.value_asked("request_file", wants("docs/a.md"), |prompt| {
        assert!(prompt.contains("read the file 'docs/a.md'"), "{prompt}");
        assert!(prompt.contains("guide_cache_file"), "{prompt}");
        Says::text("the content\n")
    });
    let path = b.project.path("docs/a.md");
    assert_eq!(
        value,
        json!({
            "path": path, "cache_key": path, "relative_path": "docs/a.md",
            "content": "the content\n", "encoding": "utf-8", "size": 12,
            "content_hash": sha256(b"the content\n"), "source": "agent", "stats": value["stats"]
        })
    );
    let again = b.value("request_file", wants("docs/./a.md"));
    assert_eq!((&again["content"], &again["source"]), (&value["content"], &json!("cache")));
    let stats = b.stats();
    let counted = ["hits", "misses", "entries"].map(|key| number(&stats[key]));
    assert_eq!(counted, [1, 1, 1]);
    assert_eq!(stats["hit_rate"], 0.5);
    assert_eq!(b.asked().len(), 1);
});

/// Ledger: B-012
bridge_test!(b_012_the_agent_may_push_while_it_is_asked, |b| {
    let value = b.value_asked("request_file", wants("docs/a.md"), |_| {
        let pushed =
            b.value("cache_file", json!({"path": "docs/a.md", "content": "pushed", "mtime": 7}));
        assert_eq!(pushed["status"], "cached");
        Says::text("CACHED")
    });
    assert_eq!(
        [&value["content"], &value["source"], &value["mtime"]],
        [&json!("pushed"), &json!("agent"), &json!(7)]
    );
    let value = b.value_asked("request_directory", wants("docs"), |_| {
        b.value("list_directory", json!({"path": "docs", "files": [{"name": "x"}]}));
        Says::text("Cached.")
    });
    assert_eq!(column(&value["entries"], "name"), ["x"]);
});

/// A push is an answer even if the question is never answered.
/// Ledger: B-012
#[test]
fn b_012_a_push_alone_is_the_answer_over_each_wire() {
    for wire in [STDIO, HTTP_LEGACY] {
        run_agent_body(wire, &json!({}), a_push_alone_is_the_answer);
    }
}

fn a_push_alone_is_the_answer(b: &AgentBench) {
    let started = Instant::now();
    let value = b.value_asked("request_file", wants("docs/a.md"), |_| {
        b.value("cache_file", json!({"path": "docs/a.md", "content": "pushed"}));
        Says::Nothing
    });
    assert_eq!(value["content"], "pushed");
    assert!(started.elapsed() < Duration::from_secs(10), "it waited for words");
    let value = b.value_asked("request_file", wants("docs/big"), |_| {
        let chunk = |i: u64, c: &str| json!({"path": "docs/big", "content": c, "chunk_index": i, "total_chunks": 2});
        b.value("read_file", chunk(1, "b"));
        b.value("read_file", chunk(0, "a"));
        Says::Nothing
    });
    assert_eq!(value["content"], "ab");
}

/// Ledger: B-012
agent_test!(b_012_a_push_that_never_came_is_no_content, |b| {
    let told = b.refused_asked("request_file", wants("docs/a.md"), "system", "IoError", |_| {
        Says::text("CACHED")
    });
    assert!(text(&told["error"]).contains("nothing has arrived"), "{told}");
    assert_eq!(number(&b.stats()["entries"]), 0);
});

/// An agent that can call tools in its answers answers by a call.
/// Ledger: B-003, B-012
#[test]
fn b_012_a_tool_call_is_an_answer_over_each_wire() {
    for wire in [STDIO, HTTP] {
        a_tool_call_is_an_answer(wire);
    }
}

fn a_tool_call_is_an_answer(wire: Wire) {
    let tools = json!({"sampling": {"tools": {}}});
    let b = AgentBench::with_capabilities(wire, &json!({}), tools);
    let call = |name: &str, input: Value| {
        Says::Content(json!({"type": "tool_use", "id": "1", "name": name, "input": input}))
    };
    let value = b.value_asked("request_file", wants("docs/a.md"), |_| {
        call(
            "guide_cache_file",
            json!({"path": "docs/a.md", "content": "AAE=", "encoding": "base64"}),
        )
    });
    assert_eq!((&value["content"], &value["encoding"]), (&json!("AAE="), &json!("base64")));
    assert_eq!(b.asked()[0]["tools"][0]["name"], "guide_cache_file");
    let value = b.value_asked("request_directory", wants("docs"), |_| {
        call("guide_list_directory", json!({"path": "docs", "files": [{"name": "x"}]}))
    });
    assert_eq!(number(&value["count"]), 1);
    let told = b.call_asked("request_file", wants("docs/b.md"), |_| {
        call("guide_cache_file", json!({"path": "docs/other.md", "content": "x"}))
    });
    assert_eq!(told["error_type"], "system", "{told}");
    let told = b.call_asked("request_file", wants("docs/b.md"), |_| {
        call("guide_cache_file", json!({"path": "/etc/passwd", "content": "x"}))
    });
    assert_eq!(told["error_type"], "security", "{told}");
    let told = b.call_asked("request_file", wants("docs/b.md"), |_| call("rm", json!({})));
    assert_eq!(told["error_type"], "system", "{told}");
}

/// A JSON file is content, not an answer in JSON.
/// Ledger: B-014
agent_test!(b_014_json_content_stays_what_it_is, |b| {
    for (at, content) in [r#"{"name": "x", "error": "none"}"#, r#"[1, 2]"#, "{\"content\": 5}", ""]
        .into_iter()
        .enumerate()
    {
        let path = format!("docs/{at}.json");
        let value = b.value_asked("request_file", wants(&path), |_| Says::text(content));
        assert_eq!(value["content"], content);
    }
});

/// Ledger: B-011
bridge_test!(b_011_a_path_outside_is_refused_before_anyone_is_asked, |b| {
    for path in ["lib/x", "docs/../../x", "/etc/passwd"] {
        b.refused("request_file", wants(path), "security", "SecurityError");
        b.refused("request_directory", wants(path), "security", "SecurityError");
    }
    assert!(b.asked().is_empty());
});

/// Ledger: B-015, B-046
bridge_test!(b_015_an_encoding_is_asked_for, |b| {
    let ask = wants("docs/a.txt").and("encoding", "latin-1");
    let value = b.value_asked("request_file", ask, |prompt| {
        assert!(prompt.contains("with the encoding windows-1252"), "{prompt}");
        Says::text("caf\u{e9}")
    });
    assert_eq!((&value["content"], number(&value["size"])), (&json!("caf\u{e9}"), 4));
    let raw = b.value("request_file", wants("docs/a.txt").and("binary", true));
    assert_eq!(content(&raw), b"caf\xe9");
});

/// Ledger: B-016, B-017
bridge_test!(b_017_fallback_encodings_are_tried, |b| {
    let ask = |path: &str| {
        wants(path).and("encoding", "utf-8").and("fallback_encodings", json!(["latin-1"]))
    };
    let mut prompts = Vec::new();
    let value = b.value_asked("request_file", ask("docs/a"), |prompt| {
        prompts.push(prompt.to_owned());
        match prompts.len() {
            1 => Says::json(json!({"error": "not UTF-8", "error_type": "encoding_error"})),
            _ => Says::text("caf\u{e9}"),
        }
    });
    assert_eq!((&value["content"], number(&value["size"])), (&json!("caf\u{e9}"), 4));
    assert!(prompts[0].contains("encoding utf-8") && prompts[1].contains("windows-1252"));
    let mut rounds = 0;
    let value = b.value_asked("request_file", ask("docs/b"), |_| {
        rounds += 1;
        Says::text(if rounds == 1 { "caf\u{fffd}" } else { "caf\u{e9}" })
    });
    assert_eq!((rounds, &value["content"]), (2, &json!("caf\u{e9}")));
    // Bytes that the agent could not decode are decoded here.
    let value = b.value_asked("request_file", ask("docs/c"), |_| {
        Says::json(json!({"content": encoded(b"caf\xe9"), "encoding": "base64"}))
    });
    assert_eq!(
        (&value["content"], &value["encoding"]),
        (&json!("caf\u{e9}"), &json!("windows-1252"))
    );
});

/// Ledger: B-016
bridge_test!(b_016_what_can_not_be_decoded_fails_gracefully, |b| {
    let ask = wants("docs/a").and("encoding", "utf-8");
    for answer in [
        json!({"error": "bad byte", "error_type": "encoding_error"}),
        json!({"content": encoded(b"\xff\xfe\xfd"), "encoding": "base64"}),
        json!({"content": "%%%", "encoding": "base64"}),
        json!({"content": "x", "encoding": "klingon"}),
    ] {
        b.refused_asked("request_file", ask.clone(), "system", "IoError", |_| {
            Says::json(answer.clone())
        });
    }
    assert_eq!(number(&b.stats()["entries"]), 0);
    let told = b.call_asked("request_file", wants("docs/b"), |_| Says::text("caf\u{fffd}"));
    assert_eq!(told["success"], true);
    assert!(text(&told["warnings"][0]).contains("replacement characters"), "{told}");
});

/// Ledger: B-018
bridge_test!(b_018_bytes_travel_in_base64, |b| {
    let bytes: Vec<u8> = (0..=255).collect();
    let ask = |path: &str| wants(path).and("binary", true);
    let value = b.value_asked("request_file", ask("docs/a.png"), |prompt| {
        assert!(prompt.contains("as bytes, in base64"), "{prompt}");
        Says::json(json!({"content": encoded(&bytes), "encoding": "base64"}))
    });
    assert_eq!((content(&value), number(&value["size"])), (bytes.clone(), 256));
    let value = b.value_asked("request_file", ask("docs/b.png"), |_| Says::text(encoded(&bytes)));
    assert_eq!(text(&value["content"]), encoded(&bytes));
    b.refused_asked("request_file", ask("docs/c.png"), "system", "IoError", |_| Says::text("%%%"));
});

/// Ledger: B-047, B-048
bridge_test!(b_048_a_file_that_is_not_there, |b| {
    for answer in [
        json!({"error": "ENOENT: no such file", "error_type": "file_not_found"}),
        json!({"error": "not_found"}),
        json!({"error": {"code": "not_found", "message": "gone"}}),
    ] {
        let told = b.refused_asked(
            "request_file",
            wants("docs/a"),
            "not_found",
            "FileNotFoundError",
            |_| Says::json(answer.clone()),
        );
        assert_eq!(told["error"], "file not found: docs/a");
    }
    let told = b.refused_asked(
        "request_directory",
        wants("docs"),
        "not_found",
        "FileNotFoundError",
        |_| Says::json(json!({"error": "not_found"})),
    );
    assert_eq!(told["error"], "directory not found: docs");
    let stats = b.stats();
    assert_eq!((number(&stats["entries"]), number(&stats["misses"])), (0, 4));
});

/// Ledger: B-048, B-049
#[test]
fn b_048_an_error_of_the_client_is_an_answer_over_each_wire() {
    for wire in [STDIO, HTTP_LEGACY] {
        run_agent_body(wire, &json!({}), an_error_of_the_client_is_an_answer);
    }
}

fn an_error_of_the_client_is_an_answer(b: &AgentBench) {
    let says = |message: &'static str| move |_: &str| Says::Error(-32603, message.to_owned());
    let told = b.call_asked("request_file", wants("docs/a"), says("File not found"));
    assert_eq!(told["error_type"], "not_found", "{told}");
    let told = b.call_asked("request_file", wants("docs/a"), says("permission denied"));
    assert_eq!(told["exception_type"], "PermissionError", "{told}");
    let told = b.call_asked("request_file", wants("docs/a"), says("user rejected"));
    assert_eq!(told["error_type"], "system", "{told}");
    assert!(text(&told["error"]).contains("user rejected"), "{told}");
}

/// Ledger: B-049
bridge_test!(b_049_a_file_that_the_agent_may_not_read, |b| {
    let told =
        b.refused_asked("request_file", wants("docs/a"), "system", "PermissionError", |_| {
            Says::json(json!({"error": "EACCES", "error_type": "permission_denied"}))
        });
    assert_eq!(told["error"], "permission denied: docs/a");
    assert_eq!(told["error_data"]["code"], "permission_denied");
    let line =
        b.server.log.wait_for("the refusal", |l| l["msg"] == "permission denied to the agent");
    assert_eq!(
        [&line["level"], &line["path"], &line["operation"], &line["client"]],
        [&json!("WARN"), &json!("docs/a"), &json!("request_file"), &json!("black-box 1.0")]
    );
});

/// Ledger: B-050, B-051
bridge_test!(
    b_050_an_answer_that_comes_too_late,
    json!({"sampling": {"timeout_seconds": 1}}),
    |b| {
        let late = |b: &AgentBench| {
            let legacy = b.wire.era == Era::Legacy;
            b.refused_asked("request_file", wants("docs/a"), "timeout", "TimeoutError", |_| {
                let chunk =
                    json!({"path": "docs/a", "content": "x", "chunk_index": 0, "total_chunks": 2});
                b.call("read_file", chunk);
                if legacy {
                    return Says::Nothing;
                }
                std::thread::sleep(Duration::from_millis(1_500));
                Says::text("too late")
            })
        };
        let told = late(b);
        assert_eq!(told["error"], "the agent did not answer within 1 s: docs/a");
        assert_eq!(number(&b.stats()["entries"]), 0);
        let rest = json!({"path": "docs/a", "content": "y", "chunk_index": 1, "total_chunks": 2});
        assert_eq!(
            b.value("read_file", rest)["missing_chunks"],
            json!([0]),
            "the part was dropped"
        );
        b.value("cache_file", json!({"path": "docs/a", "content": "a push of its own"}));
        assert_eq!(b.value("request_file", wants("docs/a"))["content"], "a push of its own");
    }
);

/// Ledger: B-052, B-053, B-054
#[test]
fn b_052_a_client_that_can_not_be_asked_over_each_wire() {
    for wire in [STDIO, STDIO_MODERN, HTTP, HTTP_LEGACY] {
        a_client_that_can_not_be_asked(wire);
    }
}

fn a_client_that_can_not_be_asked(wire: Wire) {
    let b = AgentBench::with_capabilities(wire, &json!({}), json!({}));
    let told = b.refused("request_file", wants("docs/a"), "unsupported", "UnsupportedError");
    assert_eq!(
        told["error"],
        "the client does not support sampling, so the agent can not be asked for it: docs/a"
    );
    let instruction = text(&told["instruction"]);
    assert!(instruction.contains("guide_cache_file") && instruction.contains("resource"));
    let told = b.refused("request_directory", wants("docs"), "unsupported", "UnsupportedError");
    assert!(text(&told["instruction"]).contains("guide_list_directory"), "{told}");
    b.value("cache_file", json!({"path": "docs/a", "content": "by hand"}));
    assert_eq!(b.value("request_file", wants("docs/a"))["content"], "by hand");
    assert!(b.session.heard().iter().all(|m| m.get("method").is_none()), "nothing was asked");
}
