//! Colours for replies: headings, fences, and the lines of diffs.
//!
//! A reply arrives line by line, so the colour of a line depends on its own text and on the fence around it. Code in
//! other languages stays plain (`docs/decisions/loop-cli/code-in-replies-is-plain.md`).

use anstyle::{AnsiColor, Style};

use crate::view::{BOLD, DIM, paint};

const PLACE: Style = AnsiColor::Cyan.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();

/// Colours the lines of one reply, in order.
#[derive(Debug, Default)]
pub(super) struct ReplyColours {
    fence: Option<Fence>,
}

/// An open fence.
#[derive(Debug, Clone, Copy)]
struct Fence {
    sign: char,
    length: usize,
    is_diff: bool,
}

impl ReplyColours {
    /// Returns the next line, in colour.
    pub(super) fn line(&mut self, line: &str) -> String {
        let shown = self.peek(line);
        match self.fence {
            Some(open) if open.is_closed_by(line) => self.fence = None,
            Some(_) => {}
            None => self.fence = Fence::opened_by(line),
        }
        shown
    }

    /// Colours a line that is still incomplete, without advancing.
    pub(super) fn peek(&self, line: &str) -> String {
        match self.fence {
            Some(open) if open.is_closed_by(line) => paint(DIM, line),
            Some(open) if open.is_diff => changed(line),
            Some(_) => line.to_owned(),
            None if Fence::opened_by(line).is_some() => paint(DIM, line),
            None if is_heading(line) => paint(BOLD, line),
            None => line.to_owned(),
        }
    }
}

impl Fence {
    /// Recognises an opening fence: three or more backticks or tildes, indented by at most three spaces, as in
    /// Markdown.
    fn opened_by(line: &str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let sign = rest.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let length = rest.chars().take_while(|next| *next == sign).count();
        let about = rest[length..].trim();
        let opens = length >= 3 && line.len() - rest.len() < 4 && !(sign == '`' && about.contains('`'));
        let language = about.split([' ', ',', ':', '{']).next().unwrap_or_default().to_ascii_lowercase();
        let is_diff = matches!(language.as_str(), "diff" | "patch");
        opens.then_some(Self { sign, length, is_diff })
    }

    fn is_closed_by(self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|sign| sign == self.sign)
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

fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|sign| *sign == b'#').count();
    (1..=6).contains(&level) && line[level..].starts_with(' ')
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn headings_fences_and_diffs_are_coloured_and_nothing_else() {
        let mut colours = ReplyColours::default();
        let reply = "# Title\n+ no diff\n```rust\n# let x = 1;\n~~~\n```\n~~~diff\n@@ 1 @@\n-a\n+b\n c\n~~~";
        let shown: Vec<_> = reply.lines().map(|line| colours.line(line)).collect();
        insta::assert_snapshot!(shown.join("\n").replace('\u{1b}', "^"), @r#"
        ^[1m# Title^[0m
        + no diff
        ^[2m```rust^[0m
        # let x = 1;
        ~~~
        ^[2m```^[0m
        ^[2m~~~diff^[0m
        ^[36m@@ 1 @@^[0m
        ^[31m-a^[0m
        ^[32m+b^[0m
         c
        ^[2m~~~^[0m
        "#);
    }

    #[test]
    fn a_fence_is_closed_by_one_that_is_as_long() {
        let mut colours = ReplyColours::default();
        for (line, is_open) in [("````py", true), ("```", true), ("~~~~", true), ("`````", false)] {
            colours.line(line);
            assert_eq!(colours.fence.is_some(), is_open, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_word_is_changed(reply in "(```(rust|diff|py|)\n|[a-z0-9\"'#/+\\\\ é-]{0,12}\n){0,12}") {
            let mut colours = ReplyColours::default();
            for line in reply.lines() {
                let shown = colours.line(line);
                prop_assert_eq!(strip_str(&shown).to_string(), line);
            }
        }
    }
}
