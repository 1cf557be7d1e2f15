//! The fence around the agent's files, the same for every tool.

use crate::agent_test;
use crate::harness::*;
use serde_json::{Value, json};

/// One call of each tool that takes a path.
fn calls(path: &str) -> [(&'static str, Value); 5] {
    [
        ("cache_file", json!({"path": path, "content": "x"})),
        ("read_file", json!({"path": path, "content": "x"})),
        ("list_directory", json!({"path": path, "files": []})),
        ("request_file", json!({"path": path})),
        ("request_directory", json!({"path": path})),
    ]
}

fn all_refuse(b: &AgentBench, path: &str, kind: &str, class: &str) -> Value {
    let told = calls(path).map(|(tool, args)| b.refused(tool, args, kind, class));
    for other in &told[1..] {
        assert_eq!(other, &told[0], "the same failure from every tool");
    }
    assert_eq!(number(&b.stats()["entries"]), 0);
    told[0].clone()
}

fn accepts(b: &AgentBench, path: &str, relative: &str) {
    let value = b.value("cache_file", json!({"path": path, "content": "x"}));
    assert_eq!(value["relative_path"], relative, "{path}");
}

/// Ledger: B-019, B-020, B-029, B-035
agent_test!(b_029_the_default_directories_are_open, |b| {
    for dir in ["docs", "src", "tests", ".guide", ".todo"] {
        accepts(b, &format!("{dir}/x"), &format!("{dir}/x"));
        accepts(b, &format!("{dir}//sub/./x"), &format!("{dir}/sub/x"));
    }
});

/// Ledger, B-011, B-021, B-030, B-034
agent_test!(b_030_everything_else_is_closed, |b| {
    for path in ["lib/x", "docs-evil/x", "x", ".", "doc", ".guide2/x"] {
        let told = all_refuse(b, path, "security", "SecurityError");
        let expected = format!(
            "path is outside the allowed paths: {path}; allowed: docs, src, tests, .guide, .todo"
        );
        assert_eq!(told["error"], expected);
    }
    assert!(b.asked().is_empty());
});

/// Ledger: B-022, B-023
agent_test!(b_022_dots_are_resolved_then_judged, |b| {
    accepts(b, "docs/../docs/a.md", "docs/a.md");
    accepts(b, "lib/../src/a.md", "src/a.md");
    b.value("cache_stats", json!({}));
    for path in ["docs/../../x", "../x", "docs/../lib/x", "docs/../../../../etc/passwd"] {
        b.refused("cache_file", json!({"path": path, "content": "x"}), "security", "SecurityError");
    }
});

/// Ledger: B-024
agent_test!(b_024_an_absolute_path_must_lie_inside_the_project, |b| {
    let inside = b.project.path("docs/a.md");
    accepts(b, inside.to_str().unwrap(), "docs/a.md");
    let detour = format!("{}/lib/../docs/a.md", b.project.host());
    accepts(b, &detour, "docs/a.md");
    let elsewhere = [
        "/etc/passwd".to_owned(),
        "/docs/a.md".to_owned(),
        format!("{}x/docs/a", b.project.host()),
        format!("{}/../docs/a", b.project.host()),
        format!("{}/lib/a", b.project.host()),
    ];
    for path in elsewhere {
        b.refused("cache_file", json!({"path": path, "content": "x"}), "security", "SecurityError");
    }
});

/// Ledger: B-025, B-026
agent_test!(b_026_links_are_judged_by_where_they_lead, |b| {
    b.outside_secret();
    b.project.write("docs/t.md", "t").write("lib/x.rs", "x");
    b.project.link("docs/l.md", "t.md").link("docs/out", "/etc").link("docs/lib", "../lib");
    b.project.link("docs/up", "../../outside").link("docs/dangling", "/nowhere/at/all");
    accepts(b, "docs/l.md", "docs/l.md");
    for path in ["docs/out", "docs/out/passwd", "docs/up/secret", "docs/dangling"] {
        b.refused("cache_file", json!({"path": path, "content": "x"}), "security", "SecurityError");
    }
    let told = b.call("cache_file", json!({"path": "docs/lib/x.rs", "content": "x"}));
    let expected = "path is outside the allowed paths (through a link): docs/lib/x.rs; allowed: docs, src, tests, .guide, .todo";
    assert_eq!(told["error"], expected);
});

/// Ledger: B-027
agent_test!(b_027_circular_links_are_detected, |b| {
    b.project.mkdir("docs").link("docs/a", "b").link("docs/b", "a");
    let told = all_refuse(b, "docs/a/x", "security", "SecurityError");
    assert!(text(&told["error"]).contains("circular"), "{told}");
});

/// Ledger: A-055
agent_test!(a_055_a_path_that_is_no_path_is_refused_with_the_rules, |b| {
    let long = format!("docs/{}", "x".repeat(4_100));
    for path in ["", "docs/a\0b", "docs/a\nb", "docs/\u{7f}", long.as_str()] {
        let told = all_refuse(b, path, "validation", "PathFormatError");
        let rules = "a path is 1 to 4096 bytes without control characters, relative to the project or absolute inside it";
        assert!(text(&told["error"]).ends_with(rules), "{told}");
    }
});

/// Ledger: A-075, B-028, B-031, B-035
agent_test!(
    b_031_the_operator_replaces_the_fence,
    json!({"filesystem": {"allowed_paths": ["lib/", "./deep/er//"]}}),
    |b| {
        accepts(b, "lib/x", "lib/x");
        accepts(b, "deep/er/x", "deep/er/x");
        for path in ["docs/x", "deep/x", "library/x"] {
            for (tool, args) in calls(path) {
                b.refused(tool, args, "security", "SecurityError");
            }
        }
    }
);

/// Ledger: B-031
agent_test!(
    b_031_the_whole_project_can_be_opened,
    json!({"filesystem": {"allowed_paths": ["."]}}),
    |b| {
        accepts(b, "anything/x", "anything/x");
        b.value("list_directory", json!({"path": ".", "files": [{"name": "a"}]}));
        let served = b.value("request_directory", json!({"path": "."}));
        assert_eq!(served["entries"][0]["path"], "a");
        b.refused(
            "cache_file",
            json!({"path": "../x", "content": "x"}),
            "security",
            "SecurityError",
        );
    }
);

/// Ledger: B-032, B-033, B-036
agent_test!(
    b_033_an_allowed_path_that_is_missing_is_worth_a_warning,
    json!({"filesystem": {"allowed_paths": ["lib/", "here/"]}}),
    |b| {
        let line = b.server.log.wait_for("a warning", |l| l["level"] == "WARN");
        assert_eq!(
            (&line["msg"], &line["path"]),
            (&json!("allowed path does not exist in the project"), &json!("lib"))
        );
        accepts(b, "lib/x", "lib/x");
    }
);

/// Ledger: B-036
#[test]
fn b_036_an_allowed_path_outside_the_project_is_a_start_up_error() {
    let workspace = Workspace::new();
    let project = workspace.root("project");
    let config = Config::default().set("toolsets", json!(["guide"]));
    let config = config.set("root_dir", json!(project.host()));
    let config = config.set("filesystem", json!({"allowed_paths": ["docs", "../elsewhere"]}));
    let finished = Launch::new(&config.save(&workspace), Transport::Stdio).finish();
    assert_ne!(finished.code, Some(0));
    let expected = "filesystem.allowed_paths: \"../elsewhere\" is not inside the project directory";
    assert!(finished.stderr.contains(expected), "{}", finished.stderr);
}

trait Outside {
    fn outside_secret(&self);
}

impl Outside for AgentBench {
    fn outside_secret(&self) {
        self.workspace.all().write("roots/outside/secret", "s");
    }
}
