//! Flags: whose they are, what they can be, and that no write is lost.

use crate::guide_test;
use crate::harness::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn flag(name: &str) -> Value {
    json!({"feature_name": name})
}

fn flag_to(name: &str, value: Value) -> Value {
    json!({"feature_name": name, "value": value})
}

/// The project's flag goes before the global one; the global one is the default.
/// Ledger: E-037, E-038, E-039, E-040
guide_test!(e_038_project_over_global, |b| {
    b.value("set_feature_flag", flag_to("style", json!("terse")));
    assert_eq!(b.value("get_project_flag", flag("style")), "terse");
    b.value("set_project_flag", flag_to("style", json!("chatty")));
    assert_eq!(b.value("get_project_flag", flag("style")), "chatty");
    assert_eq!(b.value("get_feature_flag", flag("style")), "terse");
    b.value("set_project_flag", flag_to("style", Value::Null));
    assert_eq!(b.value("get_project_flag", flag("style")), "terse");
    b.value("set_feature_flag", flag_to("style", Value::Null));
    assert_eq!(b.told("get_project_flag", flag("style")), json!({"success": true}));
});

/// Lists: merged, the project's own, global, one.
/// Ledger: E-038, E-040, E-041, E-042
guide_test!(e_042_lists, |b| {
    b.value("set_feature_flag", flag("g"));
    b.value("set_feature_flag", flag_to("both", json!("global")));
    b.value("set_project_flag", flag_to("both", json!("project")));
    b.value("set_project_flag", flag_to("p", json!(["a", "b"])));
    let merged = json!({"both": "project", "g": true, "p": ["a", "b"]});
    assert_eq!(b.value("list_project_flags", json!({})), merged);
    assert_eq!(b.value("list_project_flags", json!({"active": true})), merged);
    let own = json!({"both": "project", "p": ["a", "b"]});
    assert_eq!(b.value("list_project_flags", json!({"active": false})), own);
    assert_eq!(b.value("list_feature_flags", json!({})), json!({"both": "global", "g": true}));
    assert_eq!(b.value("list_feature_flags", flag("p")), json!({}));
    assert_eq!(b.value("list_project_flags", flag("p")), json!({"p": ["a", "b"]}));
    assert_eq!(b.told("get_feature_flag", flag("p")), json!({"success": true}));
});

/// What a flag can be, and what is said.
/// Ledger: E-043
guide_test!(e_043_values, |b| {
    let cases = [
        (flag("f"), "Flag 'f' set to true", json!(true)),
        (flag_to("f", json!(false)), "Flag 'f' set to false", json!(false)),
        (flag_to("f", json!("text")), "Flag 'f' set to \"text\"", json!("text")),
        (flag_to("f", json!(["a", "b"])), "Flag 'f' set to [\"a\",\"b\"]", json!(["a", "b"])),
        (flag_to("f", json!({"k": "v"})), "Flag 'f' set to {\"k\":\"v\"}", json!({"k": "v"})),
        (flag_to("yes-1_ü", json!("yes")), "Flag 'yes-1_ü' set to \"yes\"", json!("yes")),
    ];
    for (arguments, sentence, value) in cases {
        assert_eq!(b.value("set_project_flag", arguments.clone()), sentence);
        assert_eq!(b.value("get_project_flag", flag(text(&arguments["feature_name"]))), value);
    }
    assert_eq!(b.value("set_project_flag", flag_to("f", Value::Null)), "Flag 'f' removed");
    let told = b.value("set_feature_flag", flag_to("g", json!("true")));
    assert_eq!(told, "Global flag 'g' set to \"true\"");
    assert_eq!(b.value("get_feature_flag", flag("g")), json!("true"), "a text stays a text");
    assert_eq!(b.value("set_feature_flag", flag_to("g", Value::Null)), "Global flag 'g' removed");
});

/// Names are letters, digits, `_` and `-`.
/// Ledger: E-043
guide_test!(e_043_names, |b| {
    for name in ["a.b", "", "a b", "a/b", "a\nb", "../x"] {
        for tool in ["set_project_flag", "get_project_flag", "set_feature_flag", "get_feature_flag"]
        {
            let complaints = b.complaints(tool, flag(name));
            assert!(complaints[0].starts_with("feature_name: feature_name: expected letters"));
        }
    }
    assert_eq!(b.value("list_project_flags", json!({})), json!({}));
    assert!(!b.guidebook().has("config.yaml"), "nothing was set");
});

/// The file: where, which keys, and what is not ours is kept.
/// Ledger: E-044
guide_test!(e_044_the_file, |b| {
    let book = "docroot: /somewhere\nprojects:\n  other:\n    project_flags:\n      x: true\n    note: mine\nfeature_flags:\n  count: 3\n";
    b.guidebook().write("config.yaml", book);
    b.value("set_project_flag", flag_to("p", json!(["a"])));
    b.value("set_feature_flag", flag_to("g", json!({"k": "v"})));
    let host = b.ws.host().to_owned();
    let real = std::fs::canonicalize(host).unwrap();
    let expected = format!(
        "docroot: /somewhere\nprojects:\n  other:\n    project_flags:\n      x: true\n    note: mine\n  workspace:\n    path: {}\n    project_flags:\n      p:\n      - a\nfeature_flags:\n  count: 3\n  g:\n    k: v\n",
        real.display()
    );
    assert_eq!(b.guidebook().text("config.yaml"), expected);
    assert_eq!(b.value("get_feature_flag", flag("count")), "3", "a number is text to us");
});

/// A file that can not be understood is left alone.
/// Ledger: E-044
guide_test!(e_044_a_broken_file_is_left_alone, |b| {
    for broken in ["a: [", "- just\n- a list\n", "projects: 5\nfeature_flags: 6\n"] {
        b.guidebook().write("config.yaml", broken);
        b.failure("set_project_flag", flag("p"), "validation");
        b.failure("set_feature_flag", flag("p"), "validation");
        assert_eq!(b.guidebook().text("config.yaml"), broken);
    }
});

/// A restart keeps flags; a project of the same name elsewhere does not see them.
/// Ledger: E-044
#[test]
fn e_044_flags_outlive_the_server() {
    let workspace = Workspace::new();
    let directory = workspace.all().path("guide-config");
    let (one, two) = (workspace.root("one/api"), workspace.root("two/api"));
    let server = |project: &Dir| {
        let config = Config::default().set("roots", Value::Null).set("toolsets", json!(["guide"]));
        let (host, directory) = (project.host().to_owned(), directory.to_str().unwrap().to_owned());
        STDIO.launch(Workspace::new(), config, |launch| {
            launch.args(&["--root-dir", &host]).env("MG_CONFIGDIR", &directory)
        })
    };
    server(&one).value("set_project_flag", flag_to("f", json!("one")));
    let second = server(&two);
    assert_eq!(second.told("get_project_flag", flag("f")), json!({"success": true}));
    second.value("set_project_flag", flag_to("f", json!("two")));
    assert_eq!(server(&one).value("get_project_flag", flag("f")), "one");
    assert_eq!(server(&two).value("get_project_flag", flag("f")), "two");
}

/// Without another word the file is in the user's configuration directory, made on the first change.
/// Ledger: E-044
#[test]
fn e_044_the_users_directory() {
    let workspace = Workspace::new();
    let (project, home) = (workspace.root("workspace"), workspace.all().path("home"));
    let config = Config::default().set("roots", Value::Null).set("toolsets", json!(["guide"]));
    let b = STDIO.launch(workspace, config, |launch| {
        launch.args(&["--root-dir", project.host()]).env("XDG_CONFIG_HOME", home.to_str().unwrap())
    });
    b.value("list_project_flags", json!({}));
    assert!(!home.exists(), "reading makes nothing");
    b.value("set_feature_flag", flag("f"));
    assert_eq!(
        std::fs::read_to_string(home.join("mcp-guide/config.yaml")).unwrap(),
        "feature_flags:\n  f: true\n"
    );
}

/// Many clients of one server set flags at once.
/// Ledger: E-044
#[test]
fn e_044_many_clients_lose_nothing() {
    let b = HTTP.guide();
    std::thread::scope(|scope| {
        for client in 0..8 {
            let session = b.another_session();
            scope.spawn(move || {
                for i in 0..10 {
                    let name = format!("{client}-{i}");
                    assert_eq!(
                        told(session.call("guide_set_feature_flag", flag(&name)))["success"],
                        true
                    );
                }
            });
        }
    });
    assert_eq!(b.value("list_feature_flags", json!({})).as_object().unwrap().len(), 80);
}

/// Two processes set flags as fast as they can, one is killed on the way: nothing is lost, nothing is torn.
/// Ledger: E-044
#[test]
fn e_044_two_processes_lose_nothing() {
    const TIME: Duration = Duration::from_secs(10);
    let workspace = Workspace::new();
    let directory = workspace.all().path("guide-config");
    let host = workspace.root("workspace").host().to_owned();
    let server = || {
        let config = Config::default().set("roots", Value::Null).set("toolsets", json!(["guide"]));
        STDIO.launch(Workspace::new(), config, |launch| {
            launch.args(&["--root-dir", &host, "--configdir", directory.to_str().unwrap()])
        })
    };
    let until = Instant::now() + TIME;
    let hammer = |who: &str| {
        let (b, mut written) = (server(), Vec::new());
        while Instant::now() < until {
            let name = format!("{who}-{}", written.len());
            b.value("set_project_flag", flag(&name));
            written.push(name);
        }
        written
    };
    let file = directory.join("config.yaml");
    let look = || {
        let mut looks = 0;
        while Instant::now() < until {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let whole = text.is_empty() || text.ends_with('\n') && text.starts_with("projects:\n");
            let lines = text.lines().skip_while(|line| *line != "    project_flags:").skip(1);
            assert!(whole && lines.into_iter().all(|line| line.ends_with(": true")), "{text}");
            looks += 1;
        }
        looks
    };
    let killed = || {
        while Instant::now() < until {
            let b = server();
            let call = json!({"name": "guide_set_project_flag", "arguments": flag("doomed")});
            let message = b.session.prepare("tools/call", call).to_string();
            b.session.stdio().write(message.as_bytes());
            std::thread::sleep(Duration::from_millis(3));
        }
    };
    let (mut written, looks) = std::thread::scope(|scope| {
        let workers = [scope.spawn(|| hammer("a")), scope.spawn(|| hammer("b"))];
        let looker = scope.spawn(look);
        scope.spawn(killed);
        let written: Vec<String> =
            workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
        (written, looker.join().unwrap())
    });
    let b = server();
    b.value("set_feature_flag", flag("last"));
    assert_eq!(Dir::at(directory.clone()).names(""), ["config.lock", "config.yaml"]);
    let flags = b.value("list_project_flags", json!({"active": false}));
    let mut found: Vec<String> = flags.as_object().unwrap().keys().cloned().collect();
    found.retain(|name| name != "doomed");
    found.sort();
    written.sort();
    assert_eq!(found, written);
    assert!(written.len() > 20 && looks > 100, "{} writes, {looks} looks", written.len());
}
