//! Patches: any text is judged without a panic; a diff of two texts leads from one to the other and back.

use super::two_texts;
use mcp_filesystem::ops::patch::apply;

/// Any patch on any file: it fails with a sentence, or every hunk lies in the file and the lines add up.
pub fn patch(data: &[u8]) {
    let (base, patch) = two_texts(data);
    match apply(base.as_bytes(), &patch) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(patched) => {
            let lines = |bytes: &[u8]| bytes.split_inclusive(|byte| *byte == b'\n').count() as i64;
            let changed: i64 =
                patched.hunks.iter().map(|hunk| hunk.added as i64 - hunk.removed as i64).sum();
            let (old, new) = (lines(base.as_bytes()), lines(&patched.content));
            assert_eq!(old + changed, new, "{base:?} and {patch:?} gave {:?}", patched.content);
            assert!(patched.hunks.iter().all(|hunk| hunk.line as i64 <= old + 1), "{patched:?}");
        }
    }
}

/// A diff leads from one text to the other, and read backwards back again.
pub fn there_and_back(data: &[u8]) {
    let (old, new) = two_texts(data);
    // Line ends that a patch does not carry are another property.
    if old == new
        || old.contains('\r')
        || new.contains('\r')
        || old.contains('\u{feff}')
        || new.contains('\u{feff}')
    {
        return;
    }
    for (from, to) in [(&old, &new), (&new, &old)] {
        let patch = diff(from, to);
        match apply(from.as_bytes(), &patch) {
            Ok(patched) => assert_eq!(String::from_utf8_lossy(&patched.content), **to, "{patch}"),
            Err(error) => panic!("{error}\n{from:?}\n{to:?}\n{patch}"),
        }
    }
}

/// One hunk around what differs.
fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - same;
    let tail =
        old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new);
    let tail = tail.count();
    let start = same.saturating_sub(3);
    let after = tail.min(3);
    let mut hunk = String::new();
    old[start..same].iter().for_each(|line| hunk += &written(' ', line));
    old[same..old.len() - tail].iter().for_each(|line| hunk += &written('-', line));
    new[same..new.len() - tail].iter().for_each(|line| hunk += &written('+', line));
    old[old.len() - tail..][..after].iter().for_each(|line| hunk += &written(' ', line));
    let counts = |all: usize| all - start - tail + after;
    let place = |count: usize| if count == 0 { start } else { start + 1 };
    let (removed, added) = (counts(old.len()), counts(new.len()));
    format!(
        "--- a/f\n+++ b/f\n@@ -{},{removed} +{},{added} @@\n{hunk}",
        place(removed),
        place(added)
    )
}

fn written(mark: char, line: &str) -> String {
    match line.ends_with('\n') {
        true => format!("{mark}{line}"),
        false => format!("{mark}{line}\n\\ No newline at end of file\n"),
    }
}
