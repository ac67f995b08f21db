//! Lays out styled text in rows: words wrap, and a word that is wider than a row is divided.

use anstyle::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::words::style::paint;

/// Signs that do not begin a row, although they follow a wide character.
const CLOSING: &str = "、。，．・：；？！）」』】》〉〕］｝’”…";

/// A text of one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
    /// The offset of the text in its source, if the text stands there literally and outside all markup.
    pub(super) at: Option<usize>,
}

/// A row of the screen.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// The text, with its styles.
    pub(super) text: String,
    pub(super) width: usize,
    /// The offset of the row's first word in the source, as for [`Span::at`].
    pub(super) at: Option<usize>,
}

/// A text without a place where a row could end.
#[derive(Debug, Default)]
struct Word {
    parts: Vec<(String, Style)>,
    width: usize,
    at: Option<usize>,
    /// The blanks before it.
    blanks: Vec<(String, Style)>,
    /// True if it begins a line.
    begins_line: bool,
}

/// Returns the columns of a text. Terminals disagree about joined emoji, so this returns the largest number that one
/// of them uses: a row is rather too short than cut.
pub(super) fn columns(text: &str) -> usize {
    let columns = |cluster: &str| {
        cluster.width().max(cluster.chars().map(|sign| sign.width().unwrap_or(0)).sum::<usize>())
    };
    text.graphemes(true).map(columns).sum()
}

/// Wraps the text into rows of at most this many columns.
pub(super) fn rows(spans: &[Span], width: usize) -> Vec<Row> {
    let width = width.max(1);
    let mut rows = Vec::new();
    let mut row = RowWriter::default();
    for word in words(spans) {
        let blanks: usize = word.blanks.iter().map(|(text, _)| columns(text)).sum();
        if word.begins_line || row.width > 0 && row.width + blanks + word.width > width {
            rows.push(row.end());
        } else if row.width + blanks < width {
            word.blanks.iter().for_each(|(text, style)| row.push(text, *style));
        }
        if row.is_empty() {
            row.at = word.at;
        }
        for (text, style) in &word.parts {
            for cluster in text.graphemes(true) {
                if row.width > 0 && row.width + columns(cluster) > width {
                    rows.push(row.end());
                }
                row.push(cluster, *style);
            }
        }
    }
    rows.push(row.end());
    rows
}

/// Divides the text into words.
fn words(spans: &[Span]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let (mut word, mut may_break) = (Word::default(), false);
    for Span { text, style, at } in spans {
        for (offset, cluster) in text.grapheme_indices(true) {
            let is_blank = cluster == " " || cluster == "\n" || cluster == "\t";
            let is_wide = columns(cluster) > 1;
            let is_closing = CLOSING.contains(cluster);
            if !word.parts.is_empty() && (is_blank || (is_wide || may_break) && !is_closing) {
                words.push(std::mem::take(&mut word));
            }
            may_break = is_wide;
            if cluster == "\n" {
                words.extend(word.begins_line.then(|| std::mem::take(&mut word)));
                word = Word { begins_line: true, ..Word::default() };
            } else if is_blank {
                let blank = if cluster == "\t" { "    " } else { cluster };
                word.blanks.push((blank.to_owned(), *style));
            } else {
                if word.parts.is_empty() {
                    word.at = at.map(|at| at + offset);
                }
                word.parts.push((cluster.to_owned(), *style));
                word.width += columns(cluster);
            }
        }
    }
    if !word.parts.is_empty() || word.begins_line {
        words.push(word);
    }
    words
}

/// Builds a row, with as few style changes as possible.
#[derive(Debug, Default)]
struct RowWriter {
    text: String,
    open: Option<(String, Style)>,
    width: usize,
    at: Option<usize>,
}

impl RowWriter {
    fn is_empty(&self) -> bool {
        self.width == 0
    }

    fn push(&mut self, text: &str, style: Style) {
        self.width += columns(text);
        match &mut self.open {
            Some((open, same)) if *same == style => open.push_str(text),
            _ => {
                self.close();
                self.open = Some((text.to_owned(), style));
            }
        }
    }

    fn close(&mut self) {
        if let Some((text, style)) = self.open.take() {
            self.text.push_str(&painted(style, &text));
        }
    }

    /// Returns the row, and begins the next one.
    fn end(&mut self) -> Row {
        self.close();
        let Self { text, width, at, .. } = std::mem::take(self);
        Row { text, width, at }
    }
}

/// Returns the text in this style, without controls if the style is plain.
pub(super) fn painted(style: Style, text: &str) -> String {
    if style == Style::new() { text.to_owned() } else { paint(style, text) }
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str, width: usize) -> Vec<String> {
        let span = Span { text: text.to_owned(), style: Style::new(), at: Some(0) };
        rows(&[span], width).into_iter().map(|row| row.text).collect()
    }

    #[test]
    fn words_wrap_and_only_what_is_wider_than_a_row_is_divided() {
        assert_eq!(shown("one two three", 7), ["one two", "three"]);
        assert_eq!(shown("a  b\nc", 9), ["a  b", "c"]);
        assert_eq!(shown("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
        assert_eq!(shown("漢字かな交じり文。", 6), ["漢字か", "な交じ", "り文。"]);
        assert_eq!(shown("三四五。六", 6), ["三四", "五。六"]);
        assert_eq!(shown("ok 👩‍👩‍👧 ok", 8), ["ok", "👩‍👩‍👧", "ok"]);
        assert_eq!(shown("", 5), [""]);
    }

    #[test]
    fn a_row_knows_where_it_begins_in_the_source() {
        let span = Span { text: "one two\nthree".to_owned(), style: Style::new(), at: Some(10) };
        let at: Vec<_> = rows(&[span], 4).iter().map(|row| row.at).collect();
        // The last row is the rest of a divided word.
        assert_eq!(at, [Some(10), Some(14), Some(18), None]);
    }

    proptest! {
        #[test]
        fn rows_fit_and_keep_every_sign(
            texts in prop::collection::vec("[a-zé漢。👍 \n]{0,30}", 0..4), width in 2..30_usize,
        ) {
            let styles = [Style::new(), Style::new().bold(), Style::new().italic()];
            let spans: Vec<_> = texts
                .iter()
                .enumerate()
                .map(|(at, text)| Span { text: text.clone(), style: styles[at % 3], at: None })
                .collect();
            let rows = rows(&spans, width);
            let solid = |text: &str| text.chars().filter(|sign| !sign.is_whitespace()).collect::<String>();
            let shown: String = rows.iter().map(|row| strip_str(&row.text).to_string()).collect();
            prop_assert_eq!(solid(&shown), solid(&texts.concat()));
            for row in rows {
                prop_assert_eq!(columns(&strip_str(&row.text).to_string()), row.width);
                prop_assert!(row.width <= width, "{:?}", row);
            }
        }
    }
}
