//! What a person reads when the server does not start: the file, the line, the key, and what to write instead.

use crate::harness::*;
use std::io::Read;
use std::process::{Command, Stdio};

/// One root, as the last lines of a configuration.
const ROOT: &str = "roots:\n  - name: w\n    path: /tmp\n    allowed_tools: ['*']\n";

/// What `check` says to a configuration.
fn said(configuration: &str) -> String {
    let workspace = Workspace::new();
    workspace.all().write("bad.yaml", configuration);
    let path = workspace.all().path("bad.yaml");
    let ended = Launch::bare(&["check", "--config", path.to_str().unwrap()]).finish();
    assert_ne!(ended.code, Some(0), "{configuration}");
    ended.stderr.replace(workspace.all().host(), "")
}

/// Each mistake, the line it is on, and the sentence about it.
/// Ledger: C-FR-018.2, C-FR-018.3, C-FR-018.5, C-FR-018.6, C-FR-018.7
#[test]
fn c_fr_018_7_every_mistake_in_a_configuration() {
    let with_root = |text: &str| format!("{text}\n{ROOT}");
    let within_root = |text: &str| format!("{ROOT}    {text}\n");
    let cases = [
        (with_root("port: abc"), 1, "port: expected a whole number from 0 to 65535, got \"abc\""),
        (with_root("port: 99999"), 1, "port: expected a whole number from 0 to 65535, got 99999"),
        (with_root("prot: 8091"), 1, "unknown key prot (did you mean port?); known keys: host, "),
        (
            "roots:\n  - name: w\n    pth: /tmp\n".into(),
            3,
            "roots[0]: unknown key pth (did you mean path?); known keys: name, path, allowed_tools, deny, read_only",
        ),
        ("roots:\n  - path: /tmp\n".into(), 2, "roots[0]: name is missing"),
        ("roots: /tmp\n".into(), 1, "roots: expected a list, got \"/tmp\""),
        ("roots:\n  w: /tmp\n".into(), 2, "roots: expected a list, got keys with values"),
        (
            within_root("read_only: maybe"),
            5,
            "roots[0].read_only: expected true or false, got \"maybe\"",
        ),
        (within_root("allowed_tools: []"), 5, "roots[0]: allowed_tools is there twice"),
        ("roots:\n  - name: w\n    path: ~/x\n".into(), 3, "root \"w\": cannot open ~/x: "),
        ("roots:\n  - name: w\n    path: /nope\n".into(), 3, "root \"w\": cannot open /nope: "),
        (
            "roots:\n  - name: w\n    path: /tmp\n    allowed_tools: [read_fil]\n".into(),
            4,
            "root \"w\": unknown tool \"read_fil\" in allowed_tools (did you mean read_file?); known tools: ",
        ),
        (
            "roots:\n  - name: w\n    path: /tmp\n  - name: w\n    path: /tmp\n".into(),
            4,
            "duplicate root name: w",
        ),
        (with_root("port: 1\nport: 2"), 2, "port is there twice"),
        (with_root("transport: tcp"), 1, "transport: expected stdio or http, got tcp"),
        (
            with_root("log_level: loud"),
            1,
            "log_level: expected error or warn or info or debug or trace, got loud",
        ),
        (with_root("rate_limit: 5"), 1, "rate_limit: expected keys with values, got 5"),
        (
            with_root("rate_limit:\n  calls_per_second: 0"),
            2,
            "rate_limit.calls_per_second: expected a whole number, 1 or more, got 0",
        ),
        (
            with_root("http:\n  tokens:\n    - nme: x"),
            3,
            "http.tokens[0]: unknown key nme (did you mean name?); known keys: name, sha256, file, roots, tools",
        ),
        (
            with_root(
                "http:\n  tokens:\n    - name: t\n      sha256: 0000000000000000000000000000000000000000000000000000000000000000\n      roots: [wrok]",
            ),
            5,
            "token \"t\": unknown root \"wrok\"; known: ",
        ),
        (
            with_root("http:\n  max_connections: lots"),
            2,
            "http.max_connections: expected a whole number, 0 or more, got \"lots\"",
        ),
        (
            with_root("toolsets: [rots]"),
            1,
            "unknown toolset \"rots\" (did you mean roots?); known toolsets: ",
        ),
        (
            with_root("toolsets:\n  - name: files\n    prefx: a"),
            2,
            "toolsets: expected names of toolsets, or entries such as {name: files, prefix: fs}",
        ),
        (
            with_root("max_full_read_size: 1MB"),
            1,
            "max_full_read_size: expected a whole number, 0 or more, got \"1MB\"",
        ),
        (
            with_root("cache:\n  max_byte: 3"),
            2,
            "cache: unknown key max_byte (did you mean max_bytes?); known keys: max_bytes, ",
        ),
        (
            with_root("allowed_hosts: localhost"),
            1,
            "allowed_hosts: expected a list, got \"localhost\"",
        ),
        ("[]\n".into(), 1, "expected keys with values, got a list"),
        ("\tport: 1\n".into(), 1, "a line begins with a tab: indent with spaces"),
    ];
    for (configuration, line, sentence) in cases {
        let expected =
            format!("mcp-filesystem: invalid configuration /bad.yaml, line {line}: {sentence}");
        let said = said(&configuration);
        assert!(said.starts_with(&expected), "{configuration}\n{said}\n{expected}");
    }
}

/// The home directory's short name is the shell's.
#[test]
fn a_tilde_is_not_expanded() {
    let hint = "; ~ is not expanded here: write the whole path";
    let said = said("roots:\n  - name: w\n    path: ~/x\n");
    assert!(said.ends_with(hint), "{said}");
    let ended = Launch::bare(&["check", "--root-dir", "~/x"]).finish();
    assert!(ended.stderr.ends_with(hint), "{}", ended.stderr);
}

/// A directory beside named roots would not be served: that is said, not passed over.
#[test]
fn a_directory_that_would_not_be_served() {
    let workspace = Workspace::new();
    let config = Config::roots(&["workspace"]).save(&workspace);
    let check = |more: &[&str]| {
        let config = config.to_str().unwrap();
        Launch::bare(&["check", "--config", config, "--root-dir", "/tmp"]).args(more).finish()
    };
    let ended = check(&[]);
    assert_eq!(
        (ended.code, ended.stderr.as_str()),
        (
            Some(1),
            "mcp-filesystem: --root-dir /tmp would not be served: toolset roots serves the entries under `roots:` alone; add one for it there, or serve toolset files too (--toolset roots,files:fs)"
        )
    );
    assert_eq!(check(&["--toolset", "roots,files:fs"]).code, Some(0));
}

/// What was typed wrongly, and what to type.
#[test]
fn mistakes_on_the_command_line() {
    let cases: [(&[&str], &str); 9] = [
        (
            &["--config", "c.yaml", "check"],
            "the subcommand 'check' cannot be used with '--config <FILE>'; flags stand behind the command: mcp-filesystem check --config <FILE>",
        ),
        (
            &["/some/dir"],
            "unrecognized subcommand '/some/dir'; to serve a directory: mcp-filesystem --root-dir /some/dir",
        ),
        (&["."], "unrecognized subcommand '.'; to serve a directory: mcp-filesystem --root-dir ."),
        (
            &["check", "/some/dir"],
            "unexpected argument '/some/dir' found; name a directory with --root-dir /some/dir",
        ),
        (&["chekc"], "unrecognized subcommand 'chekc'; did you mean check?"),
        (
            &["serve"],
            "unrecognized subcommand 'serve'; the commands are check, doctor, tools, client-config, completions and man; without one it serves",
        ),
        (&["--root-dri", "x"], "unexpected argument '--root-dri' found; did you mean --root-dir?"),
        (
            &["--port", "abc"],
            "invalid value 'abc' for '--port <PORT>': expected a whole number; try --help",
        ),
        (
            &["--transport", "tcp"],
            "invalid value 'tcp' for '--transport <TRANSPORT>' [possible values: stdio, http]; try --help",
        ),
    ];
    for (typed, sentence) in cases {
        let ended = Launch::bare(typed).finish();
        let expected = format!("mcp-filesystem: {sentence}");
        assert_eq!((ended.code, ended.stderr), (Some(2), expected), "{typed:?}");
    }
}

/// Who reads the first lines and goes away gets no complaint.
#[test]
fn nobody_reads_on() {
    for typed in [&["man"][..], &["doctor"], &["tools"], &["completions", "zsh"], &["--help"]] {
        let mut child = Command::new(BINARY)
            .args(typed)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start");
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).expect("read");
        let status = child.wait().expect("wait");
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""), "{typed:?}");
    }
}

/// The server that runs is no reason for `doctor` to complain; something else on its port is.
#[test]
fn doctor_beside_a_running_server() {
    let mut bench = HTTP.bench();
    let port = bench.address().port().to_string();
    let examined = |port: &str| {
        let config = bench.workspace.all().path("config.yaml");
        let output = Command::new(BINARY)
            .args(["doctor", "--host", "127.0.0.1", "--port", port, "--config"])
            .arg(config)
            .output()
            .expect("run");
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let (fine, text) = examined(&port);
    let running = format!(
        "  ok    a server is running on 127.0.0.1:{port} already, and its /health says ok\n"
    );
    assert!(fine && text.contains(&running), "{text}");
    let other = std::net::TcpListener::bind("127.0.0.1:0").expect("bind");
    let port = other.local_addr().unwrap().port().to_string();
    // Who answers nothing at all is waited for, but not long.
    let (fine, text) = examined(&port);
    assert!(
        !fine && text.contains(&format!("  fail  127.0.0.1:{port} is in use by something else"))
    );
    assert!(bench.server.is_alive());
}
