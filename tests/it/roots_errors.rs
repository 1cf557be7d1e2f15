//! Arguments that are wrong, one by one and generated from `tools/list`.

use crate::harness::*;
use crate::roots_security::every_tool_on;
use crate::wire_test;
use serde_json::{Map, Value, json};

/// An unknown root is named, whatever the tool.
wire_test!(e2e_072_unknown_root, Config::roots(&["workspace", "logs"]), |b| {
    for (tool, arguments) in every_tool_on("nonexistent", "f.txt") {
        b.refuses(tool, arguments, "unknown root: nonexistent");
    }
    b.refuses("copy", across("workspace", "x", "nonexistent", "x"), "unknown root: nonexistent");
});

/// A missing argument is named, in a tool result.
wire_test!(e2e_073_missing_arguments, |b| {
    b.refuses("read_file", json!({"path": "f.txt"}), "root is required");
    b.refuses("read_file", json!({}), "root is required");
    b.refuses("read_file", json!({"root": "workspace"}), "path is required");
});

/// A failure names the path, the reason and the root.
/// Ledger: C-US-001
wire_test!(c_nfr_011_failures_name_root_path_and_reason, |b| {
    b.ws.write("inside.txt", "x").mkdir("folder");
    for (tool, arguments) in [
        ("read_file", ws("some/ghost.txt")),
        ("stat_file", ws("some/ghost.txt")),
        ("remove_file", ws("some/ghost.txt")),
        ("remove_folder", ws("some/ghost.txt")),
        ("list_folder", ws("some/ghost.txt")),
        ("permissions_file", ws("some/ghost.txt")),
        ("hash_file", ws("some/ghost.txt").and("algorithm", "md5")),
        ("copy", pair("some/ghost.txt", "x")),
        ("move", pair("some/ghost.txt", "x")),
        ("grep", ws("some/ghost.txt").and("pattern", "x")),
        ("glob", ws("some/ghost.txt").and("pattern", "x")),
    ] {
        let text = b.refuses(tool, arguments, "");
        for part in ["some/ghost.txt", "not found", "workspace"] {
            assert!(text.contains(part), "{tool}: {part:?} is missing in {text:?}");
        }
    }
});

/// A near miss is answered with the name that was meant.
wire_test!(c_nfr_011_a_near_miss_is_helped, |b| {
    b.ws.write("src/main.rs", "x");
    let text = b.refuses("read_file", ws("src/mian.rs"), "file not found: src/mian.rs");
    assert!(text.contains("src/main.rs"), "{text}");
});

/// An unknown argument is refused with the list of known ones.
wire_test!(c_nfr_011_unknown_arguments, |b| {
    b.ws.write("f.txt", "x");
    let text = b.refuses("read_file", ws("f.txt").and("offset", 1), "");
    assert!(
        text.contains("offset") && text.contains("offset_lines") && text.contains("limit_bytes"),
        "{text}"
    );
});

/// Valid arguments for each tool, on a tree that `fresh` makes.
fn valid(tool: &str) -> Value {
    match tool {
        "list_roots" => json!({}),
        "list_folder" => ws("folder"),
        "write_file" => ws("file.txt").and("content", "new\n").and("mode", "overwrite"),
        "patch_file" => ws("file.txt").and("patch", replace_line(1, "one", "two")),
        "create_folder" => ws("made"),
        "remove_folder" => ws("folder"),
        "hash_file" => ws("file.txt").and("algorithm", "sha1"),
        "copy" | "move" => pair("file.txt", "other.txt"),
        "grep" => ws(".").and("pattern", "one"),
        "glob" => ws(".").and("pattern", "*"),
        _ => ws("file.txt"),
    }
}

fn fresh(b: &Bench) {
    b.ws.clear();
    b.ws.write("file.txt", "one\n").write("folder/inner.txt", "one\n");
}

/// The kinds of failure a generated call must show.
enum Wanted {
    /// Must fail, and the sentence must hold this word.
    Failure(String),
    /// May succeed: the value can be legal.
    Anything,
}

/// The calls to make for one property of a tool.
fn bad_values(name: &str, schema: &Value, required: bool) -> Vec<(Value, Wanted)> {
    let kinds = schema["type"].to_string();
    let mut values = Vec::new();
    for (kind, value) in [
        ("string", json!("not this type")),
        ("integer", json!(12345)),
        ("boolean", json!(true)),
        ("array", json!(["x"])),
        ("object", json!({"x": 1})),
    ] {
        if schema.get("type").is_some() && !kinds.contains(kind) {
            values.push((value, Wanted::Failure(name.to_owned())));
        }
    }
    let absent = if required { Wanted::Failure(name.to_owned()) } else { Wanted::Anything };
    values.push((Value::Null, absent));
    if kinds.contains("integer") {
        values.push((json!(-1), Wanted::Failure(name.to_owned())));
        values.push((json!(i64::MIN), Wanted::Failure(name.to_owned())));
        values.push((json!(1.5), Wanted::Failure(name.to_owned())));
        for huge in [json!(i64::MAX), json!(u64::MAX), json!(1e30)] {
            values.push((huge, Wanted::Anything));
        }
    }
    if kinds.contains("string") {
        for odd in ["", "\0", " ", "\n", "..", "\u{202e}\u{fffd}", "%00", "*", "[", "(", "\u{feff}"]
        {
            values.push((json!(odd), Wanted::Anything));
        }
        values.push((json!("x".repeat(100_000)), Wanted::Anything));
    }
    values
}

/// Make one generated call and hold it against the rules; `Err` says what is wrong.
fn attempt(b: &Bench, tool: &str, arguments: Value, wanted: &Wanted) -> Result<(), String> {
    let what = format!("{tool} {}", arguments.to_string().chars().take(200).collect::<String>());
    let before = b.ws.snapshot();
    let reply = b.session.request("tools/call", json!({"name": tool, "arguments": arguments}));
    let result = reply.map_err(|e| format!("{what}: protocol error {e:?}"))?;
    let answer = Answer::new(tool, result);
    if answer.is_error && b.ws.snapshot() != before {
        return Err(format!("{what}: failed and changed the disk: {}", answer.text));
    }
    if let Wanted::Failure(word) = wanted {
        if !answer.is_error {
            return Err(format!(
                "{what}: succeeded: {}",
                answer.text.chars().take(200).collect::<String>()
            ));
        }
        if !answer.text.contains(word.as_str()) {
            return Err(format!("{what}: {word} is not named: {}", answer.text));
        }
    }
    if b.ws.snapshot() != before {
        fresh(b);
    }
    Ok(())
}

/// Wrong types, missing and unknown arguments, odd and huge values for every property of every tool:
/// always a tool result, failures change nothing, the server lives on.
/// Ledger: C-FR-005.1, C-FR-016.1, C-FR-017.1
wire_test!(e2e_073_generated_bad_arguments, |b| {
    fresh(b);
    let mut wrong = Vec::new();
    for tool in b.session.tools() {
        let name = text(&tool["name"]);
        let schema = &tool["inputSchema"];
        let required: Vec<&str> =
            schema["required"].as_array().map(|r| r.iter().map(text).collect()).unwrap_or_default();
        let none = Map::new();
        for (property, kind) in schema["properties"].as_object().unwrap_or(&none) {
            for (value, wanted) in bad_values(property, kind, required.contains(&property.as_str()))
            {
                wrong.extend(attempt(b, name, valid(name).and(property, value), &wanted).err());
            }
        }
        for property in &required {
            let mut arguments = valid(name);
            arguments.as_object_mut().unwrap().remove(*property);
            let wanted = Wanted::Failure(format!("{property} is required"));
            wrong.extend(attempt(b, name, arguments, &wanted).err());
        }
        let unknown = Wanted::Failure("surprise".to_owned());
        wrong.extend(attempt(b, name, valid(name).and("surprise", 1), &unknown).err());
        assert!(!b.call(name, valid(name)).is_error, "{name} works after all this");
        fresh(b);
    }
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
});

/// Arguments that are no object do not bring the server down.
wire_test!(e2e_073_arguments_that_are_no_object, |b| {
    for arguments in [json!(null), json!([]), json!("text"), json!(7)] {
        if let Ok(result) =
            b.session.request("tools/call", json!({"name": "read_file", "arguments": arguments}))
        {
            assert!(Answer::new("read_file", result).fails().contains("root is required"));
        }
    }
    let bare =
        b.session.request("tools/call", json!({"name": "read_file"})).expect("a tool result");
    assert!(Answer::new("read_file", bare).fails().starts_with("root is required"));
    b.ok("list_roots", json!({}));
});

/// Every key of every answer is snake_case.
wire_test!(c_nfr_013_keys_are_snake_case, |b| {
    b.ws.write("f.txt", "one\ntwo\n").link("link", "f.txt").mkdir("folder");
    let calls = [
        ("list_roots", json!({})),
        ("list_folder", ws(".")),
        ("read_file", ws("f.txt").and("offset_lines", 9)),
        ("stat_file", ws("link")),
        ("permissions_file", ws("f.txt")),
        ("hash_file", ws("f.txt").and("algorithm", "md5")),
        ("grep", ws(".").and("pattern", "one").and("context_lines", 1)),
        ("glob", ws(".").and("pattern", "*")),
        ("write_file", ws("g.txt").and("content", "one\n")),
        ("patch_file", ws("g.txt").and("patch", replace_line(1, "one", "two"))),
        ("copy", pair("g.txt", "h.txt")),
        ("move", pair("h.txt", "i.txt")),
        ("remove_file", ws("i.txt")),
        ("create_folder", ws("new")),
        ("remove_folder", ws("new")),
    ];
    for (tool, arguments) in calls {
        assert_snake_case(tool, &b.ok(tool, arguments));
    }
});

fn assert_snake_case(tool: &str, value: &Value) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            let snake =
                key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            assert!(snake, "{tool}: key {key:?}");
            assert_snake_case(tool, value);
        }),
        Value::Array(items) => items.iter().for_each(|item| assert_snake_case(tool, item)),
        _ => {}
    }
}
