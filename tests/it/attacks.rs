//! One corpus of attacks on every path argument of every tool that `tools/list` shows, so that a new tool is attacked
//! the day it is added.

use crate::files_test;
use crate::harness::*;
use serde_json::{Map, Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// What stands outside and must not come in, nor change.
const SECRET: &str = "TOP-SECRET-OUTSIDE";

/// Arguments that are paths, in any toolset.
const PATHS: [&str; 12] = [
    "path",
    "source_path",
    "dest_path",
    "source",
    "destination",
    "root_path",
    "category",
    "name",
    "expression",
    "pattern",
    "glob_filter",
    "file_pattern",
];

fn arena(b: &Bench) {
    let outside = b.outside();
    outside.write("secret.txt", SECRET).write("folder/deep.txt", SECRET);
    let host = |name: &str| outside.path(name);
    b.ws.write("inside.txt", "inside\n").write("folder/inner.txt", "inside\n");
    b.ws.write("docs/page.md", "inside\n").write(".guide/lang/python.md", "inside\n");
    b.ws.link("out", host(""))
        .link("out-file", host("secret.txt"))
        .link("chain", "chain2")
        .link("chain2", "out")
        .link("loop", "loop2")
        .link("loop2", "loop")
        .link("dangling-out", host("not-there.txt"))
        .link("up", "../../outside")
        .link("magic", "/proc/self/root")
        .link("cwd", "/proc/self/cwd");
    b.ws.link("docs/out", host("")).link(".guide/lang/out.md", host("secret.txt"));
    b.ws.link("caf\u{e9}", host("")).link("stra\u{df}e", host("secret.txt"));
    oddities(b);
}

/// What is no ordinary file, and names that are no text. The other name of a hard link is outside, and must stay as it is.
fn oddities(b: &Bench) {
    b.outside().write("other-name.txt", "linked\n");
    b.ws.mkdir("odd").fifo("odd/pipe");
    std::fs::hard_link(b.outside().path("other-name.txt"), b.ws.path("odd/hard.txt")).unwrap();
    drop(std::os::unix::net::UnixListener::bind(b.ws.path("odd/socket")).unwrap());
    if rustix::process::getuid().is_root() {
        run("mknod", &[b.ws.path("odd/device").to_str().unwrap(), "c", "1", "5"]);
    }
    let raw = b.ws.path("odd").join(OsStr::from_bytes(b"folder-\xff"));
    std::fs::create_dir(&raw).unwrap();
    std::fs::write(raw.join(OsStr::from_bytes(b"no-\xc3\x28-text")), "inside\n").unwrap();
    std::os::unix::fs::symlink(b.outside().path(""), raw.join("out")).unwrap();
}

/// Whether all that the attacks are about is still there.
fn is_intact(b: &Bench) -> bool {
    let names =
        ["out-file", "folder/inner.txt", "odd/pipe", "odd/hard.txt", "odd/socket", "caf\u{e9}"];
    let raw = b.ws.path("odd").join(OsStr::from_bytes(b"folder-\xff/no-\xc3\x28-text"));
    names.iter().all(|name| b.ws.has(name)) && raw.exists()
}

/// Ways to name what is outside. `{host}` is where it is.
fn attacks(host: &str) -> Vec<String> {
    let mut all: Vec<String> = [
        "../outside/secret.txt",
        "../../outside/secret.txt",
        "folder/../../../outside/secret.txt",
        "..",
        "../",
        "/../../outside/secret.txt",
        "./.././../outside/secret.txt",
        "folder//..//..//..//outside//secret.txt",
        "out",
        "out/secret.txt",
        "out/folder/deep.txt",
        "out/new.txt",
        "out-file",
        "chain/secret.txt",
        "loop",
        "loop/x",
        "dangling-out",
        "up/secret.txt",
        "magic/etc/passwd",
        "magic/proc/self/environ",
        "cwd/secret.txt",
        "/proc/self/root/etc/passwd",
        "/proc/self/environ",
        "/dev/stdin",
        "/etc/passwd",
        "~/secret.txt",
        "$HOME/secret.txt",
        "..\\outside\\secret.txt",
        "%2e%2e%2foutside%2fsecret.txt",
        "..%2foutside%2fsecret.txt",
        "..%c0%afoutside%c0%afsecret.txt",
        "\u{2024}\u{2024}/outside/secret.txt",
        "\u{ff0e}\u{ff0e}/outside/secret.txt",
        "..\u{2215}outside\u{2215}secret.txt",
        "OUT/secret.txt",
        "out\u{200b}/secret.txt",
        "o\u{75}\u{34f}t/secret.txt",
        "caf\u{e9}/secret.txt",
        "cafe\u{301}/secret.txt",
        "CAF\u{c9}/secret.txt",
        "stra\u{df}e",
        "STRASSE",
        "odd",
        "odd/pipe",
        "odd/socket",
        "odd/device",
        "odd/hard.txt",
        "odd/folder-\u{fffd}",
        "odd/folder-\u{fffd}/out/secret.txt",
        "odd/**",
        "inside.txt\0.png",
        "\0",
        "inside.txt\n../outside/secret.txt",
        "\u{1b}[2Jinside.txt",
        "docs/out/secret.txt",
        "docs/../../outside/secret.txt",
        "lang/out",
        "lang/../../../../outside/*",
        "file:///etc/passwd",
        "",
        ".",
        "/",
        "*",
        "**",
        "../**",
    ]
    .map(str::to_owned)
    .into();
    all.extend([
        format!("{host}/secret.txt"),
        format!("{host}/../outside/secret.txt"),
        format!("file://{host}/secret.txt"),
        "a".repeat(5_000),
        "../".repeat(500),
        "folder/../".repeat(400) + "../../outside/secret.txt",
    ]);
    all
}

/// Arguments that a tool would accept, made from its schema.
fn plausible(schema: &Value) -> Map<String, Value> {
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    required.map(|name| (name.to_owned(), plausible_value(name, &properties[name]))).collect()
}

fn plausible_value(name: &str, rule: &Value) -> Value {
    if let Some(first) =
        rule["enum"].as_array().and_then(|options| options.first()).or(rule.get("const"))
    {
        return first.clone();
    }
    match (name, rule["type"].as_str()) {
        ("root" | "source_root" | "dest_root", _) => json!("workspace"),
        ("patch", _) => json!("@@ -0,0 +1 @@\n+planted\n"),
        ("content", _) => json!("planted\n"),
        (_, Some("integer")) => json!(1),
        (_, Some("boolean")) => json!(true),
        (_, Some("array")) => json!([]),
        (_, Some("object")) => json!({}),
        (name, _) if PATHS.contains(&name) => json!("inside.txt"),
        _ => json!("x"),
    }
}

/// Attack every path argument of every tool; how many attacks there were. Each that got out ends the test.
fn attack_everything(b: &Bench) -> usize {
    let tried = attack_tools(b);
    let transport = b.wire.transport;
    eprintln!("{tried} attacks on {} tools over {transport:?}, 0 got out", b.session.tools().len());
    tried
}

fn attack_tools(b: &Bench) -> usize {
    arena(b);
    let before = b.outside().snapshot();
    let corpus = attacks(b.outside().host());
    let mut tried = 0;
    for tool in b.session.tools() {
        let name = text(&tool["name"]);
        let none = Map::new();
        let properties = tool["inputSchema"]["properties"].as_object().unwrap_or(&none).clone();
        for argument in properties.keys().filter(|argument| PATHS.contains(&argument.as_str())) {
            for attack in &corpus {
                let mut arguments = plausible(&tool["inputSchema"]);
                arguments.insert(argument.clone(), json!(attack));
                judge(b, name, Value::Object(arguments));
                tried += 1;
            }
            assert_same_tree(&before, &b.outside().snapshot());
            if !is_intact(b) {
                b.ws.clear();
                arena(b);
            }
        }
    }
    tried
}

/// The answer is a tool's answer, and says nothing of what is outside.
fn judge(b: &Bench, tool: &str, arguments: Value) {
    let reply = b.session.request("tools/call", json!({"name": tool, "arguments": arguments}));
    let result =
        reply.unwrap_or_else(|error| panic!("{tool} {arguments}: protocol error {error:?}"));
    let told = result.to_string();
    assert!(!told.contains(SECRET), "{tool} {arguments} brought the outside in: {told}");
    assert!(!told.contains("root:x:0:0"), "{tool} {arguments} read the password file: {told}");
}

/// Named roots.
/// Ledger: C-NFR-010, C-NFR-006
#[test]
fn c_nfr_010_every_path_argument_of_roots_is_attacked() {
    for wire in [STDIO, HTTP] {
        let mut b = wire.bench();
        let tried = attack_everything(&b);
        assert!(tried > 900, "only {tried} attacks");
        assert!(b.server.is_alive());
    }
}

/// The guide.
/// Ledger: B-023, E-033
#[test]
fn b_023_every_path_argument_of_guide_is_attacked() {
    for wire in [STDIO, HTTP] {
        let mut b = wire.guide();
        let tried = attack_everything(&b);
        assert!(tried > 200, "only {tried} attacks");
        assert!(b.server.is_alive());
    }
}

files_test!(d_e01_every_path_argument_of_files_is_attacked, |b| {
    let tried = attack_everything(b);
    assert!(tried > 400, "only {tried} attacks");
});
