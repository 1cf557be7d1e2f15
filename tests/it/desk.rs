//! What a person at a desk meets: `doctor`, completions, the manual page, log lines to be read.

use crate::harness::*;
use serde_json::{Value, json};
use std::process::{Command, Output};

fn run_with(arguments: &[&str]) -> Output {
    Command::new(BINARY).args(arguments).output().expect("run the binary")
}

fn printed(arguments: &[&str]) -> String {
    let output = run_with(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A machine in order: every check is named, and nothing has to be mended.
#[test]
fn doctor_finds_everything_in_order() {
    let workspace = Workspace::new();
    let config =
        Config::roots(&["workspace"]).set("host", json!("127.0.0.1")).set("port", json!(0));
    let file = config.save(&workspace);
    let told = printed(&["doctor", "--config", file.to_str().unwrap()]);
    for part in [
        "configuration\n  ok    ",
        "can listen on 127.0.0.1:0",
        "directories\n  ok    workspace: ",
        "kernel\n  ok    Linux ",
        "limits\n",
        "open files",
        "watched directories",
    ] {
        assert!(told.contains(part), "no {part:?} in:\n{told}");
    }
    assert!(!told.contains("fail"), "{told}");
    assert!(workspace.root("workspace").names(".").is_empty(), "nothing is left behind");
}

/// What does not work is told, the rest is checked all the same, and the exit code says so.
#[test]
fn doctor_tells_what_to_mend() {
    let workspace = Workspace::new();
    let config = Config::roots(&["workspace"]).with("path", json!("/nonexistent/there"));
    let file = config.save(&workspace);
    let output = run_with(&["doctor", "--config", file.to_str().unwrap()]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let path = file.display();
    let sentence = format!(
        "  fail  invalid configuration {path}, line 6: root \"workspace\": cannot open /nonexistent/there"
    );
    assert!(told.contains(&sentence), "{told}");
    assert!(told.contains("kernel\n  ok    Linux ") && told.contains("1 must be mended"), "{told}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let file = Config::roots(&["workspace"]).save(&workspace);
    let flags =
        ["doctor", "--config", file.to_str().unwrap(), "--host", "127.0.0.1", "--port", &port];
    let output = run_with(&flags);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(
        told.contains(&format!("  fail  127.0.0.1:{port} is in use by something else")),
        "{told}"
    );
}

/// Completions and the manual page come from the flags themselves.
#[test]
fn completions_and_manual() {
    for (shell, part) in [
        ("bash", "complete -F _mcp__filesystem"),
        ("zsh", "#compdef mcp-filesystem"),
        ("fish", "complete -c mcp-filesystem"),
    ] {
        let script = printed(&["completions", shell]);
        assert!(script.contains(part) && script.contains("root-dir"), "{shell}:\n{script}");
    }
    let page = printed(&["man"]);
    assert!(page.contains(".TH mcp-filesystem 1") && page.contains("\\-\\-root\\-dir"), "{page}");
}

/// Log lines for people: one per call, never two; programs get JSON.
#[test]
fn log_lines_for_people() {
    let b = STDIO.launch(Workspace::new(), Config::roots(&["workspace"]), |launch| {
        launch.args(&["--log-format", "human"])
    });
    b.fails("read_file", json!({"root": "workspace", "path": "a\nb c"}));
    let is_call = |line: &Value| line.as_str().is_some_and(|line| line.contains("tool call"));
    b.server.log.wait_for("the call", is_call);
    let lines = b.server.log.raw();
    let calls: Vec<&String> = lines.iter().filter(|line| line.contains("tool call")).collect();
    assert_eq!(calls.len(), 1, "{lines:?}");
    let expected = " INFO  tool call tool=read_file root=workspace path=\"a\\nb c\" outcome=error";
    assert!(calls[0][8..].starts_with(expected), "{}", calls[0]);
    assert!(!calls[0].contains('\x1b'), "no colours but on a terminal");
}
