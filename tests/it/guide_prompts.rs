//! The guide's prompt and resource template.

use crate::guide_test;
use crate::harness::*;
use serde_json::{Value, json};

fn prompt(b: &Bench, arguments: Value) -> Value {
    let params = json!({"name": "guide", "arguments": arguments});
    let got = b.session.request("prompts/get", params).expect("prompts/get");
    let messages = items(&got["messages"]);
    assert_eq!(messages.len(), 1, "{got}");
    assert_eq!(
        (&messages[0]["role"], &messages[0]["content"]["type"]),
        (&json!("user"), &json!("text"))
    );
    serde_json::from_str(text(&messages[0]["content"]["text"])).expect("a Result")
}

/// The prompt, its sections, and the arguments that its text does not speak of.
/// Ledger: E-046, E-049
guide_test!(e_046_the_prompt, |b| {
    let listed = b.session.request("prompts/list", json!({})).expect("prompts/list");
    assert_eq!(column(&listed["prompts"], "name"), ["guide"]);
    let prompt = &listed["prompts"][0];
    let names = [
        "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8", "arg9", "argA", "argB",
        "argC", "argD", "argE", "argF",
    ];
    assert_eq!(column(&prompt["arguments"], "name"), names);
    assert!(items(&prompt["arguments"]).iter().all(|argument| argument["required"] != true));
    let description = text(&prompt["description"]);
    let mut at = 0;
    for part in [
        "## Description\n\n",
        "## Conceptual Schema\n\n",
        "*args",
        "## Usage Instructions\n\n",
        "@guide expression",
        "## Concrete Examples\n\n",
        "@guide lang/python",
    ] {
        at += description[at..].find(part).unwrap_or_else(|| panic!("no {part}:\n{description}"));
    }
    assert!(!description.contains("arg1") && !description.contains("argF"), "{description}");
    assert!(description.lines().nth(2).unwrap().len() <= 50);
});

/// The prompt is the tool's logic, to be displayed.
/// Ledger: E-050
guide_test!(e_050_the_prompt_is_the_tool, |b| {
    b.ws.write(".guide/lang/python.md", "PY\n").write(".guide/docs/api.md", "API\n");
    let display = "Display this information to the user.";
    assert_eq!(
        prompt(b, json!({"arg1": "lang/python"})),
        json!({"success": true, "value": "PY\n", "instruction": display})
    );
    let two = prompt(b, json!({"arg1": "lang/python", "arg2": "docs/api"}));
    assert_eq!(two["value"], content_of(b, "lang/python,docs/api"));
    let gap = prompt(b, json!({"arg1": "lang/python", "arg3": "docs/api"}));
    assert_eq!(gap["value"], "PY\n", "the first gap ends the words");
    for expression in ["nope", "/x", "lang/zzz"] {
        let told = b.told("get_content", json!({"expression": expression}));
        assert_eq!(prompt(b, json!({"arg1": expression})), told);
    }
});

/// No word: a failure that says so.
/// Ledger: E-050
guide_test!(e_050_no_word, |b| {
    for arguments in [json!({}), json!({"arg2": "lang"}), json!({"arg1": " "})] {
        let told = prompt(b, arguments);
        assert_eq!((&told["success"], &told["error_type"]), (&json!(false), &json!("validation")));
        assert_eq!(told["error"], "Requires 1 or more arguments");
    }
    let params = json!({"name": "other", "arguments": {}});
    assert_eq!(b.session.request("prompts/get", params).expect_err("unknown").code, -32602);
});

/// Documents have addresses.
guide_test!(e_050_resources, |b| {
    b.ws.write(".guide/lang/python.md", "PY\n").write(".guide/my lang/a b.md", "AB\n");
    b.ws.write("secret.md", "SECRET");
    let listed = b.session.request("resources/templates/list", json!({})).expect("templates");
    let template = &listed["resourceTemplates"][0];
    assert_eq!(template["uriTemplate"], "guide://{collection}/{document}");
    assert_eq!(template["mimeType"], "text/plain");
    let all = b.session.request("resources/list", json!({})).expect("resources/list");
    assert_eq!(all["resources"], json!([]));
    for (uri, content) in [
        ("guide://lang/python", "PY\n"),
        ("guide://lang/python.md", "PY\n"),
        ("guide://my%20lang/a%20b", "AB\n"),
    ] {
        let read = b.session.request("resources/read", json!({"uri": uri})).expect(uri);
        let expected = json!([{"uri": uri, "mimeType": "text/plain", "text": content}]);
        assert_eq!(read["contents"], expected);
    }
    let missing = if b.wire.era == Era::Legacy { -32002 } else { -32602 };
    for uri in [
        "guide://nope/x",
        "guide://lang/zzz",
        "guide://lang/../../secret",
        "guide://../secret",
        "guide://lang",
        "guide://lang/%zz",
        "file:///etc/passwd",
    ] {
        let error = b.session.request("resources/read", json!({"uri": uri})).expect_err(uri);
        assert_eq!(error.code, missing, "{uri}: {error:?}");
    }
});

/// Categories are completed, for the prompt and for addresses.
guide_test!(e_046_completion, |b| {
    b.ws.write(".guide/lang/python.md", "")
        .write(".guide/docs/api.md", "")
        .write(".guide/x.md", "");
    let prompt = json!({"type": "ref/prompt", "name": "guide"});
    let address = json!({"type": "ref/resource", "uri": "guide://{collection}/{document}"});
    for (reference, name) in [(&prompt, "arg1"), (&prompt, "argF"), (&address, "collection")] {
        for (value, expected) in [("", json!(["docs", "lang"])), ("la", json!(["lang"]))] {
            let argument = json!({"name": name, "value": value});
            let params = json!({"ref": reference, "argument": argument});
            let got = b.session.request("completion/complete", params).expect("completion");
            assert_eq!(got["completion"]["values"], expected);
        }
    }
});

/// What is not served is not declared and not answered.
#[test]
fn e_046_only_with_the_guide() {
    let b = STDIO.bench();
    let list = b.session.request("prompts/list", json!({}));
    assert_eq!(list.expect_err("prompts/list").code, -32601);
    let templates = b.session.request("resources/templates/list", json!({})).expect("templates");
    assert_eq!(column(&templates["resourceTemplates"], "uriTemplate"), ["mcpfs://{root}/{+path}"]);
    let read = b.session.request("resources/read", json!({"uri": "guide://a/b"}));
    assert_eq!(read.expect_err("resources/read").code, -32002);
    let get = b.session.request("prompts/get", json!({"name": "guide"}));
    assert_eq!(get.expect_err("prompts/get").code, -32601);
}
