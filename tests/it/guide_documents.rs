//! Documents that are written only with the user's consent.

use crate::guide_test;
use crate::harness::*;
use serde_json::{Value, json};

const VERBS: [(&str, &str); 3] =
    [("create", "CREATE_DOCUMENT"), ("update", "UPDATE_DOCUMENT"), ("delete", "DELETE_DOCUMENT")];

fn document(verb: &str, category: &str, name: &str, content: &str) -> Value {
    let consent = format!("{}_DOCUMENT", verb.to_uppercase());
    let mut arguments = json!({"category": category, "name": name, "explicit_action": consent});
    if verb != "delete" {
        arguments["content"] = json!(content);
    }
    arguments
}

/// Without the exact word nothing happens.
/// Ledger: E-033
guide_test!(e_033_consent_is_enforced, |b| {
    b.ws.write(".guide/lang/a.md", "OLD");
    let before = b.ws.snapshot();
    for (verb, word) in VERBS {
        let tool = format!("{verb}_document");
        let name = if verb == "create" { "b.md" } else { "a.md" };
        let whole = document(verb, "lang", name, "NEW");
        let mut without = whole.clone();
        without.as_object_mut().unwrap().remove("explicit_action");
        let required = ["explicit_action: explicit_action is required"];
        assert_eq!(b.complaints(&tool, without.clone()), required);
        for wrong in ["yes", &word.to_lowercase(), "", "READ_DOCUMENT"] {
            let sentence =
                format!("explicit_action: explicit_action: expected one of {word}, got {wrong}");
            assert_eq!(
                b.complaints(&tool, without.clone().and("explicit_action", wrong)),
                [sentence]
            );
        }
        let typed = b.complaints(&tool, without.and("explicit_action", true));
        assert_eq!(typed, ["explicit_action: explicit_action: expected string, got boolean"]);
    }
    assert_same_tree(&before, &b.ws.snapshot());
});

/// The schema knows the word too.
/// Ledger: E-033
guide_test!(e_033_the_schema_has_the_word, |b| {
    for tool in b.session.tools() {
        let rule = &tool["inputSchema"]["properties"]["explicit_action"];
        let verb = text(&tool["name"]).trim_start_matches("guide_").trim_end_matches("_document");
        if let Some((_, word)) = VERBS.iter().find(|(known, _)| *known == verb) {
            let one = rule.get("const").map(|word| json!([word]));
            assert_eq!(one.as_ref().or(rule.get("enum")), Some(&json!([word])), "{rule}");
            let required = items(&tool["inputSchema"]["required"]);
            assert!(required.contains(&json!("explicit_action")), "{tool}");
        } else {
            assert_eq!(rule, &Value::Null);
        }
    }
});

/// Create, update, delete.
/// Ledger: E-033
guide_test!(e_033_the_life_of_a_document, |b| {
    let stored = json!({"category": "lang", "name": "a.md", "path": ".guide/lang/a.md"});
    let told = b.told("create_document", document("create", "lang", "a.md", "ONE\n"));
    let message = "Document 'a.md' created in 'lang'";
    assert_eq!(told, json!({"success": true, "value": stored, "message": message}));
    assert_eq!(b.ws.text(".guide/lang/a.md"), "ONE\n");
    let told =
        b.failure("create_document", document("create", "lang", "a.md", "TWO"), "validation");
    let sentence = "document already exists: lang/a.md; use update_document to replace it";
    assert_eq!(told["error"], sentence);
    assert_eq!(content_of(b, "lang"), "ONE\n");
    b.value("update_document", document("update", "lang", "a.md", "THREE\n"));
    assert_eq!(content_of(b, "lang"), "THREE\n");
    b.value("delete_document", document("delete", "lang", "a.md", ""));
    assert!(!b.ws.has(".guide/lang/a.md"));
    for verb in ["update", "delete"] {
        let tool = format!("{verb}_document");
        let told = b.failure(&tool, document(verb, "lang", "a.md", "X"), "not_found");
        assert_eq!(told["error"], "document not found: .guide/lang/a.md");
    }
});

/// Names that are no plain names are refused.
/// Ledger: E-033
guide_test!(e_033_names, |b| {
    let long = "x".repeat(256);
    let bad = [
        "", ".", "..", ".hidden", "a/b", "a\\b", "a..b", "nul", "CON.md", "com1.txt", "LPT9",
        "a\nb", "a\u{0}b", &long,
    ];
    let before = b.workspace.all().snapshot();
    for (verb, _) in VERBS {
        for name in bad {
            let tool = format!("{verb}_document");
            let one = b.complaints(&tool, document(verb, "lang", name, "X"));
            assert!(one[0].starts_with("name: name: expected a plain name"), "{one:?}");
            let two = b.complaints(&tool, document(verb, name, name, "X"));
            assert_eq!(two.len(), 2, "{two:?}");
        }
    }
    assert_same_tree(&before, &b.workspace.all().snapshot());
    let longest = "x".repeat(255);
    b.value("create_document", document("create", "com", &longest, "fits"));
    b.value("create_document", document("create", "com", "com10 über.md", "fits"));
});

/// A link, of either kind, is not changed through the guide.
/// Ledger: E-033
guide_test!(e_033_links_are_refused, |b| {
    b.outside().write("secret.md", "SECRET");
    b.ws.write("README.md", "README").mkdir(".guide/lang");
    b.ws.link(".guide/lang/out.md", b.outside().path("secret.md"));
    b.ws.link(".guide/lang/in.md", "../../README.md").link(".guide/away", b.outside().path(""));
    std::fs::hard_link(b.ws.path("README.md"), b.ws.path(".guide/lang/hard.md")).unwrap();
    let before = b.workspace.all().snapshot();
    for verb in ["update", "delete"] {
        for (name, kind) in
            [("out.md", "security"), ("in.md", "security"), ("hard.md", "validation")]
        {
            b.failure(&format!("{verb}_document"), document(verb, "lang", name, "X"), kind);
        }
        b.failure(
            &format!("{verb}_document"),
            document(verb, "away", "secret.md", "X"),
            "security",
        );
    }
    b.failure("create_document", document("create", "away", "new.md", "X"), "security");
    b.failure("create_document", document("create", "lang", "out.md", "X"), "security");
    assert_same_tree(&before, &b.workspace.all().snapshot());
});

/// A document is at most 10 MB, and belongs to a category, not to a collection.
/// Ledger: E-033
guide_test!(e_033_size_and_collections, |b| {
    let large = "x".repeat((10 << 20) + 1);
    let complaints = b.complaints("create_document", document("create", "lang", "a.md", &large));
    assert_eq!(complaints, ["content: content: expected at most 10485760 bytes, got 10485761"]);
    b.guidebook().write(
        "config.yaml",
        "projects:\n  workspace:\n    categories:\n      style: {dir: shared/style}\n    collections:\n      all: {categories: [style]}\n",
    );
    b.failure("create_document", document("create", "all", "a.md", "X"), "validation");
    let stored = b.value("create_document", document("create", "style", "a.md", "X"));
    assert_eq!(stored["path"], ".guide/shared/style/a.md");
    assert_eq!(content_of(b, "all"), "X");
});
