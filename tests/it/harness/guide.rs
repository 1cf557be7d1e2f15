//! A server of toolset `guide` on a project of its own, and the `Result` that its answers are.

use super::*;
use serde_json::json;

impl Wire {
    /// A server of the guide.
    pub fn guide(self) -> Bench {
        self.guide_on(Workspace::new(), |launch| launch)
    }

    /// A server of the guide on directories that are already there, started in a special way.
    pub fn guide_on(self, workspace: Workspace, how: impl FnOnce(Launch) -> Launch) -> Bench {
        let config = Config::default().set("roots", Value::Null);
        let directory = workspace.all();
        let project = workspace.root("workspace");
        let settings = directory.path("guide-config");
        self.launch(workspace, config, |launch| {
            how(launch
                .args(&["--root-dir", project.host()])
                .args(&["--configdir", settings.to_str().unwrap()])
                .env("MCP_FILESYSTEM_TOOLSET", "guide"))
        })
    }
}

impl Bench {
    /// Call a guide tool by its undecorated name: the whole `Result`, whether success or failure.
    #[track_caller]
    pub fn told(&self, tool: &str, arguments: Value) -> Value {
        told(self.call(&format!("guide_{tool}"), arguments))
    }

    /// The value of a success.
    #[track_caller]
    pub fn value(&self, tool: &str, arguments: Value) -> Value {
        let told = self.told(tool, arguments);
        assert_eq!(told["success"], true, "{tool} failed: {told}");
        told["value"].clone()
    }

    /// The failure of a call, which must be of this type.
    #[track_caller]
    pub fn failure(&self, tool: &str, arguments: Value, error_type: &str) -> Value {
        let told = self.told(tool, arguments);
        assert_eq!(
            (&told["success"], &told["error_type"]),
            (&json!(false), &json!(error_type)),
            "{told}"
        );
        told
    }

    /// The messages about wrong arguments, as `field: message`.
    #[track_caller]
    pub fn complaints(&self, tool: &str, arguments: Value) -> Vec<String> {
        let told = self.failure(tool, arguments, "validation");
        let listed = items(&told["error_data"]["validation_errors"]);
        let expected = format!("Invalid tool arguments: {} validation error(s)", listed.len());
        assert_eq!(told["error"], json!(expected));
        listed.iter().map(|c| format!("{}: {}", text(&c["field"]), text(&c["message"]))).collect()
    }

    /// The guide's own configuration file.
    pub fn guidebook(&self) -> Dir {
        Dir::at(self.workspace.all().path("guide-config"))
    }
}

/// The `Result` in an answer: text and structured part say the same, and `isError` says whether it failed.
#[track_caller]
pub fn told(answer: Answer) -> Value {
    let told: Value = serde_json::from_str(&answer.text)
        .unwrap_or_else(|e| panic!("{}: text is not JSON ({e}): {}", answer.tool, answer.text));
    assert_eq!(answer.structured.as_ref(), Some(&told), "text and structuredContent differ");
    assert_eq!(told["success"], json!(!answer.is_error), "{told}");
    told
}

/// The value of `get_content`.
#[track_caller]
pub fn content_of(b: &Bench, expression: &str) -> Value {
    b.value("get_content", json!({"expression": expression}))
}

/// Run one body against a server of the guide, over stdio and over HTTP.
#[macro_export]
macro_rules! guide_test {
    ($name:ident, $body:expr) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn stdio() {
                $crate::harness::run_guide($crate::harness::STDIO, $body);
            }

            #[test]
            fn http() {
                $crate::harness::run_guide($crate::harness::HTTP, $body);
            }
        }
    };
}

/// Start a server of the guide, run the body, and see that the server lived.
pub fn run_guide(wire: Wire, body: impl FnOnce(&Bench)) {
    let mut bench = wire.guide();
    body(&bench);
    assert!(bench.server.is_alive(), "the server died:\n{}", bench.server.log.raw().join("\n"));
}
