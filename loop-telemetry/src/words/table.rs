//! Tables of text, for a terminal.

use console::measure_text_width;

use super::style::{BOLD, paint};

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    head: &'static str,
    is_number: bool,
    least: usize,
}

impl Column {
    /// Makes a column of words, which begin beneath each other.
    pub const fn words(head: &'static str) -> Self {
        Self { head, is_number: false, least: 0 }
    }

    /// Makes a column of numbers, which end beneath each other.
    pub const fn numbers(head: &'static str) -> Self {
        Self { head, is_number: true, least: 0 }
    }

    /// Makes the column at least `least` cells wide. Tables that are printed one after the other look alike then.
    #[must_use]
    pub const fn at_least(self, least: usize) -> Self {
        Self { least, ..self }
    }

    fn cell(self, text: &str, width: usize) -> String {
        let gap = " ".repeat(width.saturating_sub(measure_text_width(text)));
        if self.is_number { format!("  {gap}{text}") } else { format!("  {text}{gap}") }
    }
}

/// Formats the head and the rows as lines. It leaves out a column in which every cell is empty.
///
/// Cells may be [painted](super::style::paint). Text of an agent has to be [printable](super::printable()) before.
///
/// ```
/// use loop_telemetry::words::{plain, table::{self, Column}};
///
/// const COLUMNS: &[Column] = &[Column::numbers("n"), Column::words("name")];
/// let rows = [["1", "one"], ["10", "ten"]].map(|row| row.map(str::to_owned).to_vec());
/// assert_eq!(plain(&table::lines(COLUMNS, &rows).join("\n")), "   n  name\n   1  one\n  10  ten");
/// ```
pub fn lines(columns: &[Column], rows: &[Vec<String>]) -> Vec<String> {
    let mut lines = vec![String::new(); rows.len() + 1];
    for (place, column) in columns.iter().enumerate() {
        let cells: Vec<_> = rows.iter().map(|row| row.get(place).map_or("", String::as_str)).collect();
        if cells.iter().all(|cell| cell.is_empty()) {
            continue;
        }
        let all = || [column.head].into_iter().chain(cells.iter().copied());
        let width = all().map(measure_text_width).fold(column.least, usize::max);
        for (line, text) in lines.iter_mut().zip(all()) {
            line.push_str(&column.cell(text, width));
        }
    }
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    lines[0] = paint(BOLD, &lines[0]);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_and_words_begin_beneath_each_other() {
        let columns =
            [Column::numbers("n"), Column::words("word"), Column::words("empty"), Column::words("end")];
        let rows =
            [["1", "日本", "", "x"], ["10", "longer", "", ""]].map(|row| row.map(str::to_owned).to_vec());
        let page = super::super::plain(&lines(&columns, &rows).join("\n")).into_owned();
        assert_eq!(page, "   n  word    end\n   1  日本    x\n  10  longer");
    }
}
