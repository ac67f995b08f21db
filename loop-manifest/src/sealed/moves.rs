//! Tests that move together with the sources that they are beside.

use std::{ffi::OsStr, path::Path};

/// Folders in which runners look for no tests.
const PASSED: &[&str] = &["build", "dist", "node_modules", "target", "testdata", "vendor", "venv"];

/// Returns whether runners look for tests at a place, as far as its name says.
pub(super) fn is_searched(path: &Path) -> bool {
    let mut folders = path.iter().rev().skip(1).filter_map(OsStr::to_str);
    !folders.any(|name| name.starts_with(['.', '_']) || name.ends_with(".egg") || PASSED.contains(&name))
}

/// Returns whether two contents of a file are the same, but for the name of its folder, which was `from` and is `to`: as a
/// path, and as that of a module.
pub(super) fn are_same(from: &Path, to: &Path, first: &[u8], judged: &[u8]) -> bool {
    let texts = [str::from_utf8(first), str::from_utf8(judged)];
    let ([Ok(first), Ok(judged)], [Some(from), Some(to)]) = (texts, [from.to_str(), to.to_str()]) else {
        return first == judged;
    };
    let (short, long) = if from.len() <= to.len() { (from, to) } else { (to, from) };
    let plain = |text: &str| {
        ["/", ".", "::"].iter().fold(text.to_owned(), |text, sign| {
            text.replace(&long.replace('/', sign), &short.replace('/', sign))
        })
    };
    first == judged || plain(first) == plain(judged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_of_the_folder_may_differ() {
        for (first, judged, expected) in [
            ("a", "a", true),
            ("import \"app/sub\"", "import \"app/internal/sub\"", true),
            ("from sub.sums import add", "from internal.sub.sums import add", true),
            ("assert add(2, 2) == 4", "assert add(2, 2) == 0", false),
            ("a", "", false),
        ] {
            let (sub, internal) = (Path::new("sub"), Path::new("internal/sub"));
            assert_eq!(are_same(sub, internal, first.as_bytes(), judged.as_bytes()), expected, "{judged}");
            assert_eq!(are_same(internal, sub, judged.as_bytes(), first.as_bytes()), expected, "{judged}");
        }
        assert!(are_same(Path::new("a"), Path::new("b"), b"\xff", b"\xff"));
    }

    #[test]
    fn runners_pass_some_folders() {
        for (path, expected) in
            [("internal/sub/a_test.go", true), ("_old/a_test.go", false), ("x/vendor/test_a.py", false)]
        {
            assert_eq!(is_searched(Path::new(path)), expected, "{path}");
        }
    }
}
