//! The lines of an output, as a person would see them.

use crate::{Redactor, words::printable};

/// A line of an output, or the place where a part of it was left out.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    Text(&'a str),
    Gap,
}

/// Returns the output without terminal controls and secrets. A carriage return ends a line, as a line feed does: a
/// progress bar would otherwise be joined with the text that overwrites it.
pub(super) fn visible(text: &str, secrets: &Redactor) -> String {
    let plain = if text.contains('\r') {
        printable(&text.replace("\r\n", "\n").replace('\r', "\n"), secrets)
    } else {
        printable(text, secrets)
    };
    plain.replace('\t', " ")
}

/// Splits an output into its lines. It drops the lines next to a gap, because their other ends are missing: `12 passed`
/// may be the rest of `3 failed, 12 passed`.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut lines = text.lines().peekable();
    let mut is_after_gap = false;
    std::iter::from_fn(move || {
        loop {
            let line = lines.next()?;
            let is_gap = is_notice(line);
            let is_torn = is_after_gap || lines.peek().is_some_and(|next| is_notice(next));
            is_after_gap = is_gap;
            match (is_gap, is_torn) {
                (true, _) => return Some(Line::Gap),
                (false, true) => {}
                (false, false) => return Some(Line::Text(line.trim_end())),
            }
        }
    })
}

/// Returns true for the notice of `loop_agents::output::excerpt`.
pub(super) fn is_notice(line: &str) -> bool {
    let count = line.strip_prefix("[... ").and_then(|rest| rest.strip_suffix(" bytes left out ...]"));
    count.is_some_and(|count| count.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_lines_are_dropped() {
        let text = "one\ntwo fai\n[... 7 bytes left out ...]\n3 passed\nfour  \n";
        let all: Vec<_> = lines(text).collect();
        assert_eq!(all, [Line::Text("one"), Line::Gap, Line::Text("four")]);
    }

    #[test]
    fn controls_end_or_leave_a_line() {
        let none = Redactor::new([""; 0]);
        assert_eq!(visible("a\r\nb\rc\t\u{1b}[31md\u{1b}[0m\u{202e}", &none), "a\nb\nc d");
    }
}
