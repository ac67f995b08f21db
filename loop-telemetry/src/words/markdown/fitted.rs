//! Wraps the lines of a text of this program at the edge of the terminal.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use super::rows::columns;
use crate::words::plain;

/// The end of a part of a line. A line breaks best there.
const PART_END: &str = " ·";

/// The additional indentation of a row that continues a line, in columns.
const HANGING: usize = 2;

/// Breaks the lines that are wider than this many columns at blanks, and rather after ` ·`, which separates the parts of
/// a line. A terminal alone would break them within a word.
///
/// Rows that continue a line are indented, so that none of them looks like a line of its own. If the line begins with a
/// name and a gap, they are below its value. Words that are wider than a row stay whole, and the
/// [styles](super::super::style) of this program stay.
///
/// ```
/// use loop_telemetry::words::markdown::fitted;
///
/// assert_eq!(fitted("a fast model · 1.2s · cost unknown", 24), "a fast model · 1.2s ·\n  cost unknown");
/// ```
pub fn fitted(text: &str, width: usize) -> Cow<'_, str> {
    let is_wide = |line: &str| line.len() > width && columns(&plain(line)) > width;
    if !text.split('\n').any(is_wide) {
        return Cow::Borrowed(text);
    }
    let line = |line| if is_wide(line) { rows(line, width) } else { line.to_owned() };
    Cow::Owned(text.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

/// A place where a row can end.
#[derive(Clone, Copy)]
struct Break {
    /// The offset of the blank.
    at: usize,
    column: usize,
}

/// Divides one line into rows.
fn rows(line: &str, width: usize) -> String {
    let indent = " ".repeat(hanging(&plain(line), width));
    let (mut rows, mut begin, mut column, mut has_word) = (String::new(), 0, 0, false);
    let (mut blank, mut part): (Option<Break>, Option<Break>) = (None, None);
    let mut style_ends = 0;
    for (at, cluster) in line.grapheme_indices(true) {
        if at < style_ends {
            continue;
        }
        if cluster == "\u{1b}" {
            style_ends = line[at..].find('m').map_or(line.len(), |end| at + end + 1);
            continue;
        }
        if cluster == " " {
            if has_word {
                blank = Some(Break { at, column });
                part = if line[..at].ends_with(PART_END) { blank } else { part };
            }
            column += 1;
            continue;
        }
        // The first break may be an early one, so that the rest does not fit either.
        while column + columns(cluster) > width
            && let Some(end) = part.filter(|part| part.column * 2 > width).or(blank)
        {
            rows.push_str(line[begin..end.at].trim_end_matches(' '));
            rows.push('\n');
            rows.push_str(&indent);
            begin = end.at + (line[end.at..].len() - line[end.at..].trim_start_matches(' ').len());
            column = indent.len() + columns(&plain(&line[begin..at]));
            (blank, part) = (blank.filter(|it| it.at > begin), None);
        }
        has_word = true;
        column += columns(cluster);
    }
    rows + &line[begin..]
}

/// Returns the indentation of the rows that continue a line: that of its value, if it begins with a name and a gap.
fn hanging(line: &str, width: usize) -> usize {
    let own = line.len() - line.trim_start_matches(' ').len();
    let value = line[own..].find("  ").map(|gap| {
        let after = &line[own + gap..];
        columns(&line[..own + gap]) + after.len() - after.trim_start_matches(' ').len()
    });
    value.filter(|value| *value <= width / 2).unwrap_or(own + HANGING).min(width / 2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::super::style::{DIM, paint},
        *,
    };

    #[test]
    fn a_line_breaks_between_its_parts_and_else_at_a_blank() {
        let line = "scripted · 246 reply + 31 read tokens · context 3% · 5.6s · cost unknown";
        let expected = "scripted · 246 reply + 31 read tokens ·\n  context 3% · 5.6s · cost unknown";
        assert_eq!(fitted(line, 50), expected);
        assert_eq!(plain(&fitted(&paint(DIM, line), 50)), expected);
        assert_eq!(fitted("  one two three", 10), "  one two\n    three");
        assert_eq!(fitted("  next   one two three", 18), "  next   one two\n         three");
        assert_eq!(fitted("漢字 漢字 漢字", 10), "漢字 漢字\n  漢字");
        assert_eq!(fitted("short\nhttps://example.com/long x", 12), "short\nhttps://example.com/long\n  x");
    }

    proptest! {
        #[test]
        fn no_word_changes_and_each_row_fits_or_is_one_word(
            text in "( |[a-z]{1,9}|漢字|👩‍👩‍👧| · |\n){0,30}",
            width in 1_usize..30,
            is_styled: bool,
        ) {
            let shown = if is_styled { paint(DIM, &text) } else { text.clone() };
            let rows = fitted(&shown, width);
            let shown = plain(&rows).into_owned();
            prop_assert!(shown.split_whitespace().eq(text.split_whitespace()), "{}", shown);
            for row in shown.lines() {
                let is_word = row.split_whitespace().count() <= 1;
                prop_assert!(is_word || columns(row.trim_end()) <= width, "{:?}", row);
            }
            let whole = fitted(&text, 10_000);
            prop_assert_eq!(&*whole, text.as_str());
        }
    }
}
