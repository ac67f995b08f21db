//! Fenced code. Its lines are printed whole, so that copied code has no other line breaks than the model's, and without
//! colours, except for diffs (`docs/decisions/loop-cli/code-in-replies-is-plain.md`).

use anstyle::{AnsiColor, Style};

use crate::words::style::{ADDED, REMOVED, paint};

const PLACE: Style = AnsiColor::Cyan.on_default();

/// The indentation of code.
const INDENT: &str = "  ";

/// An open fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    sign: char,
    length: usize,
    /// The columns in front of the fence, which its lines have too.
    indent: usize,
    is_diff: bool,
}

impl Fence {
    /// Recognises an opening fence: three or more backticks or tildes, as in Markdown.
    pub(super) fn opened_by(line: &str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let sign = rest.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let length = rest.chars().take_while(|next| *next == sign).count();
        let about = rest[length..].trim();
        let opens = length >= 3 && !(sign == '`' && about.contains('`'));
        let language = about.split([' ', ',', ':', '{']).next().unwrap_or_default().to_ascii_lowercase();
        let is_diff = matches!(language.as_str(), "diff" | "patch");
        opens.then_some(Self { sign, length, indent: line.len() - rest.len(), is_diff })
    }

    pub(super) fn is_closed_by(self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|sign| sign == self.sign)
    }

    /// Formats a line of the code.
    pub(super) fn row(self, line: &str) -> String {
        let row = self.indented(line);
        if !self.is_diff {
            return row;
        }
        let code = row.trim_start_matches(' ');
        format!("{}{}", &row[..row.len() - code.len()], changed(code))
    }

    /// Indents a line of the code, instead of its fence.
    pub(super) fn indented(self, line: &str) -> String {
        let inner = line.chars().take(self.indent).take_while(|sign| *sign == ' ').count();
        let outer = " ".repeat(self.indent);
        format!("{INDENT}{outer}{}", line[inner..].replace('\t', "    ")).trim_end().to_owned()
    }
}

/// Colours a line of a diff.
fn changed(line: &str) -> String {
    match line.as_bytes().first() {
        Some(b'+') => paint(ADDED, line),
        Some(b'-') => paint(REMOVED, line),
        Some(b'@') => paint(PLACE, line),
        _ => line.to_owned(),
    }
}
