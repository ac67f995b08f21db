//! Markdown for people, rendered while it arrives.
//!
//! A reply arrives word by word. A row of the screen is printed for good as soon as no later word can change it: a line
//! of code when it is complete, a row of a paragraph when the next one has begun, and a table at its end.
//! [`Markdown::unfinished`] shows the rest, which the panel displays until it is final.

mod fence;
mod fitted;
mod inline;
mod line;
mod paragraph;
mod rows;
mod table;

use anstyle::Style;

pub use self::fitted::fitted;
use self::{
    fence::Fence,
    line::{Line, indentation, quotation},
    paragraph::Paragraph,
    rows::{Span, columns, rows},
    table::table,
};
use crate::words::style::{BOLD, DIM, paint};

/// The longest rule, in columns.
const RULE: usize = 40;

/// The indentation from which a line after a blank one is code.
const CODE_INDENT: usize = 4;

/// Renders one text. It must be harmless already: this adds styles, and removes nothing but markup.
///
/// ```
/// use loop_telemetry::words::{markdown::Markdown, plain};
///
/// let mut reply = Markdown::default();
/// assert!(reply.push("It is **do", 20).is_empty());
/// assert_eq!(plain(&reply.unfinished(20).join("\n")), "It is **do");
/// let mut rows = reply.push("ne**, and all the tests pass.\n", 20);
/// rows.extend(reply.end(20));
/// assert_eq!(plain(&rows.join("\n")), "It is done, and all\nthe tests pass.");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Markdown {
    /// The incomplete last line; only its rest if its beginning belongs to a paragraph.
    line: String,
    /// True if the beginning of the line belongs to the open paragraph.
    is_begun: bool,
    block: Block,
    /// True within a list, where indented lines are no code.
    in_list: bool,
    rows: FinalRows,
}

#[derive(Debug, Clone, Default)]
enum Block {
    #[default]
    None,
    Paragraph(Paragraph),
    Table(Vec<String>),
    Fence(Fence),
}

/// The rows that are final. Blank rows wait for the next row with text, so none precedes or ends the text.
#[derive(Debug, Clone, Default)]
struct FinalRows {
    rows: Vec<String>,
    has_begun: bool,
    is_blank_due: bool,
}

impl FinalRows {
    fn push(&mut self, row: String) {
        if std::mem::take(&mut self.is_blank_due) && self.has_begun {
            self.rows.push(String::new());
        }
        self.has_begun = true;
        self.rows.push(row);
    }

    fn extend(&mut self, rows: impl IntoIterator<Item = String>) {
        rows.into_iter().for_each(|row| self.push(row));
    }
}

impl Markdown {
    /// Takes the next piece of the text. Returns the rows that are final now, for a screen of this many columns.
    pub fn push(&mut self, text: &str, width: usize) -> Vec<String> {
        let mut rest = text;
        while let Some((line, next)) = rest.split_once('\n') {
            self.line.push_str(line);
            self.end_line(width);
            rest = next;
        }
        self.line.push_str(rest);
        self.absorb(width);
        if let Block::Paragraph(paragraph) = &mut self.block {
            self.rows.extend(paragraph.final_rows(width));
        }
        std::mem::take(&mut self.rows.rows)
    }

    /// Returns the rows that are not final yet. Each fits the screen.
    pub fn unfinished(&self, width: usize) -> Vec<String> {
        match self.block {
            Block::Fence(_) if self.line.is_empty() => Vec::new(),
            Block::Fence(fence) => hard_wrapped(&fence.indented(&self.line), width),
            _ => self.clone().end(width),
        }
    }

    /// Ends the text. Returns its last rows.
    pub fn end(&mut self, width: usize) -> Vec<String> {
        if !self.line.is_empty() || self.is_begun {
            self.end_line(width);
        }
        self.end_block(width);
        let rows = std::mem::take(&mut self.rows.rows);
        *self = Self::default();
        rows
    }

    fn end_line(&mut self, width: usize) {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_begun) {
            if let Block::Paragraph(paragraph) = &mut self.block {
                paragraph.push(&line);
            }
            return;
        }
        self.take_line(&line, width);
    }

    /// Lets the open paragraph take the beginning of a long line, so that its rows can become final.
    fn absorb(&mut self, width: usize) {
        if !self.is_begun {
            let (_, text) = quotation(&self.line);
            let (_, text) = indentation(text);
            let is_text = matches!(Line::of(text), Line::Item { .. } | Line::Text(_))
                && !matches!(self.block, Block::Fence(_))
                && Fence::opened_by(text).is_none()
                && !self.is_indented_code(&self.line);
            if !is_text || columns(&self.line) <= width {
                return;
            }
            let line = std::mem::take(&mut self.line);
            self.take_line(&line, width);
            self.is_begun = true;
        } else if let Block::Paragraph(paragraph) = &mut self.block {
            paragraph.push(&std::mem::take(&mut self.line));
        }
    }

    /// Takes a whole line, or the beginning of a line of text.
    fn take_line(&mut self, line: &str, width: usize) {
        if let Block::Fence(fence) = self.block {
            if fence.is_closed_by(line) {
                self.block = Block::None;
            } else {
                self.rows.push(fence.row(line));
            }
            return;
        }
        let (depth, line) = quotation(line);
        if depth == 0 && self.is_indented_code(line) {
            return self.rows.push(line.replace('\t', "    "));
        }
        let (indent, text) = indentation(line);
        if depth == 0
            && let Some(fence) = Fence::opened_by(line).filter(|_| self.in_list || indent < CODE_INDENT)
        {
            self.end_block(width);
            self.block = Block::Fence(fence);
            return;
        }
        match Line::of(text) {
            Line::Blank => {
                self.end_block(width);
                self.rows.is_blank_due = true;
            }
            Line::TableRow if depth == 0 => match &mut self.block {
                Block::Table(lines) => lines.push(line.to_owned()),
                _ => {
                    self.end_block(width);
                    self.block = Block::Table(vec![text.to_owned()]);
                }
            },
            Line::Heading { level, text } => {
                let style = if level == 1 { BOLD.underline() } else { BOLD };
                self.begin(Paragraph::new(String::new(), style, text).quoted(depth), width);
                self.end_block(width);
                self.in_list = false;
            }
            Line::Rule => {
                self.end_block(width);
                self.rows.push(paint(DIM, "─".repeat(RULE.min(width))));
            }
            Line::Item { sign, text } => {
                self.in_list = true;
                let sign = " ".repeat(indent.min(width / 2)) + &sign;
                self.begin(Paragraph::new(sign, Style::new(), text).quoted(depth), width);
            }
            Line::Text(_) | Line::TableRow => match &mut self.block {
                Block::Paragraph(open) if open.quotation == depth => open.push_line(text),
                _ => {
                    self.in_list &= indent > 0;
                    let indent = if self.in_list { indent.min(width / 2) } else { 0 };
                    let paragraph = Paragraph::new(" ".repeat(indent), Style::new(), text);
                    self.begin(paragraph.quoted(depth), width);
                }
            },
        }
    }

    fn begin(&mut self, paragraph: Paragraph, width: usize) {
        self.end_block(width);
        self.block = Block::Paragraph(paragraph);
    }

    fn end_block(&mut self, width: usize) {
        match std::mem::take(&mut self.block) {
            Block::None | Block::Fence(_) => {}
            Block::Paragraph(paragraph) => self.rows.extend(paragraph.end(width)),
            Block::Table(lines) => {
                let plain = || lines.iter().flat_map(|line| hard_wrapped(line, width)).collect();
                self.rows.extend(table(&lines, width).unwrap_or_else(plain));
            }
        }
    }

    fn is_indented_code(&self, line: &str) -> bool {
        let is_free = !self.in_list && matches!(self.block, Block::None);
        is_free && indentation(line).0 >= CODE_INDENT && !line.trim().is_empty()
    }
}

/// Wraps the words of a plain text into rows of at most this many columns.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let span = Span { text: text.to_owned(), style: Style::new(), at: None };
    rows(&[span], width).into_iter().map(|row| row.text).collect()
}

/// Divides a line into rows, without a change of its words.
fn hard_wrapped(line: &str, width: usize) -> Vec<String> {
    let span = Span { text: line.replace(' ', "\u{a0}"), style: Style::new(), at: None };
    rows(&[span], width).into_iter().map(|row| row.text.replace('\u{a0}', " ")).collect()
}

#[cfg(test)]
mod tests;
