//! The kind of a source line.

use super::rows::columns;

/// The sign of a list item, as the screen shows it.
const BULLET: &str = "• ";

/// A line of Markdown, outside fences and tables.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Blank,
    Heading {
        level: usize,
        text: &'a str,
    },
    Rule,
    TableRow,
    /// The first line of a list item.
    Item {
        sign: String,
        text: &'a str,
    },
    Text(&'a str),
}

impl<'a> Line<'a> {
    /// Recognises a line, without its indentation.
    pub(super) fn of(line: &'a str) -> Self {
        if line.trim().is_empty() {
            return Self::Blank;
        }
        if line.starts_with('|') {
            return Self::TableRow;
        }
        heading(line).or_else(|| rule(line)).or_else(|| item(line)).unwrap_or(Self::Text(line))
    }
}

fn heading(line: &str) -> Option<Line<'_>> {
    let level = line.bytes().take_while(|sign| *sign == b'#').count();
    let text = &line[level..];
    let is_heading = (1..=6).contains(&level) && (text.is_empty() || text.starts_with(' '));
    let closed = text.trim_end().trim_end_matches('#');
    let text = if closed.is_empty() || closed.ends_with(' ') { closed } else { text };
    is_heading.then_some(Line::Heading { level, text: text.trim() })
}

fn rule(line: &str) -> Option<Line<'_>> {
    let sign = line.chars().next().filter(|sign| matches!(sign, '-' | '*' | '_'))?;
    let is_rule = line.chars().all(|next| next == sign || next == ' ') && line.matches(sign).count() >= 3;
    is_rule.then_some(Line::Rule)
}

fn item(line: &str) -> Option<Line<'_>> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let length = match line[digits..].chars().next()? {
        '-' | '*' | '+' if digits == 0 => 1,
        '.' | ')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let (marker, rest) = line.split_at(length);
    let text = if rest.is_empty() { rest } else { rest.strip_prefix(' ')?.trim_start() };
    let sign = if digits == 0 { BULLET.to_owned() } else { format!("{marker} ") };
    let boxes = [("[ ] ", "☐ "), ("[x] ", "☑ "), ("[X] ", "☑ ")];
    Some(match boxes.iter().find_map(|(written, shown)| Some((shown, text.strip_prefix(written)?))) {
        Some((shown, text)) if digits == 0 => Line::Item { sign: (*shown).to_owned(), text },
        Some((shown, text)) => Line::Item { sign: format!("{sign}{shown}"), text },
        None => Line::Item { sign, text },
    })
}

/// Splits a line into the columns of its indentation and the rest.
pub(super) fn indentation(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches([' ', '\t']);
    (columns(&line[..line.len() - rest.len()].replace('\t', "    ")), rest)
}

/// Splits the signs of quotations off a line. Returns their number.
pub(super) fn quotation(line: &str) -> (usize, &str) {
    let (mut depth, mut rest) = (0, line);
    while let Some(quoted) = rest.trim_start_matches(' ').strip_prefix('>') {
        depth += 1;
        rest = quoted.strip_prefix(' ').unwrap_or(quoted);
    }
    (depth, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_known_by_its_first_signs() {
        let item = |sign: &str, text| Line::Item { sign: sign.to_owned(), text };
        for (line, kind) in [
            (" ", Line::Blank),
            ("## A # title ##", Line::Heading { level: 2, text: "A # title" }),
            ("# C#", Line::Heading { level: 1, text: "C#" }),
            ("#hashtag", Line::Text("#hashtag")),
            ("- - -", Line::Rule),
            ("***", Line::Rule),
            ("**bold**", Line::Text("**bold**")),
            ("- one", item("• ", "one")),
            ("* [x] done", item("☑ ", "done")),
            ("12) twelve", item("12) ", "twelve")),
            ("1.5 is no item", Line::Text("1.5 is no item")),
            ("-1 neither", Line::Text("-1 neither")),
            ("| a | b |", Line::TableRow),
            ("é", Line::Text("é")),
        ] {
            assert_eq!(Line::of(line), kind, "{line:?}");
        }
        assert_eq!(quotation(">> a"), (2, "a"));
        assert_eq!(quotation("> > a > b"), (2, "a > b"));
        assert_eq!(indentation(" \ta"), (5, "a"));
    }
}
