//! The rows of a change or a command that a person has to read.

use loop_telemetry::words::{
    count,
    style::{BAD, DIM, GOOD, WARN, paint},
};

use crate::SessionHost;

/// The maximum width of a row, in columns.
pub(super) const ROW_COLUMNS: usize = 76;

/// The minimum width, so that a sign and a mark fit beside it.
pub(super) const MIN_COLUMNS: usize = 8;

/// Marks a row that continues a line. It replaces the sign of the line.
const CONTINUED: char = '…';

/// Begins a row in place of blank ones. No row of a change or a command begins with it.
const FOLDED: char = '(';

/// The most blank rows that follow each other.
const MOST_BLANK: usize = 3;

/// As [`rows`], with one row in place of many blank ones: they would move what comes before off the screen.
pub(super) fn question_rows(text: &str, columns: usize) -> Vec<(char, String)> {
    let all = rows(text, columns);
    let mut shown = Vec::new();
    for alike in all.chunk_by(|one, other| is_blank(&one.1) && is_blank(&other.1)) {
        if alike.len() > MOST_BLANK {
            shown.push((FOLDED, format!("({})", count(alike.len() as u64, "blank row"))));
        } else {
            shown.extend_from_slice(alike);
        }
    }
    shown
}

/// Returns whether a row has only its sign.
fn is_blank(row: &str) -> bool {
    let mut signs = row.chars();
    signs.next();
    signs.as_str().trim().is_empty()
}

/// Splits a diff into rows with their signs, for a terminal of this width. The terminal itself must wrap none of them: the
/// rest would look like a line of its own.
pub(super) fn rows(diff: &str, columns: usize) -> Vec<(char, String)> {
    rows_within(diff, columns.clamp(MIN_COLUMNS, ROW_COLUMNS))
}

/// As [`rows`], with rows of at most this many columns.
pub(super) fn rows_within(diff: &str, most: usize) -> Vec<(char, String)> {
    let mut rows = Vec::new();
    for line in diff.lines() {
        let (mut row, mut columns, sign) = (String::new(), 0, line.chars().next().unwrap_or(' '));
        for letter in line.chars() {
            if columns + width(letter) > most {
                // A word stays whole if it fits.
                let end = row.rfind(' ').map(|at| at + 1).filter(|end| *end > most / 2).unwrap_or(row.len());
                let rest = row.split_off(end);
                rows.push((sign, std::mem::replace(&mut row, format!("{CONTINUED}{rest}"))));
                columns = row.chars().map(width).sum();
            }
            row.push(letter);
            columns += width(letter);
        }
        rows.push((sign, row));
    }
    rows
}

/// Returns the maximum width of a row with this sign, in columns.
fn width(sign: char) -> usize {
    if sign.is_ascii() { 1 } else { 2 }
}

/// Returns the lines of a diff for this host, coloured and wrapped.
pub(crate) fn painted_rows(diff: &str, host: &SessionHost) -> String {
    let rows = rows(&host.printable(diff), host.columns());
    rows.iter().map(|(sign, row)| painted(*sign, row)).collect::<Vec<_>>().join("\n")
}

pub(super) fn painted(sign: char, row: &str) -> String {
    match sign {
        '+' => paint(GOOD, row),
        '-' => paint(BAD, row),
        FOLDED => paint(WARN, row),
        _ => paint(DIM, row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_goes_on_in_rows_that_say_so() {
        let line = format!("+{} -gone", "x ".repeat(60));
        for (columns, most) in [(200, ROW_COLUMNS), (40, 40), (1, MIN_COLUMNS)] {
            let rows = rows(&line, columns);
            assert!(rows.len() > 1 && rows[1].1.starts_with('…'), "{rows:?}");
            assert!(rows.iter().all(|(sign, row)| *sign == '+' && row.chars().count() <= most), "{rows:?}");
            let whole: String = rows.iter().map(|(_, row)| row.trim_start_matches('…')).collect();
            assert_eq!(whole, line);
        }
    }

    #[test]
    fn blank_rows_move_nothing_off_the_screen() {
        let line = format!(" $ touch x; #{}cargo test", " ".repeat(3_000));
        let rows = question_rows(&line, 80);
        assert!(rows.len() < 6 && rows[0].1.starts_with(" $ touch x; #"), "{rows:?}");
        assert!(rows.iter().any(|(_, row)| row.starts_with('(') && row.ends_with("blank rows)")), "{rows:?}");
        assert!(rows[rows.len() - 1].1.ends_with("cargo test"), "{rows:?}");
        let script = format!("+echo EVIL\n{}+true", "+\n".repeat(300));
        let rows = question_rows(&script, 80);
        assert_eq!(rows[1], (FOLDED, "(300 blank rows)".to_owned()));
        assert_eq!(question_rows("+a\n+\n+\n+b", 80).len(), 4);
    }
}
