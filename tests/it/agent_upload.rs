//! `read_file`: content that the agent brings with hashes, in base64, in encodings, in chunks.

use crate::agent_test;
use crate::harness::*;
use serde_json::{Value, json};

fn encoded(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn chunk(content: &str, index: u64, total: u64) -> Value {
    json!({"path": "docs/big", "content": content, "chunk_index": index, "total_chunks": total})
}

/// Ledger
agent_test!(a_040_a_text_is_stored_and_its_hash_told, |b| {
    let told = b.call("read_file", json!({"path": "docs/a", "content": "héllo"}));
    let value = &told["value"];
    let path = b.project.path("docs/a");
    let expected = json!({
        "path": path, "cache_key": path, "relative_path": "docs/a", "status": "complete",
        "size": 6, "content_hash": sha256("héllo".as_bytes()), "hash_verified": false,
        "metadata": value["metadata"], "stats": value["stats"]
    });
    assert_eq!(value, &expected);
    let served = b.value("request_file", json!({"path": "docs/a"}));
    assert_eq!(
        ["content", "encoding", "content_hash", "source"].map(|key| text(&served[key]).to_owned()),
        ["héllo", "utf-8", &sha256("héllo".as_bytes()), "cache"]
    );
    let outside = json!({"path": "/etc/passwd", "content": "x"});
    b.refused("read_file", outside, "security", "SecurityError");
});

/// Ledger
agent_test!(a_043_bytes_come_back_as_they_were, |b| {
    let bytes: Vec<u8> = (0..=255).collect();
    for binary in [json!({"binary": true}), json!({"encoding": "base64"})] {
        let mut args = json!({"path": "docs/logo", "content": encoded(&bytes), "content_hash": sha256(&bytes)});
        args.as_object_mut().unwrap().extend(binary.as_object().unwrap().clone());
        let value = b.value("read_file", args);
        assert_eq!((number(&value["size"]), &value["hash_verified"]), (256, &json!(true)));
        let served = b.value("request_file", json!({"path": "docs/logo", "binary": true}));
        assert_eq!(text(&served["content"]), encoded(&bytes));
        let served = b.value("request_file", json!({"path": "docs/logo"}));
        assert_eq!((text(&served["encoding"]), content(&served)), ("base64", bytes.clone()));
    }
    let invalid = json!({"path": "docs/bad", "content": "%%%", "binary": true});
    b.refused("read_file", invalid, "validation", "ValidationError");
    let wrong = json!({"path": "docs/bad", "content": "abc", "content_hash": sha256(b"abd")});
    b.refused("read_file", wrong, "validation", "ValidationError");
    assert_eq!(number(&b.stats()["entries"]), 1);
});

/// The file's own bytes are what counts: their number, their hash.
/// Ledger
agent_test!(a_046_an_encoding_is_kept_and_used, |b| {
    let cases: [(&str, &str, &[u8]); 4] = [
        ("latin-1", "caf\u{e9}", b"caf\xe9"),
        ("shift_jis", "日本", b"\x93\xfa\x96\x7b"),
        ("utf-16le", "hé", b"h\0\xe9\0"),
        ("UTF-8", "hé", "hé".as_bytes()),
    ];
    for (label, text, bytes) in cases {
        let value =
            b.value("read_file", json!({"path": "docs/t", "content": text, "encoding": label}));
        assert_eq!(value["metadata"]["encoding"], label);
        assert_eq!(value["content_hash"], sha256(bytes), "{label}");
        let served = b.value("request_file", json!({"path": "docs/t"}));
        assert_eq!((&served["content"], &served["encoding"]), (&json!(text), &json!(label)));
        let raw = b.value("request_file", json!({"path": "docs/t", "binary": true}));
        assert_eq!(content(&raw), bytes, "{label}");
    }
    let impossible = json!({"path": "docs/t", "content": "日本", "encoding": "latin-1"});
    b.refused("read_file", impossible, "validation", "ValidationError");
});

/// Ledger: A-047
agent_test!(a_047_an_unknown_encoding_is_refused, |b| {
    for tool in ["read_file", "cache_file"] {
        let args = json!({"path": "docs/t", "content": "x", "encoding": "klingon"});
        let told = b.refused(tool, args, "validation", "ValidationError");
        let message = text(&told["error_data"]["validation_errors"][0]["message"]);
        assert!(message.starts_with("unsupported encoding: klingon"), "{message}");
    }
    let ask = json!({"path": "docs/t", "encoding": "klingon"});
    b.refused("request_file", ask, "validation", "ValidationError");
});

/// Ledger
agent_test!(a_049_chunks_come_in_any_order, |b| {
    let first = b.value("read_file", chunk("c", 2, 3));
    assert_eq!(
        [&first["status"], &first["missing_chunks"], &first["size"], &first["chunks_received"]],
        [&json!("partial"), &json!([0, 1]), &json!(1), &json!(1)]
    );
    assert_eq!(first.get("content_hash"), None);
    assert_eq!(number(&b.stats()["entries"]), 0);
    b.value("read_file", chunk("a", 0, 3).and("chunk_hash", sha256(b"a")));
    let last = b.value("read_file", chunk("b", 1, 3).and("content_hash", sha256(b"abc")));
    assert_eq!(
        [&last["status"], &last["content_hash"], &last["size"], &last["hash_verified"]],
        [&json!("complete"), &json!(sha256(b"abc")), &json!(3), &json!(true)]
    );
    assert_eq!(b.value("request_file", json!({"path": "docs/big"}))["content"], "abc");
});

/// Ledger
agent_test!(a_050_chunks_that_do_not_fit_are_refused, |b| {
    b.value("read_file", chunk("a", 0, 3));
    let bad = [
        chunk("a", 0, 3),
        chunk("x", 3, 3),
        chunk("x", 0, 0),
        chunk("x", 1, 3).and("chunk_hash", sha256(b"y")),
        json!({"path": "docs/big", "content": "x", "chunk_index": 1}),
        json!({"path": "docs/big", "content": "x", "total_chunks": 3}),
    ];
    for args in bad {
        b.refused("read_file", args, "validation", "ValidationError");
    }
    let told = b.call("read_file", chunk("a", 0, 3));
    assert_eq!(told["error"], "chunk 0 of docs/big was received already; still missing: 1, 2");
    // A whole that is not what was promised is not stored, and the upload starts over.
    b.value("read_file", chunk("b", 1, 3));
    let wrong = chunk("c", 2, 3).and("content_hash", sha256(b"xyz"));
    b.refused("read_file", wrong, "validation", "ValidationError");
    assert_eq!(number(&b.stats()["entries"]), 0);
    let again = b.call("read_file", chunk("ab", 0, 2));
    assert_eq!(again["value"]["missing_chunks"], json!([1]));
    let other_total = b.call("read_file", chunk("a", 0, 4));
    assert_eq!(
        other_total["warnings"],
        json!(["an unfinished upload with another total_chunks was dropped"])
    );
});

/// Ledger: A-051
agent_test!(
    a_051_an_unfinished_upload_expires,
    json!({"cache": {"upload_seconds": 1, "max_bytes": 10}}),
    |b| {
        b.value("read_file", chunk("a", 0, 2));
        std::thread::sleep(std::time::Duration::from_millis(1_100));
        let value = b.value("read_file", chunk("b", 1, 2));
        assert_eq!(value["missing_chunks"], json!([0]));
        let too_much = chunk("0123456789", 0, 2);
        b.refused("read_file", too_much, "validation", "ValidationError");
    }
);

/// A whole file ends an unfinished upload of it.
/// Ledger: A-051
agent_test!(a_051_a_whole_file_replaces_an_upload, |b| {
    b.value("read_file", chunk("a", 0, 2));
    b.value("cache_file", json!({"path": "docs/big", "content": "whole"}));
    assert_eq!(b.value("read_file", chunk("b", 1, 2))["missing_chunks"], json!([0]));
    assert_eq!(b.value("request_file", json!({"path": "docs/big"}))["content"], "whole");
});
