//! Files as resources: addresses, lists, templates, content, completion, and who may not.

use crate::harness::{self, *};
use crate::http_support::bearing;
use crate::{era_test, files_test, wire_test};
use serde_json::{Value, json};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

fn ask(b: &Bench, method: &str, params: Value) -> Value {
    b.session.request(method, params).unwrap_or_else(|e| panic!("{method}: {e:?}"))
}

/// What is at an address, without its hints for caches.
fn read(b: &Bench, uri: &str) -> Value {
    let got = ask(b, "resources/read", json!({"uri": uri}));
    assert_eq!(items(&got["contents"]).len(), 1, "{got}");
    got["contents"][0].clone()
}

/// The sentence with which an address is refused.
fn refused(b: &Bench, uri: &str) -> String {
    let error = b.session.request("resources/read", json!({"uri": uri})).expect_err(uri);
    let missing = if b.session.era == Era::Modern { -32602 } else { -32002 };
    assert_eq!(error.code, missing, "{uri}: {error:?}");
    assert!(!error.message.contains(b.workspace.all().host()), "{error:?}");
    error.message
}

fn uris(b: &Bench) -> Vec<String> {
    let all = ask(b, "resources/list", json!({}));
    column(&all["resources"], "uri").into_iter().map(str::to_owned).collect()
}

/// The server says what it can, text is text, bytes are bytes, a directory is the list of what is in it.
era_test!(d_f01_content, Config::roots(&["workspace"]), |b| {
    b.ws.write("docs/ä b.md", "# hi\n").write("icon.png", PNG).write("song.mp3", [0xff, 0xfb, 0]);
    b.ws.write("empty.txt", "").mkdir("docs/sub");
    let text = read(b, "mcpfs://workspace/docs/%C3%A4%20b.md");
    let uri = "mcpfs://workspace/docs/%C3%A4%20b.md";
    assert_eq!(text, json!({"uri": uri, "mimeType": "text/markdown", "text": "# hi\n"}));
    let image = read(b, "mcpfs://workspace/icon.png");
    assert_eq!((&image["mimeType"], &image["text"]), (&json!("image/png"), &Value::Null));
    assert_eq!(image["blob"], "iVBORw0KGgoAAAANSUhEUg==");
    assert_eq!(read(b, "mcpfs://workspace/song.mp3")["mimeType"], "audio/mpeg");
    assert_eq!(read(b, "mcpfs://workspace/empty.txt")["text"], "");
    let directory = read(b, "mcpfs://workspace/docs");
    assert_eq!(directory["mimeType"], "inode/directory");
    let children: Value = serde_json::from_str(text_of(&directory)).unwrap();
    assert_eq!(column(&children, "uri"), ["mcpfs://workspace/docs/sub", uri]);
    assert_eq!(column(&children, "mimeType"), ["inode/directory", "text/markdown"]);
});

fn text_of(contents: &Value) -> &str {
    text(&contents["text"])
}

/// What is not there, leads out, or is no file, is refused in a sentence without a host path.
era_test!(d_f01_refusals, Config::roots(&["workspace"]), |b| {
    b.ws.write("main.rs", "").link("out", "../../outside").fifo("pipe");
    b.outside().write("secret.txt", "secret");
    assert!(refused(b, "mcpfs://workspace/man.rs").contains("did you mean main.rs"));
    for uri in ["mcpfs://workspace/out/secret.txt", "mcpfs://workspace/../x"] {
        assert!(refused(b, uri).starts_with("path resolves outside root boundary"), "{uri}");
    }
    assert!(refused(b, "mcpfs://workspace/pipe").contains("pipe"));
    assert!(refused(b, "mcpfs://nowhere/x").starts_with("unknown root: nowhere"));
    for uri in ["file:///etc/passwd", "mcpfs://workspace/%zz", "mcpfs:///main.rs", "nonsense"] {
        refused(b, uri);
    }
});

/// Everything is listed once, in order, page by page; what git ignores or a dot hides is not, but can be read.
era_test!(d_f01_pages, Config::roots(&["a", "b"]), |b| {
    let (a, z) = (b.root("a"), b.root("b"));
    for number in 0..1_200 {
        a.write(format!("d{}/f{number:04}.txt", number % 7), "x");
    }
    z.write("x.rs", "12")
        .write(".hidden", "h")
        .write("target/y", "")
        .write(".gitignore", "target\n");
    let mut cursor = Value::Null;
    let (mut all, mut sizes) = (Vec::new(), Vec::new());
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let page = ask(b, "resources/list", params);
        sizes.push(items(&page["resources"]).len());
        all.extend(items(&page["resources"]).to_vec());
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(sizes, [1_000, 203]);
    let listed: Vec<&str> = all.iter().map(|resource| text(&resource["uri"])).collect();
    let mut expected: Vec<String> =
        (0..1_200).map(|n| format!("mcpfs://a/d{}/f{n:04}.txt", n % 7)).collect();
    expected.push("mcpfs://a".into());
    expected.sort();
    expected.extend(["mcpfs://b".to_owned(), "mcpfs://b/x.rs".to_owned()]);
    assert_eq!(listed, expected);
    let last = all.last().unwrap();
    let rust = json!({"uri": "mcpfs://b/x.rs", "name": "x.rs", "title": "x.rs", "mimeType": "text/x-rust", "size": 2});
    assert_eq!(*last, rust);
    assert_eq!(read(b, "mcpfs://b/.hidden")["text"], "h");
    let bad = b.session.request("resources/list", json!({"cursor": "xyz"})).expect_err("cursor");
    assert_eq!(bad.code, -32602);
});

/// Nothing is listed twice where a page ends with a root.
era_test!(no_root_is_listed_twice, Config::roots(&["a", "b", "c"]), |b| {
    for (root, files) in [("a", 998), ("b", 997), ("c", 1)] {
        for number in 0..files {
            b.root(root).write(format!("{number:03}"), "");
        }
    }
    let (mut all, mut cursor) = (Vec::new(), json!(""));
    while !cursor.is_null() {
        let page = ask(b, "resources/list", json!({"cursor": cursor}));
        assert!(items(&page["resources"]).len() <= 1_000);
        all.extend(column(&page["resources"], "uri").into_iter().map(str::to_owned));
        cursor = page["nextCursor"].clone();
    }
    let all_once: std::collections::BTreeSet<&String> = all.iter().collect();
    assert_eq!((all.len(), all_once.len()), (998 + 997 + 1 + 3, all.len()));
});

/// A root whose files can not be listed in time is no root without files.
era_test!(a_list_that_takes_too_long_is_a_failure, no_time(), |b| {
    b.ws.write("a.txt", "");
    let failed = b.session.request("resources/list", json!({})).expect_err("no time");
    let sentence = "the files of root workspace can not be listed: the time limit was reached";
    assert_eq!(failed.code, -32603);
    assert!(failed.message.starts_with(sentence), "{}", failed.message);
});

fn no_time() -> Config {
    Config::roots(&["workspace"]).set("search_timeout_seconds", json!(0))
}

/// A resource is as large as the operator lets a file be read whole.
#[test]
fn a_resource_keeps_to_the_limit_of_the_tool() {
    let config = Config::roots(&["workspace"]).set("max_full_read_size", json!(100));
    let b = STDIO.with(config);
    b.ws.write("fits.txt", "x".repeat(100)).write("large.txt", "x".repeat(101));
    assert_eq!(text_of(&read(&b, "mcpfs://workspace/fits.txt")).len(), 100);
    assert!(refused(&b, "mcpfs://workspace/large.txt").starts_with("file too large for full read"));
    let b = harness::files::serve(STDIO, Config::default(), &["--max-file-size", "100"]);
    b.ws.write("fits.txt", "x".repeat(100)).write("large.txt", "x".repeat(101));
    assert_eq!(text_of(&read(&b, "mcpfs:///fits.txt")).len(), 100);
    refused(&b, "mcpfs:///large.txt");
}

/// Names of roots and paths are completed; a directory ends with a slash.
era_test!(d_f01_completion, Config::roots(&["web", "work"]), |b| {
    b.root("work").write("src/main.rs", "").write("src/map.rs", "").mkdir("src/macros");
    let complete = |name: &str, value: &str, known: Value| {
        let reference = json!({"type": "ref/resource", "uri": "mcpfs://{root}/{+path}"});
        let argument = json!({"name": name, "value": value});
        let params =
            json!({"ref": reference, "argument": argument, "context": {"arguments": known}});
        ask(b, "completion/complete", params)["completion"].clone()
    };
    let all = |values: Value| json!({"total": values.as_array().unwrap().len(), "hasMore": false, "values": values});
    assert_eq!(complete("root", "w", json!({})), all(json!(["web", "work"])));
    assert_eq!(complete("root", "wo", json!({})), all(json!(["work"])));
    let work = json!({"root": "work"});
    assert_eq!(complete("path", "", work.clone()), all(json!(["src/"])));
    let begun = complete("path", "src/ma", work.clone());
    assert_eq!(begun, all(json!(["src/macros/", "src/main.rs", "src/map.rs"])));
    assert_eq!(complete("path", "../", work), all(json!([])));
    assert_eq!(complete("other", "", json!({})), all(json!([])));
});

/// A root that does not let files be read has no resources; one that can not be searched is not listed.
wire_test!(
    d_f01_allowlists,
    Config::default().root("quiet", &["read_file"]).root("shut", &["list_folder", "glob"]),
    |b| {
        b.root("quiet").write("a.txt", "a");
        b.root("shut").write("b.txt", "b");
        assert_eq!(uris(b), ["mcpfs://quiet"]);
        assert_eq!(read(b, "mcpfs://quiet/a.txt")["text"], "a");
        let sentence = "tool read_file not allowed on root shut";
        assert!(refused(b, "mcpfs://shut/b.txt").starts_with(sentence));
        let record = b.server.log.call_of("roots:resources/read");
        assert_eq!((&record["root"], &record["path"]), (&json!("quiet"), &json!("a.txt")));
    }
);

/// What stands behind the resources is no tool.
wire_test!(d_f01_operations_are_no_tools, |b| {
    b.ws.write("a.txt", "a");
    for name in ["roots:resources/read", "resources/read", "roots:resources/list"] {
        let params = json!({"name": name, "arguments": {"root": "workspace", "path": "a.txt"}});
        assert_eq!(b.session.request("tools/call", params).expect_err(name).code, -32602);
    }
});

/// The one directory of `files` is the root without a name.
files_test!(d_f01_the_one_directory, |b| {
    b.ws.write("notes/a.txt", "a").write("b.json", "{}");
    assert_eq!(uris(b), ["mcpfs:///", "mcpfs:///b.json", "mcpfs:///notes/a.txt"]);
    assert_eq!(read(b, "mcpfs:///notes/a.txt")["text"], "a");
    let templates = ask(b, "resources/templates/list", json!({}));
    assert_eq!(column(&templates["resourceTemplates"], "uriTemplate"), ["mcpfs:///{+path}"]);
    assert_eq!(refused(b, "mcpfs:///nope.txt"), "The specified path does not exist");
    let outside = refused(b, "mcpfs:///../etc/passwd");
    assert_eq!(outside, "Path is outside of the allowed root directory");
});

/// A token opens the resources of its own roots and no others.
#[test]
fn d_f01_tokens() {
    let tokens = json!([
        {"name": "reader", "sha256": sha256(b"reader"), "roots": ["docs"]},
        {"name": "lister", "sha256": sha256(b"lister"), "tools": ["list_folder"]},
    ]);
    let b = HTTP.with(Config::roots(&["docs", "secret"]).set("http", json!({"tokens": tokens})));
    b.root("docs").write("a.txt", "a");
    b.root("secret").write("b.txt", "b");
    let list = |token: &str| {
        let listed = bearing(token, "resources/list", json!({})).send(b.address()).message();
        column(&listed["result"]["resources"], "uri").join(" ")
    };
    assert_eq!(list("reader"), "mcpfs://docs mcpfs://docs/a.txt");
    assert_eq!(list("lister"), "");
    let read = |token: &str, uri: &str| {
        let answer = bearing(token, "resources/read", json!({"uri": uri})).send(b.address());
        answer.message()["error"]["message"].as_str().unwrap_or("read").to_owned()
    };
    assert_eq!(read("reader", "mcpfs://docs/a.txt"), "read");
    assert!(read("reader", "mcpfs://secret/b.txt").starts_with("unknown root: secret"));
    assert!(read("lister", "mcpfs://docs/a.txt").starts_with("tool read_file not allowed"));
}
