//! Cells in columns.

use console::measure_text_width;

use super::{BOLD, paint};

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    head: &'static str,
    is_number: bool,
    least: usize,
}

impl Column {
    /// A column of words. They begin beneath each other.
    pub(crate) const fn words(head: &'static str) -> Self {
        Self { head, is_number: false, least: 0 }
    }

    /// A column of numbers. They end beneath each other.
    pub(crate) const fn numbers(head: &'static str) -> Self {
        Self { head, is_number: true, least: 0 }
    }

    /// The same, at least so wide: tables of one run that are printed one after the other look alike.
    pub(crate) const fn at_least(self, least: usize) -> Self {
        Self { least, ..self }
    }

    fn cell(self, text: &str, width: usize) -> String {
        let gap = " ".repeat(width.saturating_sub(measure_text_width(text)));
        if self.is_number { format!("  {gap}{text}") } else { format!("  {text}{gap}") }
    }
}

/// The head and the rows as lines. A column in which no row has anything is left out.
pub(crate) fn lines(columns: &[Column], rows: &[Vec<String>]) -> Vec<String> {
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
        let page = super::super::text::printable(&lines(&columns, &rows).join("\n"));
        assert_eq!(page, "   n  word    end\n   1  日本    x\n  10  longer");
    }
}
