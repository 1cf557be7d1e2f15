//! `read_file`: whole files, byte ranges, line ranges, and what is not text.

use crate::harness::*;
use crate::wire_test;
use serde_json::{Value, json};

/// A small file is returned whole, with its size.
/// Ledger: C-FR-005.2
wire_test!(e2e_007_full_read_under_threshold, |b| {
    b.ws.write("small.txt", "x".repeat(100));
    let got = b.ok("read_file", ws("small.txt"));
    assert_eq!(got["content"], "x".repeat(100));
    assert_eq!(got["size"], 100);
    assert_eq!(got["truncated"], false);
    assert_eq!(got.get("binary"), None);
});

/// A file over the threshold is refused with its size, the limit and the way out.
/// Ledger: C-FR-005.4
wire_test!(e2e_008_full_read_over_threshold, small_limit(), |b| {
    b.ws.write("large.txt", "y".repeat(500));
    let text = b.refuses("read_file", ws("large.txt"), "file too large for full read (size: ");
    assert!(text.contains("500") && text.contains("100"), "{text}");
    assert!(text.contains("use offset/limit parameters"), "{text}");
    let part = b.ok("read_file", ws("large.txt").and("limit_bytes", 300));
    assert_eq!(text_len(&part), 300);
});

fn small_limit() -> Config {
    Config::roots(&["workspace"]).set("max_full_read_size", json!(100))
}

fn text_len(answer: &Value) -> usize {
    text(&answer["content"]).len()
}

/// Bytes 10 to 29 of a file of all byte values.
/// Ledger: C-S05, C-FR-005.8
wire_test!(e2e_009_byte_range, |b| {
    let bytes: Vec<u8> = (0..=255).collect();
    b.ws.write("data.bin", &bytes);
    let got = b.ok("read_file", ws("data.bin").and("offset_bytes", 10).and("limit_bytes", 20));
    assert_eq!(content(&got), &bytes[10..30]);
    assert_eq!(got["size"], 256);
    assert_eq!(got["truncated"], true);
});

/// Lines 50 to 54, joined, with their numbers and the total.
/// Ledger: C-S05, C-FR-005.5
wire_test!(e2e_010_line_range, |b| {
    b.ws.write("lines.txt", numbered_lines(100));
    let got = b.ok("read_file", ws("lines.txt").and("offset_lines", 50).and("limit_lines", 5));
    assert_eq!(text(&got["content"]).trim_end(), "line 50\nline 51\nline 52\nline 53\nline 54");
    assert_eq!((&got["start_line"], &got["end_line"]), (&json!(50), &json!(54)));
    assert_eq!(got["lines_total"], 100);
    assert_eq!(got["truncated"], true);
});

/// Byte and line arguments do not mix, whatever their values.
/// Ledger: C-FR-005.3
wire_test!(e2e_011_bytes_and_lines_do_not_mix, |b| {
    b.ws.write("file.txt", "x\n");
    let mixed = [
        ("offset_bytes", "offset_lines"),
        ("limit_bytes", "limit_lines"),
        ("offset_bytes", "limit_lines"),
    ];
    for (bytes, lines) in mixed {
        let arguments = ws("file.txt").and(bytes, 0).and(lines, 1);
        b.refuses(
            "read_file",
            arguments,
            "byte-based and line-based parameters are mutually exclusive",
        );
    }
});

/// Past the end there is no content, but the total and a note that names it.
/// Ledger: C-US-002, C-FR-005.6
wire_test!(e2e_012_offset_past_the_end, |b| {
    b.ws.write("short.txt", numbered_lines(5));
    let got = b.ok("read_file", ws("short.txt").and("offset_lines", 100).and("limit_lines", 10));
    assert_eq!(got["content"], "");
    assert_eq!(got["lines_total"], 5);
    assert!(text(&got["note"]).contains('5'), "{got}");
    let bytes = b.ok("read_file", ws("short.txt").and("offset_bytes", 10_000));
    assert_eq!(bytes["content"], "");
    assert_eq!(bytes["truncated"], true, "the file has more than was returned");
});

/// A NUL in the first 8 KB marks a file as binary.
/// Ledger: C-FR-005.7
wire_test!(e2e_013_binary_detection, |b| {
    b.ws.write("image.bin", [b"\x89PNG\0\0".as_slice(), &[0xff; 200]].concat());
    let got = b.ok("read_file", ws("image.bin").and("offset_bytes", 0).and("limit_bytes", 100));
    assert_eq!(got["binary"], true);
    assert_eq!(content(&got).len(), 100);
});

/// The binary flag looks at the first 8 KB alone, and at nothing but NUL.
wire_test!(c_fr_005_7_binary_is_a_nul_in_the_first_8_kb, |b| {
    b.ws.write("late.bin", [vec![b'a'; 8192], vec![0]].concat());
    b.ws.write("early.bin", [vec![b'a'; 8191], vec![0]].concat());
    b.ws.write("latin1.txt", b"caf\xe9\n");
    assert_eq!(b.ok("read_file", ws("late.bin")).get("binary"), None);
    assert_eq!(b.ok("read_file", ws("early.bin"))["binary"], true);
    let tail = b.ok("read_file", ws("early.bin").and("offset_bytes", 0).and("limit_bytes", 10));
    assert_eq!(tail["binary"], true, "the range does not matter");
    let latin1 = b.ok("read_file", ws("latin1.txt"));
    assert_eq!(latin1.get("binary"), None);
    assert_eq!(latin1["encoding"], "base64");
    assert_eq!(content(&latin1), b"caf\xe9\n");
});

/// What is not UTF-8 comes back as base64, even a range that cuts a character.
wire_test!(c_fr_005_8_no_replacement_characters, |b| {
    b.ws.write("utf8.txt", "aé b");
    let whole = b.ok("read_file", ws("utf8.txt"));
    assert_eq!(whole["content"], "aé b");
    let cut = b.ok("read_file", ws("utf8.txt").and("offset_bytes", 0).and("limit_bytes", 2));
    assert_eq!(cut["encoding"], "base64");
    assert_eq!(content(&cut), b"a\xc3");
    let mark = b.ws.write("bom.txt", b"\xef\xbb\xbfhello\r\n");
    assert_eq!(content(&b.ok("read_file", ws("bom.txt"))), mark.bytes("bom.txt"));
});

/// The three sentences of the seed's first scenario.
/// Ledger: C-FR-005.4, C-NFR-011
wire_test!(c_us_001_read_a_source_file, |b| {
    b.ws.write("src/main.go", "package main\n\nfunc main() {}\n");
    let got = b.ok("read_file", ws("src/main.go"));
    assert_eq!(got["content"], "package main\n\nfunc main() {}\n");
    b.refuses("read_file", ws("src/main.rs"), "file not found: src/main.rs");
    let large = std::fs::File::create(b.ws.path("big.log")).unwrap();
    large.set_len(5_452_595).unwrap();
    let text = b.fails("read_file", ws("big.log"));
    let sentence =
        "file too large for full read (size: 5.2MB, limit: 1MB); use offset/limit parameters";
    assert!(text.starts_with(sentence), "{text}");
    assert!(text.contains("5452595") && text.contains("1048576"), "exact counts follow: {text}");
});

/// A file of exactly the limit is read; one byte more is not.
wire_test!(c_m03_limit_is_inclusive, |b| {
    b.ws.write("limit.txt", "x".repeat(1_048_576)).write("more.txt", "x".repeat(1_048_577));
    assert_eq!(text_len(&b.ok("read_file", ws("limit.txt"))), 1_048_576);
    let text = b.fails("read_file", ws("more.txt"));
    assert!(
        text.starts_with("file too large for full read (size: 1.0MB, limit: 1MB)")
            || text.contains("1048577")
    );
});

/// Lines 1000 to 1049 of a large log, numbered on request.
wire_test!(c_us_002_part_of_a_large_log, |b| {
    b.ws.write("app.log", numbered_lines(200_000));
    let wanted = ws("app.log").and("offset_lines", 1000).and("limit_lines", 50);
    let got = b.ok("read_file", wanted.clone());
    assert_eq!((&got["start_line"], &got["end_line"]), (&json!(1000), &json!(1049)));
    assert_eq!(text(&got["content"]).lines().count(), 50);
    assert_eq!(got["lines_total"], 200_000);
    let numbered = b.ok("read_file", wanted.and("line_numbers", true));
    let first = text(&numbered["content"]).lines().next().unwrap().trim_start();
    assert_eq!(first, "1000\tline 1000");
});

/// `truncated` means that the file has more than was returned, in every mode.
/// Ledger: C-FR-005.2
wire_test!(c_fr_005_2_truncated_means_there_is_more, |b| {
    b.ws.write("ten.txt", "0123456789").write("three.txt", "a\nb\nc\n");
    let bytes = |o: u64, l: u64| {
        b.ok("read_file", ws("ten.txt").and("offset_bytes", o).and("limit_bytes", l))
    };
    assert_eq!(bytes(0, 10)["truncated"], false);
    assert_eq!(bytes(0, 9)["truncated"], true);
    let lines = |o: u64, l: u64| {
        b.ok("read_file", ws("three.txt").and("offset_lines", o).and("limit_lines", l))
    };
    assert_eq!(lines(1, 3)["truncated"], false);
    assert_eq!(lines(1, 2)["truncated"], true);
    assert_eq!(b.ok("read_file", ws("three.txt"))["truncated"], false);
});

/// Half a range is completed: an offset reads to the end, a limit begins at the start.
wire_test!(c_fr_005_1_half_a_range, |b| {
    b.ws.write("f.txt", "a\nb\nc\n");
    assert_eq!(
        text(&b.ok("read_file", ws("f.txt").and("offset_lines", 2))["content"]).trim_end(),
        "b\nc"
    );
    assert_eq!(
        text(&b.ok("read_file", ws("f.txt").and("limit_lines", 2))["content"]).trim_end(),
        "a\nb"
    );
    assert_eq!(b.ok("read_file", ws("f.txt").and("offset_bytes", 4))["content"], "c\n");
    assert_eq!(b.ok("read_file", ws("f.txt").and("limit_bytes", 1))["content"], "a");
});

/// Line 0 is taken as line 1; a negative number is an error that names the argument.
wire_test!(c_fr_005_5_lines_count_from_one, |b| {
    b.ws.write("f.txt", "a\nb\n");
    let zero = b.ok("read_file", ws("f.txt").and("offset_lines", 0).and("limit_lines", 1));
    assert_eq!(text(&zero["content"]).trim_end(), "a");
    assert_eq!(zero["start_line"], 1);
    for argument in ["offset_bytes", "limit_bytes", "offset_lines", "limit_lines"] {
        let text = b.refuses("read_file", ws("f.txt").and(argument, -1), "");
        assert!(text.contains(argument), "{text}");
    }
});

/// A last line without an end counts; an empty file has no lines.
wire_test!(c_fr_005_6_the_end_of_a_file, |b| {
    b.ws.write("open.txt", "a\nb").write("empty.txt", "");
    let open = b.ok("read_file", ws("open.txt").and("offset_lines", 2).and("limit_lines", 9));
    assert_eq!(open["content"], "b");
    assert_eq!(open["lines_total"], 2);
    assert_eq!(b.ok("read_file", ws("empty.txt"))["content"], "");
    assert_eq!(b.ok("read_file", ws("empty.txt").and("offset_lines", 1))["lines_total"], 0);
});

/// A directory is not a file.
wire_test!(c_fr_005_1_a_directory_is_not_read, |b| {
    b.ws.mkdir("folder");
    b.refuses("read_file", ws("folder"), "path is a directory, not a file: folder");
});

/// An explicit range is returned whole, beyond the threshold and the answer budget, up to 8 MiB.
/// Ledger: C-FR-005.4
wire_test!(c_fr_005_4_a_range_is_not_bound_by_the_threshold, |b| {
    b.ws.write("big.txt", "0123456789abcde\n".repeat(600_000));
    let got =
        b.ok("read_file", ws("big.txt").and("offset_bytes", 16).and("limit_bytes", 3_000_000));
    assert_eq!(text_len(&got), 3_000_000);
    let most =
        b.ok("read_file", ws("big.txt").and("offset_bytes", 0).and("limit_bytes", 9_000_000));
    assert!(text_len(&most) <= 8 << 20, "at most 8 MiB");
    assert_eq!(most["truncated"], true);
    let lines = b.ok("read_file", ws("big.txt").and("offset_lines", 2).and("limit_lines", 100_000));
    assert_eq!(lines["end_line"], 100_001);
});

/// The end of a log in one call, as lines, with where they stand.
/// Ledger: C-FR-005.5
wire_test!(c_fr_005_5_the_end_of_a_log, |b| {
    b.ws.write("app.log", numbered_lines(1000)).write("open.log", "a\nb").write("empty.log", "");
    let last = |path: &str, count: u64| b.ok("read_file", ws(path).and("last_lines", count));
    assert_eq!(
        last("app.log", 2),
        json!({"content": "line 999\nline 1000", "size": 8893, "truncated": true,
               "lines_total": 1000, "start_line": 999, "end_line": 1000})
    );
    assert_eq!(last("open.log", 1)["content"], "b");
    let whole = last("open.log", 5);
    assert_eq!((&whole["content"], &whole["truncated"]), (&json!("a\nb"), &json!(false)));
    for (path, count) in [("empty.log", 3), ("app.log", 0)] {
        let nothing = last(path, count);
        assert_eq!((&nothing["content"], nothing.get("note")), (&json!(""), None), "{path}");
    }
    let both = ws("app.log").and("last_lines", 2).and("offset_lines", 5);
    b.refuses(
        "read_file",
        both,
        "last_lines counts from the end: leave out offset_lines and limit_lines",
    );
    let bytes = ws("app.log").and("last_lines", 2).and("limit_bytes", 5);
    b.refuses("read_file", bytes, "byte-based and line-based parameters are mutually exclusive");
});
