//! Names that may have been meant: those most like the one that was given.

/// Names offered at the most.
const OFFERED: usize = 3;
/// How alike a name must be, from 0 to 1.
const ALIKE: f64 = 0.6;
/// What it is worth when only the part before the ending is alike.
const STEM: f64 = 0.8;

/// The names of `known` that are like `wanted`, most alike first.
pub fn near<S: AsRef<str>>(wanted: &str, known: impl IntoIterator<Item = S>) -> Vec<String> {
    let ranked = known.into_iter().map(|name| (likeness(wanted, name.as_ref()), name));
    let mut ranked: Vec<(f64, S)> =
        ranked.filter(|(alike, name)| *alike >= ALIKE && name.as_ref() != wanted).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.as_ref().cmp(b.1.as_ref())));
    ranked.into_iter().take(OFFERED).map(|(_, name)| name.as_ref().to_owned()).collect()
}

/// The question that offers these names; `None` when there are none.
pub fn question(near: &[String]) -> Option<String> {
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
}

/// Alike but for case counts as nearly the same; so do the same name with another ending or with one word more.
fn likeness(wanted: &str, other: &str) -> f64 {
    let (wanted, other) = (wanted.to_lowercase(), other.to_lowercase());
    let whole = strsim::normalized_damerau_levenshtein(&wanted, &other);
    let stems = match (stem(&wanted), stem(&other)) {
        ("", _) | (_, "") => 0.0,
        (wanted, other) => STEM * strsim::normalized_damerau_levenshtein(wanted, other),
    };
    let words =
        if adds_a_word(&wanted, &other) || adds_a_word(&other, &wanted) { STEM } else { 0.0 };
    whole.max(stems).max(words)
}

fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

/// `file_path` is `path` and one word more.
fn adds_a_word(short: &str, long: &str) -> bool {
    let joints = ['_', '-'];
    !short.is_empty()
        && (long.strip_prefix(short).is_some_and(|rest| rest.starts_with(joints))
            || long.strip_suffix(short).is_some_and(|rest| rest.ends_with(joints)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant() {
        let cases: [(&str, &[&str], &[&str]); 7] = [
            ("man.rs", &["main.rs", "lib.rs", "main.py"], &["main.rs", "main.py"]),
            ("pyton", &["python.md", "java.md"], &["python.md"]),
            ("README", &["readme.md"], &["readme.md"]),
            ("file_path", &["root", "path"], &["path"]),
            (
                "offset",
                &["offset_bytes", "limit_bytes", "offset_lines"],
                &["offset_bytes", "offset_lines"],
            ),
            ("zzz", &["lang", "docs"], &[]),
            ("", &["lang"], &[]),
        ];
        for (wanted, known, expected) in cases {
            assert_eq!(near(wanted, known), expected, "{wanted}");
        }
    }
}
