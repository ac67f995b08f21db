//! Shows a person how a change affects a text.

mod visible;

use similar::TextDiff;

pub use self::visible::visible;
pub(super) use self::visible::visible_command;

/// The most lines that either text may have. Comparing more takes seconds.
const MAX_LINES: usize = 10_000;

/// The most bytes of a diff. Nobody reads more before saying yes.
const MAX_BYTES: usize = 64 * 1024;

/// Formats the lines that a change removes (`-`) and adds (`+`), with three lines of context, as a unified diff.
/// Returns `None` if the diff is too long for a person to read. It omits no changed line, and it makes all characters
/// [visible].
pub(super) fn diff(old: &str, new: &str) -> Option<String> {
    if [old, new].iter().any(|text| text.lines().count() > MAX_LINES) {
        return None;
    }
    // This must happen before the comparison, which also splits lines at characters other than `\n`.
    let (old, new) = (visible(old), visible(new));
    let text = TextDiff::from_lines(&*old, &*new).unified_diff().to_string();
    (text.len() <= MAX_BYTES).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_line_that_changes_is_shown(old in "([a-c]\n){0,8}", new in "([a-c]\n){0,8}") {
            let shown = diff(&old, &new).unwrap();
            let count = |sign: char| shown.lines().filter(|line| line.starts_with(sign)).count();
            let grown = new.lines().count() as i64 - old.lines().count() as i64;
            prop_assert_eq!(count('+') as i64 - count('-') as i64, grown);
            prop_assert_eq!(count('+') + count('-') == 0, old == new);
        }
    }

    proptest! {
        /// The visible lines determine the bytes of the new file.
        #[test]
        fn the_new_text_can_be_told_from_what_is_shown(
            old in "([a-c \\\\\r\u{b}\u{202e}]{0,3}\n){0,4}", new in "([a-c \\\\\r\u{b}\u{202e}]{0,3}\n){0,4}",
        ) {
            let shown = diff(&old, &new).unwrap();
            let rows = shown.lines().filter(|row| row.starts_with(['+', ' ']));
            let rows: Vec<_> = rows.map(|row| format!("{}\n", &row[1..])).collect();
            // In such a short text all lines are within three of a changed one.
            if old != new && old.lines().count().max(new.lines().count()) <= 4 {
                prop_assert_eq!(rows.concat(), &*visible(&new));
            }
        }
    }

    #[test]
    fn a_change_is_shown_with_what_stands_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9";
        let shown = diff(old, &old.replace("5\n", "five\n")).unwrap();
        assert_eq!(shown, "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
        assert_eq!(diff("", "a").unwrap(), "@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n");
    }

    #[test]
    fn a_change_that_nobody_would_read_is_not_shown() {
        assert_eq!(diff("", &"a\n".repeat(10_001)), None);
        assert_eq!(diff("", &"a".repeat(70_000)), None);
        assert!(diff(&"a\n".repeat(9_000), &format!("{}b\n", "a\n".repeat(9_000))).is_some());
    }
}
