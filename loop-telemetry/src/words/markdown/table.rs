//! Tables: columns that fit the screen, with cells that wrap.

use anstyle::Style;
use pulldown_cmark::{Alignment, Event, Options, Parser, Tag, TagEnd};

use super::{
    inline::Inline,
    rows::{Row, Span, rows},
};
use crate::words::style::{BOLD, DIM, paint};

/// The text between two columns.
const GAP: &str = " │ ";

/// The columns of the gap.
const GAP_COLUMNS: usize = 3;

/// A parsed table.
#[derive(Debug, Default)]
struct Table {
    alignments: Vec<Alignment>,
    /// The cells of each row; the first row is the head.
    rows: Vec<Vec<Vec<Span>>>,
}

/// Lays out the table in these lines. Returns `None` if they are no table, or if the screen is too narrow for it.
pub(super) fn table(lines: &[String], width: usize) -> Option<Vec<String>> {
    let table = parse(&lines.join("\n"))?;
    let widths = table.widths(width)?;
    let mut shown = Vec::new();
    for (at, row) in table.rows.iter().enumerate() {
        shown.extend(table.row(row, &widths));
        if at == 0 {
            let rules: Vec<_> = widths.iter().map(|width| "─".repeat(*width)).collect();
            shown.push(paint(DIM, rules.join("─┼─")));
        }
    }
    Some(shown)
}

fn parse(source: &str) -> Option<Table> {
    let mut table = Table::default();
    let (mut cell, mut is_head) = (Inline::new(Style::new()), false);
    for event in Parser::new_ext(source, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::Table(alignments)) => table.alignments = alignments,
            Event::Start(Tag::TableHead) => {
                is_head = true;
                table.rows.push(Vec::new());
            }
            Event::Start(Tag::TableRow) => table.rows.push(Vec::new()),
            Event::End(TagEnd::TableHead) => is_head = false,
            Event::Start(Tag::TableCell) => {
                cell = Inline::new(if is_head { BOLD } else { Style::new() });
            }
            Event::End(TagEnd::TableCell) => {
                table.rows.last_mut()?.push(std::mem::take(&mut cell.spans));
            }
            Event::Text(text) => cell.text(&text, None),
            event => cell.event(event),
        }
    }
    (!table.alignments.is_empty()).then_some(table)
}

impl Table {
    /// Returns the widths of the columns. The widest columns become narrower until the table fits.
    fn widths(&self, width: usize) -> Option<Vec<usize>> {
        let count = self.alignments.len();
        let room = width.checked_sub(GAP_COLUMNS * (count - 1)).filter(|room| *room >= 2 * count)?;
        let widest = |at: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            let rows = cells.flat_map(|cell| rows(cell, room));
            rows.map(|row| row.width).max().unwrap_or(0).max(1)
        };
        let mut widths: Vec<_> = (0..count).map(widest).collect();
        while widths.iter().sum::<usize>() > room {
            *widths.iter_mut().max()? -= 1;
        }
        Some(widths)
    }

    fn row(&self, cells: &[Vec<Span>], widths: &[usize]) -> Vec<String> {
        let cells: Vec<_> = cells.iter().zip(widths).map(|(cell, width)| rows(cell, *width)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let empty = Row::default();
        let line = |at: usize| {
            let parts = cells.iter().zip(widths).zip(&self.alignments).map(|((cell, width), alignment)| {
                let row = cell.get(at).unwrap_or(&empty);
                padded(&row.text, width.saturating_sub(row.width), *alignment)
            });
            parts.collect::<Vec<_>>().join(&paint(DIM, GAP)).trim_end().to_owned()
        };
        (0..height).map(line).collect()
    }
}

fn padded(text: &str, room: usize, alignment: Alignment) -> String {
    let before = match alignment {
        Alignment::None | Alignment::Left => 0,
        Alignment::Center => room / 2,
        Alignment::Right => room,
    };
    format!("{}{text}{}", " ".repeat(before), " ".repeat(room - before))
}
