//! `stat_file`, `hash_file` and `permissions_file`.

use crate::harness::*;
use crate::wire_test;
use serde_json::{Value, json};

/// A file's name, size, kind and times.
/// Ledger: C-US-008, C-FR-011.1
wire_test!(e2e_032_stat_file, |b| {
    b.ws.write("data/data.json", r#"{"a":1}"#).touch("data/data.json", 1_700_000_000);
    let got = b.ok("stat_file", ws("data/data.json"));
    assert_eq!((&got["name"], &got["path"]), (&json!("data.json"), &json!("data/data.json")));
    assert_eq!(got["size"], 7);
    assert_eq!((&got["is_directory"], &got["is_symlink"]), (&json!(false), &json!(false)));
    assert_eq!(got["modified_at"], "2023-11-14T22:13:20Z");
    assert!(got.get("created_at").is_none_or(is_timestamp), "{got}");
});

/// A directory says that it is one.
/// Ledger: C-FR-011.2
wire_test!(e2e_033_stat_directory, |b| {
    b.ws.mkdir("subdir");
    let got = b.ok("stat_file", ws("subdir"));
    assert_eq!((&got["is_directory"], &got["is_symlink"]), (&json!(true), &json!(false)));
    assert!(is_timestamp(&got["modified_at"]));
    assert_eq!(b.ok("stat_file", ws("."))["is_directory"], true);
});

/// A link shows itself and its target.
/// Ledger: C-FR-011.3
wire_test!(e2e_034_stat_link, |b| {
    b.ws.write("target.txt", "twelve bytes")
        .touch("target.txt", 1_000_000_000)
        .link("link", "target.txt");
    let got = b.ok("stat_file", ws("link"));
    assert_eq!((&got["name"], &got["is_symlink"]), (&json!("link"), &json!(true)));
    assert_eq!((&got["size"], &got["is_directory"]), (&json!(12), &json!(false)));
    assert_eq!(got["modified_at"], "2001-09-09T01:46:40Z");
    assert_eq!(got["symlink"]["size"], "target.txt".len());
    assert_eq!(got["symlink"]["target"], "target.txt");
    assert!(is_timestamp(&got["symlink"]["modified_at"]));
    assert_eq!(
        (&got["target"]["size"], &got["target"]["is_directory"]),
        (&json!(12), &json!(false))
    );
});

/// A link to a directory reports a directory behind it.
wire_test!(c_fr_011_3_stat_of_a_directory_link, |b| {
    b.ws.mkdir("folder").link("link", "folder");
    let got = b.ok("stat_file", ws("link"));
    assert_eq!((&got["is_symlink"], &got["is_directory"]), (&json!(true), &json!(true)));
    assert_eq!(got["target"]["is_directory"], true);
});

/// The size of a directory is the one the system reports, not the sum of its files.
wire_test!(c_fr_011_4_size_of_a_directory, |b| {
    b.ws.write("dir/big.txt", vec![b'x'; 1_000_000]);
    let size = std::fs::metadata(b.ws.path("dir")).unwrap().len();
    assert_eq!(b.ok("stat_file", ws("dir"))["size"], size);
});

fn hash(b: &Bench, path: &str, algorithm: &str) -> Value {
    b.ok("hash_file", ws(path).and("algorithm", algorithm))
}

/// The SHA-256 of known content.
/// Ledger: C-US-008, C-S12, C-FR-012.1
wire_test!(e2e_035_sha256, |b| {
    b.ws.write("known.txt", "test content\n");
    let expected = json!({
        "path": "known.txt",
        "algorithm": "sha256",
        "hash": "a1fff0ffefb9eace7230c24e50731f0a91c62f9cefdfe77121c2f607125dffae",
        "size": 13,
    });
    assert_eq!(hash(b, "known.txt", "sha256"), expected);
});

/// MD5 and SHA-1 of the same.
/// Ledger: C-S12
wire_test!(e2e_036_md5_and_sha1, |b| {
    b.ws.write("known.txt", "test content\n").write("empty", "");
    assert_eq!(hash(b, "known.txt", "md5")["hash"], "d6eb32081c822ed572b70567826d9d9d");
    assert_eq!(hash(b, "known.txt", "sha1")["hash"], "4fe2b8dd12cd9cd6a413ea960cd8c09c25f19527");
    let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(hash(b, "empty", "sha256")["hash"], nothing);
});

/// An unsupported algorithm names the supported ones.
/// Ledger: C-US-008, C-FR-012.3
wire_test!(e2e_037_unsupported_algorithm, |b| {
    b.ws.write("any.txt", "x");
    let sentence = "unsupported hash algorithm: md4; supported: md5, sha1, sha256";
    b.refuses("hash_file", ws("any.txt").and("algorithm", "md4"), sentence);
});

/// Another unsupported algorithm; names are lower case.
/// Ledger: C-FR-012.3
wire_test!(e2e_075_invalid_hash_algorithm, |b| {
    b.ws.write("any.txt", "x");
    for name in ["sha512", "SHA256", ""] {
        let sentence = format!("unsupported hash algorithm: {name}; supported: md5, sha1, sha256");
        b.refuses("hash_file", ws("any.txt").and("algorithm", name), &sentence);
    }
});

/// A directory has no hash, nothing has none.
/// Ledger: C-FR-012.4, C-US-008
wire_test!(e2e_038_hash_of_a_directory, |b| {
    b.ws.mkdir("subdir");
    let of = |path: &str| ws(path).and("algorithm", "sha256");
    b.refuses("hash_file", of("subdir"), "cannot hash a directory: subdir");
    b.refuses("hash_file", of("ghost"), "file not found: ghost");
});

/// The algorithm has no default.
wire_test!(c_fr_012_1_algorithm_is_required, |b| {
    b.ws.write("f.txt", "x");
    b.refuses("hash_file", ws("f.txt"), "algorithm is required");
});

/// Mode in octal and in letters, owner and group by name.
/// Ledger: C-FR-013.1
wire_test!(e2e_039_permissions_of_a_file, |b| {
    b.ws.write("script.sh", "#!/bin/sh\n").chmod("script.sh", 0o755);
    let got = b.ok("permissions_file", ws("script.sh"));
    assert_eq!(got["path"], "script.sh");
    assert_eq!((&got["mode"], &got["mode_string"]), (&json!("0755"), &json!("-rwxr-xr-x")));
    let id = |flag: &str| {
        let output = std::process::Command::new("id").arg(flag).output().expect("id").stdout;
        String::from_utf8(output).unwrap().trim().to_owned()
    };
    assert_eq!(
        (text(&got["owner"]), text(&got["group"])),
        (id("-un").as_str(), id("-gn").as_str())
    );
});

/// A directory has a `d`.
wire_test!(e2e_040_permissions_of_a_directory, |b| {
    b.ws.mkdir("subdir").chmod("subdir", 0o755);
    let got = b.ok("permissions_file", ws("subdir"));
    assert_eq!((&got["mode"], &got["mode_string"]), (&json!("0755"), &json!("drwxr-xr-x")));
});

/// All twelve bits are shown.
wire_test!(c_fr_013_1_special_bits, |b| {
    let cases = [
        (0o644, "0644", "-rw-r--r--"),
        (0o4755, "4755", "-rwsr-xr-x"),
        (0o2644, "2644", "-rw-r-Sr--"),
        (0, "0000", "----------"),
    ];
    for (mode, octal, letters) in cases {
        b.ws.write("f", "x").chmod("f", mode);
        let got = b.ok("permissions_file", ws("f"));
        assert_eq!((&got["mode"], &got["mode_string"]), (&json!(octal), &json!(letters)));
        b.ws.chmod("f", 0o600);
    }
    b.ws.mkdir("tmp").chmod("tmp", 0o1777);
    let got = b.ok("permissions_file", ws("tmp"));
    assert_eq!((&got["mode"], &got["mode_string"]), (&json!("1777"), &json!("drwxrwxrwt")));
});

/// A link shows its own permissions.
wire_test!(c_fr_013_2_permissions_of_a_link, |b| {
    b.ws.write("target", "x").chmod("target", 0o600).link("link", "target");
    let got = b.ok("permissions_file", ws("link"));
    assert_eq!((&got["mode"], &got["mode_string"]), (&json!("0777"), &json!("lrwxrwxrwx")));
});

/// An owner without a name is a number in a string.
wire_test!(c_fr_013_3_numeric_owner, |b| {
    if !rustix::process::getuid().is_root() {
        return;
    }
    b.ws.write("f", "x");
    run("chown", &["12345:54321", b.ws.path("f").to_str().unwrap()]);
    let got = b.ok("permissions_file", ws("f"));
    assert_eq!((&got["owner"], &got["group"]), (&json!("12345"), &json!("54321")));
});

/// Nothing has neither metadata nor permissions.
/// Ledger: C-FR-011.1, C-FR-013.1
wire_test!(c_us_008_metadata_of_nothing, |b| {
    b.refuses("stat_file", ws("ghost"), "file not found: ghost");
    let text = b.refuses("permissions_file", ws("ghost"), "");
    assert!(text.contains("not found: ghost"), "{text}");
});
