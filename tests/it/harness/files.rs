//! A server of toolset `files` on one directory, and the envelope of its failures.

use crate::harness::*;
use serde_json::{Value, json};

pub const OUTSIDE: (&str, &str) =
    ("path_validation_error", "Path is outside of the allowed root directory");
pub const DENIED: (&str, &str) =
    ("permission_denied", "Permission denied to access the specified path");
pub const MISSING: (&str, &str) = ("not_found", "The specified path does not exist");
pub const EXISTS: (&str, &str) =
    ("already_exists", "The file already exists and overwrite is not enabled");

/// Run one body over stdio (handshake era) and over HTTP (stateless era), on a directory of its own.
#[macro_export]
macro_rules! files_test {
    ($name:ident, $body:expr) => {
        $crate::files_test!($name, Config::default(), $body);
    };
    ($name:ident, $config:expr, $body:expr) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn stdio() {
                $crate::harness::files::run_files($crate::harness::STDIO, $config, &[], $body);
            }

            #[test]
            fn http() {
                $crate::harness::files::run_files($crate::harness::HTTP, $config, &[], $body);
            }
        }
    };
}

/// A server on the directory `workspace`, with these flags beside.
pub fn serve(wire: Wire, config: Config, flags: &[&str]) -> Bench {
    start(wire, Workspace::new(), config, |launch| launch.args(flags))
}

/// The same on directories that are there, started in a special way.
pub fn start(
    wire: Wire,
    workspace: Workspace,
    config: Config,
    how: impl FnOnce(Launch) -> Launch,
) -> Bench {
    let home = workspace.root("workspace");
    wire.launch(workspace, config, |launch| {
        how(launch.args(&["--toolset", "files", "--root-dir", home.host()]))
    })
}

/// Start, run the body, and see that the server lived.
pub fn run_files(wire: Wire, config: Config, flags: &[&str], body: impl FnOnce(&Bench)) {
    let mut bench = serve(wire, config, flags);
    body(&bench);
    assert!(bench.server.is_alive(), "the server died:\n{}", bench.server.log.raw().join("\n"));
}

/// The envelope of a call that has to fail: JSON in the text alone, with path and operation.
#[track_caller]
pub fn envelope(b: &Bench, tool: &str, arguments: Value) -> Value {
    let answer = b.call(tool, arguments);
    assert!(answer.is_error, "{tool} should have failed: {}", answer.text);
    assert_eq!(answer.structured, None, "{tool}: a failure has no structuredContent");
    let body: Value = serde_json::from_str(&answer.text)
        .unwrap_or_else(|e| panic!("{tool}: no JSON ({e}): {}", answer.text));
    assert_eq!(body["error"]["details"]["operation"], tool, "{body}");
    assert!(body["error"]["details"]["path"].is_string(), "{body}");
    body
}

/// A call that has to fail with this code and message about this path, and to change nothing anywhere.
#[track_caller]
pub fn refuses(
    b: &Bench,
    tool: &str,
    arguments: Value,
    (code, message): (&str, &str),
    path: &str,
) -> Value {
    let before = b.workspace.all().snapshot();
    let error = envelope(b, tool, arguments)["error"].clone();
    assert_eq!((&error["code"], &error["message"]), (&json!(code), &json!(message)), "{error}");
    assert_eq!(error["details"]["path"], path, "{error}");
    assert_same_tree(&before, &b.workspace.all().snapshot());
    error
}

/// A call that has to fail as `invalid_parameters` with these words, and to change nothing anywhere.
#[track_caller]
pub fn refuses_parameters(b: &Bench, tool: &str, arguments: Value, words: &[&str]) -> String {
    let before = b.workspace.all().snapshot();
    let error = envelope(b, tool, arguments)["error"].clone();
    assert_eq!(error["code"], "invalid_parameters", "{error}");
    let message = text(&error["message"]).to_owned();
    for word in words {
        assert!(message.contains(word), "{word:?} is missing: {message}");
    }
    assert_same_tree(&before, &b.workspace.all().snapshot());
    message
}

/// Arguments of a path alone.
pub fn p(path: &str) -> Value {
    json!({"path": path})
}

/// Arguments of `copy` and `move`.
pub fn from_to(source: &str, destination: &str) -> Value {
    json!({"source": source, "destination": destination})
}
