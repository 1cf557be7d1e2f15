//! The second ring: what the process can still open once it serves, tried from inside.

use crate::harness::*;
use crate::wire_test;
use serde_json::json;
use std::collections::BTreeMap;
use std::process::Command;

/// What a process that serves this configuration gets when it tries to open these paths.
fn probe(config: &Config, workspace: &Workspace, paths: &[&str]) -> BTreeMap<String, String> {
    let file = config.save(workspace);
    let out = Command::new(BINARY)
        .args(["probe", "--config", file.to_str().unwrap()])
        .args(paths)
        .output()
        .expect("run the probe");
    assert!(out.status.success(), "{out:?}");
    let lines = String::from_utf8(out.stdout).unwrap();
    let pair = |line: &str| line.rsplit_once(": ").map(|(a, b)| (a.to_owned(), b.to_owned()));
    lines.lines().filter_map(pair).collect()
}

/// Outside of the roots nothing opens, from a thread of the process itself; inside it does.
#[test]
fn nothing_opens_outside() {
    let workspace = Workspace::new();
    workspace.root("workspace").write("dir/in.txt", "in");
    workspace.outside().write("out.txt", "out");
    workspace.root("workspace").link("way-out", workspace.outside().path("out.txt"));
    let config = Config::roots(&["workspace"]);
    let inside = workspace.root("workspace");
    let refused = [
        "/",
        "/etc",
        "/etc/hostname",
        "/proc/self/environ",
        "/proc/self/root/etc/hostname",
        &workspace.outside().path("out.txt").display().to_string(),
        &workspace.all().path("config.yaml").display().to_string(),
        &inside.path("way-out").display().to_string(),
        &inside.path("../../outside/out.txt").display().to_string(),
    ]
    .map(str::to_owned);
    let file = inside.path("dir/in.txt").display().to_string();
    let mut all: Vec<&str> = refused.iter().map(String::as_str).collect();
    all.extend([inside.host(), &file, BINARY]);
    let mut expected: BTreeMap<String, String> =
        refused.iter().map(|path| (path.clone(), "refused".to_owned())).collect();
    expected.insert(inside.host().to_owned(), "readable".to_owned());
    // Our own program may be read, never changed: a backtrace finds the names of its functions there.
    expected.insert(BINARY.to_owned(), "readable".to_owned());
    expected.insert(file.clone(), "changeable".to_owned());
    assert_eq!(probe(&config, &workspace, &all), expected);
}

/// Without the ring all of that opens: the probe sees the ring and nothing else.
#[test]
fn without_the_ring_all_opens() {
    let workspace = Workspace::new();
    workspace.outside().write("out.txt", "out");
    let config = Config::roots(&["workspace"]).set("landlock", json!("off"));
    let out = workspace.outside().path("out.txt").display().to_string();
    let got = probe(&config, &workspace, &["/", &out]);
    let words: Vec<&str> = got.values().map(String::as_str).collect();
    assert_eq!(words, ["readable", "changeable"]);
}

/// What is not to be changed can not be changed by the process at all.
#[test]
fn read_only_roots_are_read_only_to_the_process() {
    let workspace = Workspace::new();
    let files: Vec<String> = ["fixed", "looked-at", "free"]
        .iter()
        .map(|name| workspace.root(name).write("f", "x").path("f").display().to_string())
        .collect();
    let config = Config::roots(&["fixed"])
        .with("read_only", json!(true))
        .root("looked-at", &["read_file", "grep"])
        .root("free", &["read_file", "write_file"]);
    let paths: Vec<&str> = files.iter().map(String::as_str).collect();
    let got = probe(&config, &workspace, &paths);
    let words: Vec<&str> = files.iter().map(|file| got[file].as_str()).collect();
    assert_eq!(words, ["readable", "readable", "changeable"]);
}

/// What serves says in its log that the ring is closed and was tried; `off` says so too.
wire_test!(
    the_log_says_how_it_stands,
    Config::roots(&["workspace"]).set("landlock", json!("required")),
    |b| {
        let closed = b.server.log.wait_for("the ring", |line| {
            line["msg"] == "landlock: the process can not leave its roots"
        });
        assert_eq!(closed["level"], "INFO");
        assert!(["Full", "Partial"].contains(&text(&closed["ring"])), "{closed}");
    }
);

/// A flag beats the configuration.
#[test]
fn the_flag_beats_the_file() {
    let config = Config::roots(&["workspace"]).set("landlock", json!("required"));
    let b = HTTP.launch(Workspace::new(), config, |launch| launch.args(&["--landlock", "off"]));
    b.server
        .log
        .wait_for("off", |line| line["msg"] == "landlock: off; only the first ring protects");
}

/// All that the tools do to a disk works inside the ring: rename and copy across directories and roots, temporary
/// files, removal of trees, names of owners.
wire_test!(
    tools_work_inside,
    Config::roots(&["one", "two"]).set("landlock", json!("required")),
    |b| {
        let write = at("one", "a/b/f.txt").and("content", "text").and("mode", "create_only");
        b.ok("write_file", write);
        b.ok("move", across("one", "a/b/f.txt", "one", "f.txt"));
        b.ok("move", across("one", "f.txt", "two", "g.txt"));
        b.ok("copy", across("two", "g.txt", "one", "h.txt"));
        b.ok("write_file", at("one", "h.txt").and("content", "new").and("mode", "overwrite"));
        b.ok("write_file", at("one", "h.txt").and("content", "!").and("mode", "append"));
        let owner = b.ok("permissions_file", at("one", "h.txt"))["owner"].clone();
        b.ok("remove_folder", at("one", "a"));
        b.ok("grep", json!({"root": "one", "pattern": "new"}));
        assert_eq!(b.root("one").text("h.txt"), "new!");
        assert_eq!(b.root("one").names("."), ["h.txt"]);
        if rustix::process::getuid().is_root() {
            assert_eq!(owner, "root", "names of users can still be read");
        }
    }
);

/// The guide keeps its configuration outside of the roots: that directory stays open, and nothing beside it.
#[test]
fn the_guide_keeps_its_own_directory() {
    let workspace = Workspace::new();
    workspace.all().write("guide-config/config.yaml", "feature_flags: {}\n");
    workspace.outside().write("out.txt", "out");
    let kept = workspace.all().path("guide-config");
    let config = Config::roots(&["docs"])
        .set("root_dir", json!(workspace.root("project").host()))
        .set("guide", json!({"config_dir": kept}));
    let paths = [kept.join("config.yaml"), workspace.outside().path("out.txt")];
    let paths = paths.map(|path| path.display().to_string());
    let words = |toolsets: serde_json::Value| {
        let config = config.clone().set("toolsets", toolsets);
        let got = probe(&config, &workspace, &paths.each_ref().map(String::as_str));
        paths.each_ref().map(|path| got[path].clone())
    };
    assert_eq!(words(json!(["roots", "guide"])), ["changeable", "refused"]);
    assert_eq!(words(json!(["roots"])), ["refused", "refused"]);
}

/// On a kernel without Landlock `auto` serves and warns, `required` does not start.
#[test]
fn without_landlock_in_the_kernel() {
    let workspace = Workspace::new();
    let file = Config::roots(&["workspace"]).save(&workspace);
    let start = |wanted: &str| {
        Command::new("strace")
            .args(["-f", "-o", "/dev/null", "-e", "inject=landlock_create_ruleset:error=ENOSYS"])
            .args([BINARY, "--transport", "stdio", "--landlock", wanted, "--config"])
            .arg(&file)
            .stdin(std::process::Stdio::null())
            .output()
    };
    let Ok(auto) = start("auto") else {
        eprintln!("strace is needed to take Landlock away: not tested");
        return;
    };
    let (warned, refused) =
        (String::from_utf8_lossy(&auto.stderr).into_owned(), start("required").unwrap());
    assert_eq!(auto.status.code(), Some(0), "{warned}");
    assert!(warned.contains("landlock: not closed; only the first ring protects"), "{warned}");
    assert!(warned.contains("this kernel does not have it"), "{warned}");
    assert_eq!(refused.status.code(), Some(1));
    let sentence = "mcp-filesystem: landlock is required: this kernel does not have it; run a kernel from 5.19 on with Landlock enabled, or set landlock to auto\n";
    assert_eq!(String::from_utf8_lossy(&refused.stderr), sentence);
}

/// The log file lies outside of the roots and still grows.
#[test]
fn the_log_file_still_grows() {
    let workspace = Workspace::new();
    let log = workspace.outside().path("server.log");
    let config = Config::roots(&["workspace"]).set("landlock", json!("required"));
    let flags = ["--log-file".to_owned(), log.display().to_string()];
    let b =
        HTTP.launch(workspace, config, |launch| launch.args(&flags.each_ref().map(String::as_str)));
    b.ok("list_roots", json!({}));
    b.server.log.call_of("list_roots");
    assert!(b.outside().text("server.log").contains("\"tool\":\"list_roots\""));
}
