//! What the agent mistyped in the guide: the near names are told, and it may correct itself.

use crate::guide_test;
use crate::harness::*;
use serde_json::{Value, json};

const LOOK_FIRST: &str =
    "If a name in the message is the one that was meant, call again with it. Otherwise: ";
const NOT_FOUND: &str = "Present this error to the user and take no further action.";

fn library(b: &Bench) {
    b.ws.write(".guide/lang/python.md", "PY\n").write(".guide/lang/java.md", "JA\n");
}

fn document(category: &str, name: &str, action: &str) -> Value {
    json!({"category": category, "name": name, "explicit_action": action})
}

/// An unknown category: its sentence stands, and the near one is named.
/// Ledger: E-007, E-063
guide_test!(e_063_a_near_category, |b| {
    library(b);
    let sentence = "Category 'lnag' not found in project";
    assert_eq!(
        b.told("get_content", json!({"expression": "lnag"})),
        json!({
            "success": false,
            "error": sentence,
            "error_type": "not_found",
            "exception_type": "NotFoundError",
            "exception_message": sentence,
            "message": "did you mean lang?",
            "instruction": format!("{LOOK_FIRST}{NOT_FOUND}"),
        })
    );
});

/// A pattern that nothing fits: success that says so, with the documents that may be meant.
/// Ledger: E-065
guide_test!(e_065_a_near_document, |b| {
    library(b);
    let told = b.told("get_content", json!({"expression": "lang/pyton"}));
    assert_eq!(told["value"], "No matching content found for 'lang/pyton'");
    assert_eq!(told["message"], "did you mean lang/python.md?");
    let otherwise = "Present this error to the user so they can correct the pattern. Do NOT attempt corrective action.";
    assert_eq!(told["instruction"], json!(format!("{LOOK_FIRST}{otherwise}")));
});

/// A document to change that is not there.
guide_test!(near_documents_to_change, |b| {
    library(b);
    let update = document("lang", "pyhton.md", "UPDATE_DOCUMENT").and("content", "x");
    let told = b.failure("update_document", update, "not_found");
    assert_eq!(told["error"], "document not found: .guide/lang/pyhton.md");
    assert_eq!(told["message"], "did you mean lang/python.md?");
    let delete = document("lnag", "python.md", "DELETE_DOCUMENT");
    let told = b.failure("delete_document", delete, "not_found");
    assert_eq!(told["message"], "did you mean category lang?");
});

/// A flag that is not set, where one of nearly that name is.
/// Ledger: E-039
guide_test!(e_039_a_near_flag, |b| {
    b.value("set_project_flag", json!({"feature_name": "strict-review"}));
    let news = "flag 'strict-reveiw' is not set; did you mean strict-review?";
    let name = json!({"feature_name": "strict-reveiw"});
    assert_eq!(b.told("get_project_flag", name.clone()), json!({"success": true, "message": news}));
    assert_eq!(b.told("get_feature_flag", name.clone()), json!({"success": true}));
    let listed = b.told("list_project_flags", name.clone());
    assert_eq!(listed, json!({"success": true, "value": {}, "message": news}));
    let removed = b.told("set_project_flag", name.and("value", Value::Null));
    assert_eq!(removed["message"], news);
});

/// Wrong arguments and expressions are the agent's own to correct; the user's consent is not.
/// Ledger: E-007, E-033, A-062
guide_test!(e_007_whose_mistake_it_is, |b| {
    let users = "Return error to user without attempting remediation";
    let own =
        format!("Correct the call and repeat it if the mistake is your own. Otherwise: {users}");
    for arguments in [json!({"expr": "lang"}), json!({"expression": ""}), json!({"expression": 5})]
    {
        let told = b.failure("get_content", arguments, "validation");
        assert_eq!(told["instruction"], json!(own));
    }
    for consent in [Value::Null, json!("UPDATE_DOCUMENT")] {
        let arguments = json!({"category": "lang", "name": "a.md", "content": "A"});
        let told =
            b.failure("create_document", arguments.and("explicit_action", consent), "validation");
        assert_eq!(told["instruction"], users);
    }
    assert_eq!(
        b.complaints("get_content", json!({"expresion": "lang"})),
        [
            "expression: expression is required",
            "expresion: unknown argument: expresion (did you mean expression?); known arguments: expression, pattern",
        ]
    );
});

/// Where the operator lets nobody list, no names are told.
#[test]
fn no_near_names_without_a_listing() {
    let workspace = Workspace::new();
    let project = workspace.root("workspace");
    let config = Config::default()
        .set("roots", Value::Null)
        .set("toolsets", json!(["guide"]))
        .set("allowed_tools", json!(["read_file"]));
    let b = STDIO.launch(workspace, config, |launch| launch.args(&["--root-dir", project.host()]));
    library(&b);
    let told = b.told("get_content", json!({"expression": "lnag"}));
    assert_eq!((told.get("message"), &told["instruction"]), (None, &json!(NOT_FOUND)));
}
