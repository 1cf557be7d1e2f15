//! The guide's tools as clients see them: names, prefixes, descriptions.

use crate::guide_test;
use crate::harness::*;
use serde_json::{Value, json};

const TOOLS: [&str; 10] = [
    "get_content",
    "set_project_flag",
    "get_project_flag",
    "list_project_flags",
    "set_feature_flag",
    "get_feature_flag",
    "list_feature_flags",
    "create_document",
    "update_document",
    "delete_document",
];
const SECTIONS: [&str; 6] = [
    "## Description\n\n",
    "## JSON Schema\n\n```json\n",
    "## Usage Instructions\n\n```text\n",
    "## Concrete Examples\n\n",
    "## Arguments\n\n",
    "## Security Notes\n\n- ",
];

fn names(b: &Bench) -> Vec<String> {
    b.session.tools().iter().map(|tool| text(&tool["name"]).to_owned()).collect()
}

fn started(variables: &[(&str, &str)]) -> Bench {
    STDIO.guide_on(Workspace::new(), |launch| {
        variables.iter().fold(launch, |launch, (name, value)| launch.env(name, value))
    })
}

/// The body of a section, up to the next one.
fn section<'d>(description: &'d str, heading: &str) -> &'d str {
    let start = description.find(heading).unwrap_or_else(|| panic!("no {heading}:\n{description}"));
    let body = &description[start + heading.len()..];
    body.split("\n\n## ").next().unwrap()
}

/// Every tool is there once, under the usual prefix.
/// Ledger: E-015, E-018, E-019, E-024, E-025, E-026, E-028, E-036, E-037, E-041
guide_test!(e_026_names, |b| {
    let listed = names(b);
    for tool in TOOLS {
        let name = format!("guide_{tool}");
        assert_eq!(listed.iter().filter(|n| **n == name).count(), 1, "{name} in {listed:?}");
    }
    assert!(listed.iter().all(|name| name.starts_with("guide_")), "{listed:?}");
    let params = json!({"name": "get_content", "arguments": {"expression": "x"}});
    let error = b.session.request("tools/call", params).expect_err("an undecorated name");
    assert_eq!(error.code, -32602);
});

/// The user's prefix is kept; empty means none.
/// Ledger: E-016, E-018, E-027
#[test]
fn e_027_the_users_prefix() {
    let b = started(&[("MCP_TOOL_PREFIX", "x")]);
    assert!(names(&b).contains(&"x_get_content".to_owned()), "{:?}", names(&b));
    b.ws.write(".guide/lang/a.md", "A");
    assert_eq!(told(b.call("x_get_content", json!({"expression": "lang"})))["value"], "A");
    let b = started(&[("MCP_TOOL_PREFIX", "")]);
    assert_eq!(names(&b)[..2], ["get_content", "set_project_flag"]);
}

/// Flag goes before environment, environment before YAML, YAML before the default.
/// Ledger: E-018, E-027
#[test]
fn e_027_where_the_prefix_comes_from() {
    let first = |config: Config, args: &[&str], variable: Option<&str>| {
        let workspace = Workspace::new();
        let project = workspace.root("workspace");
        let config = config.set("roots", Value::Null);
        let b = STDIO.launch(workspace, config, |launch| {
            let launch = launch.args(&["--root-dir", project.host()]).args(args);
            variable.into_iter().fold(launch, |l, value| l.env("MCP_TOOL_PREFIX", value))
        });
        names(&b)[0].clone()
    };
    let listed = || Config::default().set("toolsets", json!([{"name": "guide", "prefix": "y"}]));
    let section =
        || Config::default().set("toolsets", json!(["guide"])).set("guide", json!({"prefix": "s"}));
    assert_eq!(first(listed(), &[], None), "y_get_content");
    assert_eq!(first(section(), &[], None), "s_get_content");
    assert_eq!(first(listed(), &[], Some("e")), "e_get_content");
    assert_eq!(first(section(), &[], Some("e")), "e_get_content");
    assert_eq!(first(listed(), &["--toolset", "guide:f"], Some("e")), "f_get_content");
    assert_eq!(first(listed(), &["--toolset", "guide:"], None), "get_content");
    assert_eq!(first(Config::default(), &["--toolset", "guide"], None), "guide_get_content");
}

/// The example tool is there only on the word true.
/// Ledger: E-030, E-031
#[test]
fn e_030_the_example_tool_on_request() {
    let has = |b: &Bench| names(b).contains(&"guide_example_tool".to_owned());
    assert!(has(&started(&[("MCP_INCLUDE_EXAMPLE_TOOLS", "true")])));
    assert!(has(&started(&[("MCP_INCLUDE_EXAMPLE_TOOLS", "TRUE")])));
    for word in ["false", "1", "yes", ""] {
        assert!(!has(&started(&[("MCP_INCLUDE_EXAMPLE_TOOLS", word)])), "{word}");
    }
    assert!(!has(&started(&[])));
}

/// What the example tool shows.
/// Ledger: E-032, E-007
#[test]
fn e_032_the_example_tool() {
    let b = started(&[("MCP_INCLUDE_EXAMPLE_TOOLS", "true")]);
    let told = b.told("example_tool", json!({"action": "demo"}));
    assert_eq!(told["value"]["action"], "demo");
    assert_eq!(told["value"]["message"], "Hello, World!");
    assert_eq!(items(&told["value"]["conventions_demonstrated"]).len(), 5);
    assert!(text(&told["instruction"]).starts_with("This is an example tool."), "{told}");
    assert_ne!(told["instruction"], told["message"]);
    let told = b.told("example_tool", json!({"action": "test", "message": "x"}));
    assert_eq!(
        (&told["value"]["action"], &told["value"]["message"]),
        (&json!("test"), &json!("x"))
    );
    assert_eq!(
        b.complaints("example_tool", json!({"action": "run"})),
        ["action: action: expected one of demo, test, validate, got run"]
    );
    let tools = b.session.tools();
    let tool = tools.iter().find(|tool| tool["name"] == "guide_example_tool").unwrap();
    let expected = "- **action** (required): enum: 'demo', 'test', 'validate'\n  - What to show: demo, test or validate\n- **message** (optional): string, default \"Hello, World!\"\n  - Text to echo, any string";
    assert_eq!(section(text(&tool["description"]), "## Arguments\n\n"), expected);
}

/// Every description has its sections, labelled and in order, and a short first line.
/// Ledger: E-010, E-011, E-029, E-045, E-052, E-053, E-058
guide_test!(e_045_sections, |b| {
    for tool in b.session.tools() {
        let description = text(&tool["description"]);
        let mut at = 0;
        for heading in SECTIONS {
            let found = description[at..].find(heading);
            at += found.unwrap_or_else(|| panic!("no {heading:?} behind {at}:\n{description}"));
        }
        let first = section(description, SECTIONS[0]).lines().next().unwrap();
        assert!(first.len() <= 50 && !first.ends_with('.'), "{first}");
        assert!(!section(description, SECTIONS[2]).trim().is_empty(), "{description}");
    }
});

/// Every conversation pays for the list: it stays within bounds, and says nothing twice that it need not.
guide_test!(the_list_stays_small, |b| {
    let tools = b.session.tools();
    let bytes = json!(tools).to_string().len();
    assert!(bytes < 56_000, "{bytes} bytes");
    for tool in tools {
        let schema = tool["outputSchema"].to_string();
        assert!(!schema.contains("description"), "words in {schema}");
    }
});

/// The schema in the description is the advertised one.
/// Ledger: E-057
guide_test!(e_057_the_schema_is_the_advertised_one, |b| {
    for tool in b.session.tools() {
        let body = section(text(&tool["description"]), SECTIONS[1]);
        let shown: Value = serde_json::from_str(body.trim_end_matches("\n```")).expect("JSON");
        assert_eq!(shown, tool["inputSchema"], "{}", tool["name"]);
    }
});

/// Every field is described in the schema and listed with what it needs.
/// Ledger: E-010, E-047, E-056
guide_test!(e_047_every_field_is_described, |b| {
    for tool in b.session.tools() {
        let listed = section(text(&tool["description"]), SECTIONS[4]);
        let required = tool["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        let properties = tool["inputSchema"].get("properties").and_then(Value::as_object);
        for (name, rule) in properties.into_iter().flatten() {
            let meaning = text(&rule["description"]);
            assert!(meaning.len() > 10, "{name}: {meaning}");
            let need = if required.contains(&json!(name)) { "required" } else { "optional" };
            assert!(listed.contains(&format!("- **{name}** ({need}): ")), "{name}: {listed}");
            assert!(listed.contains(meaning), "{name}: {listed}");
        }
    }
});

/// The examples have real values, say what they show, and are calls that the server takes.
/// Ledger: E-051, E-059
guide_test!(e_059_examples_can_be_called, |b| {
    for tool in b.session.tools() {
        let name = text(&tool["name"]);
        let examples = section(text(&tool["description"]), SECTIONS[3]);
        assert!(!examples.contains('<'), "a placeholder: {examples}");
        let parts: Vec<&str> = examples.split("```").collect();
        assert!(parts.len() >= 3, "{examples}");
        for pair in parts.chunks_exact(2) {
            assert!(pair[0].trim().ends_with(':'), "not explained: {pair:?}");
            let call: Value = serde_json::from_str(pair[1].trim_start_matches("json")).unwrap();
            assert_eq!(format!("guide_{}", text(&call["name"])), name);
            let told = told(b.call(name, call["arguments"].clone()));
            assert_eq!(told["error_data"].get("validation_errors"), None, "{call}: {told}");
        }
    }
});

/// Descriptions speak of tools without their prefix.
/// Ledger: E-035
guide_test!(e_035_undecorated_names, |b| {
    for tool in b.session.tools() {
        assert!(!text(&tool["description"]).contains("guide_"), "{tool}");
    }
});

/// So do the pages and the templates.
/// Ledger: E-035
#[test]
fn e_035_undecorated_names_in_pages() {
    let pages = [
        "docs/guide.md",
        "docs/reference/guide.md",
        "src/toolsets/guide/README.md",
        "src/toolsets/guide/prompts/README.md",
    ];
    for page in pages {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        assert!(!std::fs::read_to_string(path).unwrap().contains("guide_"), "{page}");
    }
}

/// The tools that need consent say so and say why.
/// Ledger: E-034
guide_test!(e_034_consent_is_announced, |b| {
    for tool in b.session.tools() {
        let description = text(&tool["description"]);
        let is_document = text(&tool["name"]).ends_with("_document");
        for words in ["REQUIRES EXPLICIT USER INSTRUCTION", "frivolously", "user intent"] {
            assert_eq!(description.contains(words), is_document, "{}: {words}", tool["name"]);
        }
    }
});

/// Hints are honest.
guide_test!(dec_33_honest_annotations, |b| {
    for tool in b.session.tools() {
        let name = text(&tool["name"]).trim_start_matches("guide_").to_owned();
        let reads = ["get_", "request_"].iter().any(|verb| name.starts_with(verb))
            || name.ends_with("_flags")
            || name == "cache_stats";
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], json!(reads), "{name}");
        assert_eq!(hints["destructiveHint"], json!(!reads), "{name}");
    }
});

/// The server calls itself by the guide's name.
#[test]
fn dec_24_server_identity() {
    let b = HTTP.guide();
    let discovered = b.session.request("server/discover", json!({})).expect("server/discover");
    assert!(discovered.to_string().contains("\"mcp-guide\""), "{discovered}");
}

/// The templates are there, and every tool and prompt points to its own.
/// Ledger: E-048, E-054, E-055
#[test]
fn e_048_templates() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/toolsets/guide");
    let template = std::fs::read_to_string(directory.join("README.md")).unwrap();
    for heading in SECTIONS {
        assert!(template.contains(heading.lines().next().unwrap()), "{heading}");
    }
    let prompts = std::fs::read_to_string(directory.join("prompts/README.md")).unwrap();
    for words in ["## Description", "## Conceptual Schema", "@weather", "*args"] {
        assert!(prompts.contains(words), "{words}");
    }
    let prompt = std::fs::read_to_string(directory.join("prompts/guide.rs")).unwrap();
    assert!(prompt.contains("// Description: see README.md in this directory."));
    for entry in std::fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        if path.extension().is_some_and(|e| e == "rs") && source.contains("\nimpl Tool for ") {
            assert!(
                source.contains("// Description: see README.md in this directory."),
                "{} points to no template",
                path.display()
            );
        }
    }
}

/// Beside named roots each toolset keeps its own face.
/// Ledger: E-019, E-027
#[test]
fn e_027_beside_another_toolset() {
    let workspace = Workspace::new();
    let project = workspace.root("project");
    project.write(".guide/lang/a.md", "A");
    let config = Config::roots(&["workspace"]).set("toolsets", json!(["roots", "guide"]));
    let b = HTTP.launch(workspace, config, |launch| launch.args(&["--root-dir", project.host()]));
    assert_eq!(content_of(&b, "lang"), "A");
    let sentence = b.fails("read_file", ws("ghost"));
    assert!(sentence.starts_with("file not found: ghost"), "{sentence}");
    assert!(b.session.request("prompts/list", json!({})).is_ok());
    let wrapped = b.fails("read_file", json!({"args": ws("ghost")}));
    assert!(wrapped.contains("unknown argument: args"), "{wrapped}");
}

/// Two tools of one name: the server says how to tell them apart and does not start.
/// Ledger: E-027
#[test]
fn e_027_a_clash_is_refused() {
    let ended = Launch::bare(&["check", "--toolset", "guide:x,guide:x"]).finish();
    assert_ne!(ended.code, Some(0));
    assert!(ended.stderr.contains("two tools are named x_get_content"), "{}", ended.stderr);
}
