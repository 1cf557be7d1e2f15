//! `read` of toolset `files`.

use crate::files_test;
use crate::harness::files::*;
use crate::harness::*;
use serde_json::json;

fn lines(b: &Bench, path: &str, start: u64, end: u64) -> serde_json::Value {
    b.ok("read", json!({"path": path, "start_line": start, "end_line": end}))
}

/// The seed's example: every field.
/// Ledger: D-R01, D-R02, D-R07, D-R08, D-R09, D-R10, D-R11, D-R12, D-F05
files_test!(d_r12_answer_carries_all_fields, |b| {
    b.ws.write("path/to/file.txt", "one\ntwo\n").touch("path/to/file.txt", 1_712_763_000);
    assert_eq!(
        b.ok("read", p("path/to/file.txt")),
        json!({
            "content": "one\ntwo\n", "encoding": "utf8", "size": 8, "bytes_read": 8,
            "truncated": false, "line_count": 2,
            "metadata": {"path": "path/to/file.txt", "modified": "2024-04-10T15:30:00Z", "size": 8,
                         "mime_type": "text/plain"},
        })
    );
    refuses_parameters(b, "read", json!({}), &["path is required"]);
});

/// Text, base64 on request, and `binary`, which is base64 by another name.
files_test!(d_r03_encodings, |b| {
    b.ws.write("f.txt", "hello");
    for (asked, encoding, content) in [
        ("utf8", "utf8", "hello"),
        ("base64", "base64", "aGVsbG8="),
        ("binary", "base64", "aGVsbG8="),
    ] {
        let got = b.ok("read", p("f.txt").and("encoding", asked));
        assert_eq!((text(&got["encoding"]), text(&got["content"])), (encoding, content), "{asked}");
    }
    refuses_parameters(
        b,
        "read",
        p("f.txt").and("encoding", "latin1"),
        &["encoding", "utf8, base64, binary"],
    );
});

/// Lines are counted from 0, the last one included.
/// Ledger: D-R04, D-R05, D-R07, D-R10, D-R11
files_test!(d_r05_line_range, |b| {
    b.ws.write("f.txt", "zero\none\ntwo\nthree\nfour\n");
    assert_eq!(lines(b, "f.txt", 0, 0)["content"], "zero");
    let got = lines(b, "f.txt", 1, 3);
    assert_eq!((&got["content"], &got["line_count"]), (&json!("one\ntwo\nthree"), &json!(5)));
    assert_eq!((&got["truncated"], &got["size"]), (&json!(true), &json!(24)));
    assert_eq!(b.ok("read", p("f.txt").and("start_line", 3))["content"], "three\nfour");
    assert_eq!(b.ok("read", p("f.txt").and("end_line", 1))["content"], "zero\none");
    let whole = lines(b, "f.txt", 0, 99);
    assert_eq!(
        (&whole["content"], &whole["truncated"]),
        (&json!("zero\none\ntwo\nthree\nfour"), &json!(false))
    );
    refuses_parameters(
        b,
        "read",
        p("f.txt").and("start_line", 3).and("end_line", 1),
        &["start_line", "end_line"],
    );
    refuses_parameters(b, "read", p("f.txt").and("start_line", -1), &["start_line"]);
    let past = b.ok("read", p("f.txt").and("start_line", 7));
    assert_eq!((&past["content"], &past["line_count"]), (&json!(""), &json!(5)));
    assert_eq!(past["warning"], "start_line 7 is past the end: the file has 5 lines");
});

/// A cut falls between two characters, is told, and the rest can be had.
/// Ledger: D-R06, D-R10, D-R13
files_test!(d_r06_max_size, |b| {
    b.ws.write("f.txt", "aé漢b\nsecond\n");
    for (most, content) in [(1, "a"), (2, "a"), (3, "aé"), (5, "aé"), (6, "aé漢"), (0, "")] {
        let got = b.ok("read", p("f.txt").and("max_size", most));
        assert_eq!((text(&got["content"]), &got["truncated"]), (content, &json!(true)), "{most}");
        assert_eq!(got["bytes_read"], content.len(), "{most}");
        assert_eq!((&got["line_count"], &got["size"]), (&json!(2), &json!(15)));
        assert!(text(&got["warning"]).contains("max_size"), "{got}");
    }
    let whole = b.ok("read", p("f.txt").and("max_size", 15));
    assert_eq!((&whole["truncated"], whole.get("warning")), (&json!(false), None));
    let cut = b.ok("read", p("f.txt").and("start_line", 0).and("end_line", 0).and("max_size", 4));
    assert_eq!((&cut["content"], &cut["truncated"]), (&json!("aé"), &json!(true)));
    assert!(text(&cut["warning"]).contains("max_size"), "{cut}");
});

/// One megabyte unless told otherwise; more on request, up to the operator's limit.
/// Ledger: D-R06, D-R13, D-R14, D-P05
files_test!(d_r13_defaults, |b| {
    b.ws.write("big.txt", "0123456789\n".repeat(1_100_000));
    let got = b.ok("read", p("big.txt"));
    assert_eq!(text(&got["content"]).len(), 1_048_576);
    assert_eq!((&got["size"], &got["line_count"]), (&json!(12_100_000), &json!(1_100_000)));
    let more = b.ok("read", p("big.txt").and("max_size", 50_000_000));
    assert_eq!(text(&more["content"]).len(), 10_485_760);
    assert!(text(&more["warning"]).contains("10485760"), "{}", more["warning"]);
    let tail = lines(b, "big.txt", 1_099_999, 1_099_999);
    assert_eq!(tail["content"], "0123456789");
});

/// A large file is never held: the server does not grow by its size.
files_test!(d_r14_large_files_are_streamed, |b| {
    let file = std::fs::File::create(b.ws.path("huge.txt")).unwrap();
    b.ws.write("small.txt", "x");
    file.set_len(600 << 20).unwrap();
    // A text of line ends only, but for its holes: written at the start so that it counts as text.
    std::os::unix::fs::FileExt::write_at(&file, &vec![b'\n'; 64 << 10], 0).unwrap();
    b.ok("read", p("small.txt"));
    let before = b.server.proc_figure("status", "VmHWM:");
    let got = b.ok("read", p("huge.txt").and("max_size", 1000));
    assert_eq!((&got["line_count"], &got["truncated"]), (&json!(65_537), &json!(true)));
    b.ok("read", p("huge.txt").and("start_line", 65_530).and("max_size", 1000));
    let grown = b.server.proc_figure("status", "VmHWM:") - before;
    assert!(grown < 64 << 10, "grew by {grown} kB");
});

/// The start of a file that is too large to count comes at once, without the number of its lines.
/// Ledger: D-R11, D-R14
files_test!(d_r11_lines_of_a_huge_file, |b| {
    let file = std::fs::File::create(b.ws.path("huge.txt")).unwrap();
    std::os::unix::fs::FileExt::write_at(&file, &vec![b'\n'; 64 << 10], 0).unwrap();
    file.set_len(1 << 40).unwrap();
    for arguments in [
        p("huge.txt").and("max_size", 3),
        json!({"path": "huge.txt", "start_line": 0, "end_line": 3}),
    ] {
        let got = b.ok("read", arguments);
        assert_eq!((&got["content"], &got["truncated"]), (&json!("\n\n\n"), &json!(true)));
        assert_eq!((got.get("line_count"), &got["size"]), (None, &json!(1_u64 << 40)));
    }
});

/// A NUL near the start or bytes that are no UTF-8 make a file binary: base64, without lines.
/// Ledger: D-R08, D-R11, D-R15
files_test!(d_r15_binary, |b| {
    b.ws.write("nul.txt", b"ab\0cd").write("latin.txt", b"caf\xe9\n");
    for (name, base64) in [("nul.txt", "YWIAY2Q="), ("latin.txt", "Y2Fm6Qo=")] {
        let got = b.ok("read", p(name));
        assert_eq!(
            (&got["encoding"], &got["content"]),
            (&json!("base64"), &json!(base64)),
            "{name}"
        );
        assert_eq!(got.get("line_count"), None, "{name}");
        assert_eq!(got["truncated"], false);
    }
    b.ws.write("data", b"\0\0").write("image.png", b"\x89PNG\0");
    assert_eq!(b.ok("read", p("data"))["metadata"]["mime_type"], "application/octet-stream");
    assert_eq!(b.ok("read", p("image.png"))["metadata"]["mime_type"], "image/png");
    let cut = b.ok("read", p("nul.txt").and("max_size", 3));
    assert_eq!((&cut["content"], &cut["truncated"]), (&json!("YWIA"), &json!(true)));
});

/// Lines of something that has none are a wrong parameter.
files_test!(d_r16_lines_of_binary, |b| {
    b.ws.write("nul.bin", b"ab\0cd").write("latin.txt", b"caf\xe9\n").write("f.txt", "x\n");
    for name in ["nul.bin", "latin.txt"] {
        refuses_parameters(b, "read", p(name).and("start_line", 0), &["start_line"]);
    }
    refuses_parameters(
        b,
        "read",
        p("f.txt").and("start_line", 0).and("encoding", "base64"),
        &["start_line"],
    );
});

/// A directory is not read, nor anything else that is no file.
files_test!(d_r17_not_a_file, |b| {
    b.ws.mkdir("dir").fifo("pipe");
    for (path, found) in [("dir", "directory"), (".", "directory"), ("pipe", "fifo")] {
        let message = refuses_parameters(b, "read", p(path), &["path", found]);
        assert!(message.starts_with("Path is not a file"), "{message}");
    }
    refuses(b, "read", p("ghost.txt"), MISSING, "ghost.txt");
});

/// An empty file, one without a last line end, and one with the other kind of line ends.
/// Ledger: D-R07, D-R11
files_test!(d_r11_edges, |b| {
    b.ws.write("empty", "").write("open", "a\nb").write("crlf", "a\r\nb\r\n");
    let empty = b.ok("read", p("empty"));
    assert_eq!((&empty["content"], &empty["line_count"]), (&json!(""), &json!(0)));
    assert_eq!(empty["truncated"], false);
    assert_eq!(b.ok("read", p("open"))["line_count"], 2);
    assert_eq!(b.ok("read", p("crlf"))["content"], "a\r\nb\r\n");
    assert_eq!(lines(b, "crlf", 0, 1)["content"], "a\r\nb");
});
