//! The whole road of a call, without a transport and without a log; and the answer's way into JSON.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::BytesCount;
use mcp_filesystem::args::Arguments;
use mcp_filesystem::bridge::Channel;
use mcp_filesystem::call::{Bounds, Call, Kept, Service, Turn};
use mcp_filesystem::doors;
use mcp_filesystem::policy::{Granted, Policy, Principal, TOOL_NAMES};
use mcp_filesystem::toolsets::{Examples, Registry, Selection, Toolset};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::ground::Ground;

fn registry() -> Registry {
    let (toolset, prefix) = (Toolset::Roots, String::new());
    Registry::new(&[Selection { toolset, prefix, examples: Examples::LeftOut }]).unwrap()
}

fn service(ground: &Ground) -> Arc<Service> {
    let allowed = TOOL_NAMES.map(str::to_owned).into_iter().collect();
    let policy = Policy::new(vec![Granted::new(ground.root(), allowed, false)], None);
    Arc::new(Service::new(registry(), policy, Bounds::default(), true))
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

fn arguments(value: Value) -> Arguments {
    serde_json::from_value(value).unwrap()
}

fn call(tool: &str, arguments: Arguments) -> Call {
    Call {
        tool: tool.to_owned(),
        arguments,
        client: "bench 1.0".to_owned(),
        principal: Arc::new(Principal::anyone()),
        caller: "bench".to_owned(),
        cancelled: CancellationToken::new(),
        progress: None,
        channel: Channel::Closed,
        returned: None,
        kept: Kept::default(),
    }
}

/// Call `tool` again and again; it must fail or not as `fails` says.
fn road(bencher: Bencher<'_, '_>, tool: &str, given: Value, fails: bool) {
    let ground = Ground::new().with_file("file.txt", &[b'x'; 1024]);
    let (service, runtime) = (service(&ground), runtime());
    bencher.with_inputs(|| call(tool, arguments(given.clone()))).bench_values(|call| {
        let turn = runtime.block_on(service.call(call)).unwrap();
        assert!(matches!(&turn, Turn::Done(answer) if answer.is_error == fails), "{turn:?}");
        turn
    });
}

#[divan::bench]
fn list_roots(bencher: Bencher<'_, '_>) {
    road(bencher, "list_roots", json!({}), false);
}

#[divan::bench]
fn stat_file(bencher: Bencher<'_, '_>) {
    road(bencher, "stat_file", json!({"root": "bench", "path": "file.txt"}), false);
}

#[divan::bench]
fn stat_file_absent(bencher: Bencher<'_, '_>) {
    road(bencher, "stat_file", json!({"root": "bench", "path": "absent.txt"}), true);
}

#[divan::bench]
fn read_file(bencher: Bencher<'_, '_>) {
    road(bencher, "read_file", json!({"root": "bench", "path": "file.txt"}), false);
}

#[divan::bench]
fn read_file_outside(bencher: Bencher<'_, '_>) {
    road(bencher, "read_file", json!({"root": "bench", "path": "../file.txt"}), true);
}

#[divan::bench]
fn read_file_wrong_arguments(bencher: Bencher<'_, '_>) {
    road(bencher, "read_file", json!({"root": "bench", "file": 7}), true);
}

/// What a tool found, as the text of the answer: lines with the characters that JSON escapes.
#[divan::bench(args = [1 << 10, 1 << 20])]
fn answer_as_json(bencher: Bencher<'_, '_>, bytes: usize) {
    let registry = registry();
    let tool = registry.get("read_file").unwrap();
    let content = "let text = \"a line\";\n".repeat(bytes / 21);
    let value = json!({"content": content, "size": bytes});
    let made = bencher.counter(BytesCount::new(bytes)).with_inputs(|| value.clone());
    made.bench_values(|value| doors::answer(tool, value));
}
