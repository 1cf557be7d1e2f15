//! A client's own roots narrow what it reaches through every tool, resource and completion, and never widen it.

use crate::harness::*;
use serde_json::{Value, json};

const HANDSHAKE: [Wire; 2] = [STDIO, HTTP_LEGACY];

/// A root `workspace` with an open folder, one beside it, and links that try to get around; and a root `other`.
fn ground() -> Workspace {
    let workspace = Workspace::new();
    workspace.outside().write("secret.txt", "outside");
    workspace.root("other").write("o.txt", "other");
    workspace
        .root("workspace")
        .write("open/a.txt", "needle inside")
        .write("open/deep/b.txt", "needle deep")
        .write("shut/c.txt", "needle shut")
        .write("top.txt", "needle top")
        .link("open/way-out", "../shut/c.txt")
        .link("open/way-out-dir", "../shut")
        .link("shut/way-in", "../open/a.txt")
        .link("alias", "open");
    workspace
}

fn rooted(wire: Wire, roots: impl FnOnce(&Workspace) -> Value) -> Rooted {
    rooted_by(wire, Config::roots(&["workspace", "other"]), roots)
}

fn rooted_by(wire: Wire, config: Config, roots: impl FnOnce(&Workspace) -> Value) -> Rooted {
    let workspace = ground();
    let roots = roots(&workspace);
    Rooted::on(wire, workspace, config, |launch| launch, roots)
}

/// The folder `open` of root `workspace`, as a client would have it.
fn open_folder(workspace: &Workspace) -> Value {
    folders(&[&Dir::at(workspace.root("workspace").path("open"))])
}

const REFUSED: &str = "path is outside the client's own roots: ";

/// Every tool of `roots` works inside the folder and refuses outside, links or not, and nothing outside changes.
#[test]
fn a_folder_narrows_every_tool() {
    for wire in HANDSHAKE {
        let b = rooted(wire, open_folder);
        let shut = b.workspace.all().snapshot();
        for (tool, arguments) in [
            ("list_folder", ws("shut")),
            ("read_file", ws("shut/c.txt")),
            ("read_file", ws("top.txt")),
            ("read_file", ws("open/../shut/c.txt")),
            ("read_file", ws("open/way-out")),
            ("read_file", ws("open/way-out-dir/c.txt")),
            ("read_file", ws("shut/way-in")),
            ("read_file", ws("alias/a.txt")),
            ("write_file", ws("shut/new.txt").and("content", "x").and("mode", "create_only")),
            ("write_file", ws("new.txt").and("content", "x").and("mode", "create_only")),
            ("write_file", ws("open/way-out").and("content", "x").and("mode", "overwrite")),
            ("remove_file", ws("top.txt")),
            ("remove_file", ws("shut/c.txt")),
            ("patch_file", ws("top.txt").and("patch", replace_line(1, "needle top", "x"))),
            ("create_folder", ws("new")),
            ("create_folder", ws("shut/new")),
            ("remove_folder", ws("shut")),
            ("stat_file", ws("top.txt")),
            ("hash_file", ws("top.txt").and("algorithm", "sha256")),
            ("permissions_file", ws("top.txt")),
            ("copy", pair("shut/c.txt", "open/c.txt")),
            ("copy", pair("open/a.txt", "shut/a.txt")),
            ("copy", pair("open/a.txt", "a.txt")),
            ("move", pair("open/a.txt", "a.txt")),
            ("move", pair("shut", "open/shut")),
            ("grep", ws("shut").and("pattern", "needle")),
            ("glob", ws("shut").and("pattern", "**")),
            // The folder itself can not be taken away from under the client.
            ("remove_folder", ws("open")),
            ("move", pair("open", "open/deep/open")),
        ] {
            let said = b.fails(tool, arguments.clone());
            assert!(said.starts_with(REFUSED), "{wire:?} {tool} {arguments}: {said}");
            assert!(said.ends_with("; inside are: open"), "{wire:?} {tool}: {said}");
        }
        assert_same_tree(&shut, &b.workspace.all().snapshot());
        assert_eq!(b.ok("read_file", ws("open/a.txt"))["content"], "needle inside");
        b.ok("write_file", ws("open/new.txt").and("content", "x").and("mode", "create_only"));
        b.ok("move", pair("open/new.txt", "open/newer.txt"));
        b.ok("remove_folder", ws("open/deep"));
        assert_eq!(b.asked(), 1, "{wire:?}");
        let warning = b.server.log.violation_of("list_folder");
        assert_eq!(warning["violation_type"], "outside_client_roots", "{warning}");
    }
}

/// Listings and searches from above see the way to the folder and what is in it, and nothing else.
#[test]
fn listings_and_searches_show_the_folder_alone() {
    for wire in HANDSHAKE {
        let b = rooted(wire, open_folder);
        let top = b.ok("list_folder", ws("."));
        assert_eq!(column(&top["entries"], "name"), ["open"], "{wire:?}");
        let found = b.ok("grep", ws(".").and("pattern", "needle"));
        assert_eq!(column(&found["matches"], "file"), ["open/a.txt", "open/deep/b.txt"]);
        let found = b.ok("glob", ws(".").and("pattern", "**/*.txt"));
        assert_eq!(column(&found["matches"], "path"), ["open/a.txt", "open/deep/b.txt"]);
        // No near name of what is outside.
        let said = b.fails("read_file", ws("open/tp.txt"));
        assert!(said.starts_with("file not found: open/tp.txt"), "{said}");
        assert_eq!(b.ok("list_roots", json!({}))["roots"].as_array().unwrap().len(), 1);
        let said = b.fails("list_folder", at("other", "."));
        assert_eq!(
            said,
            "the directory shares nothing with the client's own roots (root: other); open a folder that lies in it in the client, or have the operator set client_roots: ignore"
        );
    }
}

/// So do resources, completions and subscriptions.
#[test]
fn resources_and_completions_are_narrowed() {
    for wire in HANDSHAKE {
        let b = rooted(wire, open_folder);
        let list = b.request("resources/list", json!({})).expect("a list");
        let expected = ["mcpfs://workspace", "mcpfs://workspace/open/a.txt"];
        assert_eq!(
            column(&list["resources"], "uri"),
            [&expected[..], &["mcpfs://workspace/open/deep/b.txt"]].concat()
        );
        for uri in ["mcpfs://workspace/top.txt", "mcpfs://other/o.txt", "mcpfs://workspace/shut"] {
            let refused = b.request("resources/read", json!({"uri": uri})).expect_err(uri);
            assert!(refused.message.contains("client's own roots"), "{}", refused.message);
            b.request("resources/subscribe", json!({"uri": uri})).expect_err(uri);
        }
        let read = b.request("resources/read", json!({"uri": "mcpfs://workspace/open/a.txt"}));
        assert_eq!(read.expect("content")["contents"][0]["text"], "needle inside");
        let complete = |name: &str, value: &str| {
            let params = json!({
                "ref": {"type": "ref/resource", "uri": "mcpfs://{root}/{+path}"},
                "argument": {"name": name, "value": value},
                "context": {"arguments": {"root": "workspace"}},
            });
            b.request("completion/complete", params).expect("values")["completion"]["values"]
                .clone()
        };
        assert_eq!(complete("root", ""), json!(["workspace"]));
        assert_eq!(complete("path", ""), json!(["open/"]));
        assert_eq!(complete("path", "shut/"), json!([]));
    }
}

/// The client opens another folder, and what it reaches follows.
#[test]
fn a_change_of_roots_is_followed() {
    for wire in HANDSHAKE {
        let b = rooted(wire, open_folder);
        b.fails("read_file", ws("shut/c.txt"));
        b.change_roots(folders(&[&Dir::at(b.ws().path("shut"))]));
        assert_eq!(b.ok("read_file", ws("shut/c.txt"))["content"], "needle shut");
        assert!(b.fails("read_file", ws("open/a.txt")).starts_with(REFUSED));
        b.change_roots(folders(&[&b.ws(), &b.workspace.root("other")]));
        assert_eq!(b.ok("read_file", ws("top.txt"))["content"], "needle top");
        assert_eq!(b.ok("read_file", at("other", "o.txt"))["content"], "other");
        assert_eq!(b.asked(), 3, "{wire:?}");
    }
}

/// A folder above a root leaves it whole; two folders in one root are both open; none reaches beyond the operator's.
#[test]
fn nothing_is_ever_widened() {
    for wire in HANDSHAKE {
        let b = rooted(wire, |w| folders(&[&w.all()]));
        assert_eq!(b.ok("list_roots", json!({}))["roots"].as_array().unwrap().len(), 2);
        b.ok("read_file", ws("top.txt"));
        let said = b.fails("read_file", ws("../../outside/secret.txt"));
        assert!(said.starts_with("path resolves outside root boundary"), "{said}");
        let both = ["open", "shut"].map(|name| Dir::at(b.ws().path(name)));
        b.change_roots(folders(&[&both[0], &both[1], &b.workspace.outside()]));
        b.ok("read_file", ws("open/way-out"));
        let said = b.fails("read_file", ws("top.txt"));
        assert!(said.ends_with("; inside are: open, shut"), "{said}");
        b.change_roots(folders(&[&Dir::at(b.ws().path("open/deep")), &both[0]]));
        let said = b.fails("read_file", ws("top.txt"));
        assert!(said.ends_with("; inside are: open"), "{said}");
    }
}

/// Roots that share nothing with what is served say nothing about it, and the log says that they were left aside.
#[test]
fn roots_elsewhere_lock_nobody_out() {
    for wire in HANDSHAKE {
        let b = rooted(wire, |w| folders(&[&w.outside()]));
        b.ok("read_file", ws("top.txt"));
        let said = b.fails("read_file", ws("../../outside/secret.txt"));
        assert!(said.starts_with("path resolves outside root boundary"), "{said}");
        b.server.log.wait_for("the warning", |line| {
            line["msg"]
                == "the client's own roots share nothing with what is served, and are left aside"
        });
        // A folder that is a part again narrows again.
        b.change_roots(open_folder(&b.workspace));
        b.fails("read_file", ws("top.txt"));
    }
}

/// `strict` takes the client at its word, and `ignore` does not ask.
#[test]
fn the_operator_says_what_they_are_worth() {
    for wire in HANDSHAKE {
        let strict = Config::roots(&["workspace", "other"]).set("client_roots", json!("strict"));
        let b = rooted_by(wire, strict.clone(), |w| folders(&[&w.outside()]));
        let said = b.fails("read_file", ws("top.txt"));
        assert!(said.starts_with("the directory shares nothing with the client's own roots"));
        assert_eq!(b.ok("list_roots", json!({}))["roots"], json!([]));
        b.change_roots(open_folder(&b.workspace));
        b.ok("read_file", ws("open/a.txt"));
        b.change_roots(json!([]));
        b.fails("read_file", ws("open/a.txt"));
        let ignore = strict.set("client_roots", json!("ignore"));
        let b = rooted_by(wire, ignore, open_folder);
        b.ok("read_file", ws("top.txt"));
        assert_eq!(b.asked(), 0);
    }
}

/// What is no directory of this machine is left out with a warning; the rest counts.
#[test]
fn malformed_roots_are_left_out() {
    for wire in HANDSHAKE {
        let bad = ["https://example.org/", "file://elsewhere/x", "file:x", "", "file:///a%00"];
        let b = rooted(wire, |w| {
            let mut roots = open_folder(w).as_array().unwrap().clone();
            roots.extend(bad.map(|uri| json!({"uri": uri})));
            json!(roots)
        });
        b.ok("read_file", ws("open/a.txt"));
        assert!(b.fails("read_file", ws("top.txt")).starts_with(REFUSED));
        for uri in bad {
            let shown = json!(uri).to_string();
            let fits = |line: &Value| line["level"] == "WARN" && line["root"] == shown.as_str();
            b.server.log.wait_for(uri, fits);
        }
        // Entries that are not even roots do not spoil the others.
        let mut roots = open_folder(&b.workspace).as_array().unwrap().clone();
        roots.extend([json!({"uri": 5}), json!("x"), json!({})]);
        b.change_roots(json!(roots));
        assert!(b.fails("read_file", ws("top.txt")).starts_with(REFUSED));
        // No roots at all narrow nothing.
        b.change_roots(json!([]));
        b.ok("read_file", ws("top.txt"));
    }
}

/// A client that does not answer is served all the same, with a warning.
#[test]
fn a_client_that_does_not_tell_is_not_waited_for() {
    let b = rooted(STDIO, |_| Value::Null);
    b.ok("read_file", ws("top.txt"));
    b.server.log.wait_for("the warning", |l| l["msg"] == "the client does not tell its roots");
    b.ok("read_file", ws("top.txt"));
    assert_eq!(b.asked(), 1);
}

/// The stateless era never asks: every call would have to be made twice.
#[test]
fn a_stateless_client_is_not_asked() {
    for wire in [STDIO_MODERN, HTTP] {
        let b = rooted(wire, open_folder);
        b.ok("read_file", ws("top.txt"));
        assert_eq!(b.asked(), 0);
    }
}

/// Two sessions of one server are two clients.
#[test]
fn sessions_are_narrowed_each_for_itself() {
    let b = rooted(HTTP_LEGACY, open_folder);
    b.fails("read_file", ws("top.txt"));
    let Line::Http(line) = &b.session.line else { panic!("HTTP") };
    let line = http::HttpLine::new(line.address, Era::Legacy);
    let other = Session::open(Line::Http(line), Era::Legacy);
    assert_eq!(other.call("read_file", ws("top.txt")).ok()["content"], "needle top");
    b.fails("read_file", ws("top.txt"));
}

/// The one directory of `files` is narrowed like a root, named from its top or from that of the host.
#[test]
fn the_one_directory_is_narrowed() {
    for wire in HANDSHAKE {
        let workspace = ground();
        let (home, roots) = (workspace.root("workspace"), open_folder(&workspace));
        let flags = ["--toolset", "files", "--root-dir", home.host()];
        let how = |launch: Launch| launch.args(&flags);
        let b = Rooted::on(wire, workspace, Config::default(), how, roots);
        assert_eq!(b.ok("read", json!({"path": "open/a.txt"}))["content"], "needle inside");
        let path = home.path("open/a.txt");
        assert_eq!(b.ok("read", json!({"path": path}))["content"], "needle inside");
        let said = b.fails("read", json!({"path": "shut/c.txt"}));
        let said: Value = serde_json::from_str(&said).expect("an envelope");
        assert_eq!(said["error"]["code"], "permission_denied", "{said}");
        assert_eq!(
            said["error"]["details"]["hint"],
            "path is outside the client's own roots: shut/c.txt; inside are: open"
        );
        let listed = b.ok("list", json!({"path": "."}));
        assert_eq!(column(&listed["entries"], "name"), ["open"], "{listed}");
    }
}

/// A subscription ends with the folder that it was in, and comes back with it.
#[test]
fn a_subscription_follows_the_roots() {
    let b = rooted(STDIO, open_folder);
    let uri = "mcpfs://workspace/open/a.txt";
    b.request("resources/subscribe", json!({"uri": uri})).expect("a subscription");
    assert_eq!(b.server.watches(), 1);
    b.change_roots(folders(&[&Dir::at(b.ws().path("shut"))]));
    b.ok("read_file", ws("shut/c.txt"));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while b.server.watches() > 0 {
        assert!(std::time::Instant::now() < until, "still watched");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
