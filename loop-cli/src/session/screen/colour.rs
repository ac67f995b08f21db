//! Replies in colour: code in its fences, and headings.
//!
//! A reply comes line by line and is never seen again, so a line is coloured by what stands in it and by the fence
//! around it. That is right for nearly all code, and wrong only in colour where it is not (a text over several lines).
//! A library that knows a hundred grammars takes longer to load than a model takes to answer.

use anstyle::{AnsiColor, Style};

use super::syntax::{Syntax, of_language};
use crate::view::{BOLD, DIM, paint};

const KEYWORD: Style = AnsiColor::Magenta.on_default();
const TEXT: Style = AnsiColor::Green.on_default();
const NUMBER: Style = AnsiColor::Cyan.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();

/// Colours the lines of one reply, in their order.
#[derive(Debug, Default)]
pub(super) struct Colours {
    fence: Option<Fence>,
}

/// An open fence.
#[derive(Debug, Clone, Copy)]
struct Fence {
    sign: char,
    length: usize,
    code: Code,
}

/// What is inside of a fence.
#[derive(Debug, Clone, Copy)]
enum Code {
    Plain,
    Diff,
    Known(&'static Syntax),
}

impl Colours {
    /// The next line, in colour.
    pub(super) fn line(&mut self, line: &str) -> String {
        let shown = self.peek(line);
        match self.fence {
            Some(open) if open.is_closed_by(line) => self.fence = None,
            Some(_) => {}
            None => self.fence = Fence::opened_by(line),
        }
        shown
    }

    /// The same for a line that has not ended yet.
    pub(super) fn peek(&self, line: &str) -> String {
        match self.fence {
            Some(open) if open.is_closed_by(line) => paint(DIM, line),
            Some(open) => open.code.line(line),
            None if Fence::opened_by(line).is_some() => paint(DIM, line),
            None if is_heading(line) => paint(BOLD, line),
            None => line.to_owned(),
        }
    }
}

impl Fence {
    /// Of three or more backticks or tildes, indented by at most three spaces, as Markdown has it.
    fn opened_by(line: &str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let sign = rest.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let length = rest.chars().take_while(|next| *next == sign).count();
        let about = rest[length..].trim();
        let opens = length >= 3 && line.len() - rest.len() < 4 && !(sign == '`' && about.contains('`'));
        let language = about.split([' ', ',', ':', '{']).next().unwrap_or_default().to_ascii_lowercase();
        let code = match language.as_str() {
            "diff" | "patch" => Code::Diff,
            language => of_language(language).map_or(Code::Plain, Code::Known),
        };
        opens.then_some(Self { sign, length, code })
    }

    fn is_closed_by(self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|sign| sign == self.sign)
    }
}

impl Code {
    fn line(self, line: &str) -> String {
        match self {
            Self::Plain => line.to_owned(),
            Self::Diff => match line.as_bytes().first() {
                Some(b'+') => paint(ADDED, line),
                Some(b'-') => paint(REMOVED, line),
                Some(b'@') => paint(NUMBER, line),
                _ => line.to_owned(),
            },
            Self::Known(syntax) => coloured(line, syntax),
        }
    }
}

fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|sign| *sign == b'#').count();
    (1..=6).contains(&level) && line[level..].starts_with(' ')
}

/// A line of code, piece by piece.
fn coloured(mut line: &str, syntax: &Syntax) -> String {
    let mut shown = String::new();
    while let Some(first) = line.chars().next() {
        let (length, style) = if syntax.comments.iter().any(|comment| line.starts_with(comment)) {
            (line.len(), Some(DIM))
        } else if syntax.quotes.contains(first) {
            let length = quoted(line, first);
            (length, (length > first.len_utf8()).then_some(TEXT))
        } else if first.is_ascii_digit() {
            (run(line, |sign| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_')), Some(NUMBER))
        } else if first.is_alphabetic() || first == '_' {
            let length = run(line, |sign| sign.is_alphanumeric() || sign == '_');
            (length, syntax.keywords.contains(&&line[..length]).then_some(KEYWORD))
        } else {
            (first.len_utf8(), None)
        };
        let (piece, rest) = line.split_at(length);
        match style {
            Some(style) => shown.push_str(&paint(style, piece)),
            None => shown.push_str(piece),
        }
        line = rest;
    }
    shown
}

/// How long a text in quotes is, at most to the line's end. A quote that nothing ends is a sign alone: a lifetime.
fn quoted(line: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, sign) in line.char_indices().skip(1) {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            sign if sign == quote => return at + quote.len_utf8(),
            _ => {}
        }
    }
    quote.len_utf8()
}

/// How long the line's beginning is that is made of such signs.
fn run(line: &str, is_in: impl Fn(char) -> bool) -> usize {
    line.find(|sign| !is_in(sign)).unwrap_or(line.len())
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn code_is_coloured_in_its_fence_and_nowhere_else() {
        let mut colours = Colours::default();
        let reply =
            "# Title\nlet x = 1; // no code\n```rust\nlet x: &'a str = \"y\\\"\"; // 2\n~~~\n```\nlet";
        let shown: Vec<_> = reply.lines().map(|line| colours.line(line)).collect();
        insta::assert_snapshot!(shown.join("\n").replace('\u{1b}', "^"), @r#"
        ^[1m# Title^[0m
        let x = 1; // no code
        ^[2m```rust^[0m
        ^[35mlet^[0m x: &'a str = ^[32m"y\""^[0m; ^[2m// 2^[0m
        ~~~
        ^[2m```^[0m
        let
        "#);
    }

    #[test]
    fn a_fence_is_closed_by_one_that_is_as_long() {
        let mut colours = Colours::default();
        for (line, is_open) in [("````py", true), ("```", true), ("~~~~", true), ("`````", false)] {
            colours.line(line);
            assert_eq!(colours.fence.is_some(), is_open, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_word_is_changed(reply in "(```(rust|diff|py|)\n|[a-z0-9\"'#/+\\\\ é-]{0,12}\n){0,12}") {
            let mut colours = Colours::default();
            for line in reply.lines() {
                let shown = colours.line(line);
                prop_assert_eq!(strip_str(&shown).to_string(), line);
            }
        }
    }
}
