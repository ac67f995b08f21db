//! A paragraph that is still being written.

use anstyle::Style;

use super::{
    inline::{may_open_markup, spans},
    rows::{Span, columns, rows},
};

/// The narrowest text: on a narrower screen, indentations become shorter.
const MIN_TEXT: usize = 8;

/// A paragraph: its text so far, without the rows that are already final.
#[derive(Debug, Clone)]
pub(super) struct Paragraph {
    /// The signs in front of the next row.
    first: String,
    /// The signs in front of later rows.
    rest: String,
    style: Style,
    source: String,
    /// The depth of the quotation that it belongs to.
    pub(super) quotation: usize,
}

impl Paragraph {
    pub(super) fn new(first: String, style: Style, text: &str) -> Self {
        let rest = " ".repeat(columns(&first));
        Self { first, rest, style, source: text.to_owned(), quotation: 0 }
    }

    /// Puts the paragraph into a quotation, whose signs precede each row.
    pub(super) fn quoted(self, quotation: usize) -> Self {
        let signs = "│ ".repeat(quotation);
        let (first, rest) = (format!("{signs}{}", self.first), format!("{signs}{}", self.rest));
        Self { first, rest, quotation, ..self }
    }

    /// Adds text to the current line.
    pub(super) fn push(&mut self, text: &str) {
        self.source.push_str(text);
    }

    /// Adds a line.
    pub(super) fn push_line(&mut self, line: &str) {
        self.source.push('\n');
        self.source.push_str(line);
    }

    /// Returns the rows that no later text changes, and keeps the rest.
    pub(super) fn final_rows(&mut self, width: usize) -> Vec<String> {
        let spans = spans(&self.source, self.style);
        let laid_out = rows(&spans, self.text_width(width));
        // A row is final when the next one has begun, outside all markup. Its first word must be free of markup too: it
        // could become short enough for the row before.
        let is_final = |at: usize| {
            let word = self.source[at..].find(char::is_whitespace).unwrap_or(self.source.len() - at);
            !opens_markup_before(&spans, at + word) && !opens_code_before(&self.source, at + word)
        };
        let cut = laid_out
            .iter()
            .enumerate()
            .skip(1)
            .filter_map(|(row, laid_out)| Some((row, laid_out.at?)))
            .take_while(|(_, at)| is_final(*at))
            .last();
        let Some((count, at)) = cut else { return Vec::new() };
        self.source.drain(..at);
        laid_out.into_iter().take(count).map(|row| self.prefixed(&row.text)).collect()
    }

    /// Returns all remaining rows.
    pub(super) fn end(mut self, width: usize) -> Vec<String> {
        let spans = spans(self.source.trim_end(), self.style);
        let rows = rows(&spans, self.text_width(width));
        rows.into_iter().map(|row| self.prefixed(&row.text)).collect()
    }

    fn text_width(&self, width: usize) -> usize {
        width.saturating_sub(columns(&self.rest)).max(MIN_TEXT.min(width))
    }

    fn prefixed(&mut self, row: &str) -> String {
        let first = std::mem::replace(&mut self.first, self.rest.clone());
        format!("{first}{row}").trim_end().to_owned()
    }
}

/// Returns whether markup may begin in the literal text before this offset.
fn opens_markup_before(spans: &[Span], end: usize) -> bool {
    spans.iter().any(|span| {
        let Some(at) = span.at else { return false };
        may_open_markup(span.text.get(..end.saturating_sub(at)).unwrap_or(&span.text))
    })
}

/// Returns whether backticks before this offset have no closing ones yet. Code binds more tightly than other markup, so a
/// later line that closes it can undo an emphasis.
fn opens_code_before(source: &str, end: usize) -> bool {
    let run_at = |from: usize| {
        let begin = from + source[from..].find('`')?;
        let after = source[begin..].trim_start_matches('`').len();
        Some((begin, source.len() - after))
    };
    let mut next = 0;
    while let Some((begin, after)) = run_at(next).filter(|(begin, _)| *begin < end) {
        let mut later = std::iter::successors(run_at(after), |(_, after)| run_at(*after));
        match later.find(|(other, close)| close - other == after - begin) {
            Some((_, close)) => next = close,
            None => return true,
        }
    }
    false
}
