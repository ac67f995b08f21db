//! Reads a working agent's claims from its last words: the `STATUS` line, and the next steps.
//!
//! A claim is a word in its own place, and not a word that occurs somewhere. `COMPLETED_WITH_FAILURES` begins like
//! success, an agent that quotes its instructions repeats the word, and a log in a code block contains the words of
//! others.

use std::{collections::VecDeque, ops::Range};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use crate::output::{beginning, is_notice};

/// The number of next steps to return.
const MAX_STEPS: usize = 5;
/// The maximum length of each step, in bytes.
const STEP_BYTES: usize = 300;

/// Returns true if the agent claims that everything is done. There must be at least one `STATUS: …` line, in any
/// emphasis, and each of them must contain `COMPLETE` and nothing else. Markdown code blocks, quotations and HTML do
/// not count. If their extent is unclear, because the text was cut or a comment is not closed, nothing counts as a
/// claim.
///
/// Less is enough to take a claim back: any line with another status, except in a closed fenced block, in a closed
/// comment, or after a `>`.
///
/// ```
/// use loop_agents::review::claims_complete;
///
/// assert!(claims_complete("All tests pass.\n**STATUS: COMPLETE**"));
/// assert!(!claims_complete("STATUS: COMPLETED_WITH_FAILURES"));
/// assert!(!claims_complete("STATUS: COMPLETE\nSTATUS: INCOMPLETE"));
/// assert!(!claims_complete("STATUS: COMPLETE\n\n1. done\n2. left:\n   STATUS: INCOMPLETE"));
/// assert!(!claims_complete("````\n```\n```\nSTATUS: COMPLETE\n````"));
/// ```
pub fn claims_complete(text: &str) -> bool {
    let own_lines = own_lines(text);
    let is_clear = !text.lines().any(is_notice) && !own_lines.iter().any(|line| line.text.contains("<!--"));
    let mut claims = own_lines.iter().filter_map(OwnLine::status).peekable();
    is_clear && claims.peek().is_some() && claims.all(|claim| claim == "COMPLETE") && !takes_back(text)
}

/// Returns true if a line states that something is left, or may state it.
fn takes_back(text: &str) -> bool {
    let mut shut = RangeCursor::default();
    for (event, range) in Parser::new(text).into_offset_iter() {
        let within = &text[range.clone()];
        let is_shut = match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => has_its_end(within),
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => is_comment(within),
            _ => false,
        };
        if is_shut {
            shut.ranges.push_back(range);
        }
    }
    lines(text)
        .any(|(range, line)| !shut.is_on(&range) && !line.trim_start().starts_with('>') && denies(line))
}

/// Returns true if a fenced block ends with a fence like its first one.
fn has_its_end(block: &str) -> bool {
    let fence = |line: &str| -> Option<(char, usize)> {
        let line = line.trim_matches(|sign: char| sign.is_whitespace() || sign == '>');
        let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        Some((sign, line.len() - line.trim_start_matches(sign).len()))
    };
    let mut lines = block.trim_end().lines();
    let (first, last) = (lines.next().and_then(fence), lines.next_back());
    let is_bare = |line: &str| line.trim_matches([' ', '\t', '>', '`', '~']).is_empty();
    let end = last.filter(|line| is_bare(line)).and_then(fence);
    first.zip(end).is_some_and(|((sign, length), (other, long))| sign == other && long >= length)
}

fn is_comment(html: &str) -> bool {
    let html = html.trim();
    html.starts_with("<!--") && html.find("-->").is_some_and(|at| at + 3 == html.len())
}

/// Returns true if a line has a status other than `COMPLETE`. A list marker may precede the status.
fn denies(line: &str) -> bool {
    let bare: String = line.chars().filter(|sign| !matches!(sign, '*' | '`' | '_')).collect();
    let bare = bare.to_ascii_uppercase();
    let mut said = bare.split("STATUS").skip(1).filter_map(|rest| rest.trim_start().strip_prefix(':'));
    if said.any(|claim| claim.trim_start().starts_with("INCOMPLETE")) {
        return true;
    }
    let begin = bare.trim_start_matches(|sign: char| !sign.is_alphabetic());
    let claim = begin.strip_prefix("STATUS").and_then(|rest| rest.trim_start().strip_prefix(':'));
    claim.is_some_and(|claim| claim.trim().trim_end_matches('.') != "COMPLETE")
}

/// Returns the lines of a text with their byte ranges.
fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut end = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = end;
        end += line.len();
        (start..end, line)
    })
}

/// Returns the items that the agent lists under `NEXT STEPS`: at most five, up to the next heading. They are the
/// agent's own words, so tell your readers that.
///
/// ```
/// use loop_agents::review::next_steps;
/// assert_eq!(next_steps("NEXT STEPS:\n- add tests\n2) push\n"), ["add tests", "push"]);
/// ```
pub fn next_steps(text: &str) -> Vec<String> {
    let lines = own_lines(text).into_iter().skip_while(|line| !is_heading(line.text)).skip(1);
    let section =
        lines.take_while(|line| !line.text.trim_start().starts_with('#') && line.status().is_none());
    section.filter_map(|line| item(line.text.trim())).take(MAX_STEPS).collect()
}

/// A line in the agent's own words, outside of code and quotations.
#[derive(Debug)]
struct OwnLine<'a> {
    text: &'a str,
    is_in_list: bool,
}

/// The extent of the ranges that began before the current line. The ranges are in the order of their beginnings.
#[derive(Debug, Default)]
struct RangeCursor {
    ranges: VecDeque<Range<usize>>,
    end: usize,
}

impl RangeCursor {
    /// Returns true if one of the ranges overlaps this line. Ask for the lines in order.
    fn is_on(&mut self, line: &Range<usize>) -> bool {
        while let Some(range) = self.ranges.pop_front_if(|range| range.start < line.end) {
            self.end = self.end.max(range.end);
        }
        self.end > line.start
    }
}

/// Returns the lines in the agent's own words. A Markdown parser decides which parts are code, quotations or HTML.
fn own_lines(text: &str) -> Vec<OwnLine<'_>> {
    let (mut words, mut silent, mut lists) =
        (RangeCursor::default(), RangeCursor::default(), RangeCursor::default());
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::HtmlBlock) | Event::InlineHtml(_) => {
                silent.ranges.push_back(range);
            }
            // A line break inside one of these does not begin a line.
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) | Event::Code(_)
                if text[range.clone()].contains('\n') =>
            {
                silent.ranges.push_back(range);
            }
            Event::Text(_) | Event::Code(_) => words.ranges.push_back(range),
            Event::Start(Tag::List(_)) => lists.ranges.push_back(range),
            _ => {}
        }
    }
    let lines = lines(text).filter_map(|(range, line)| {
        let is_spoken = words.is_on(&range) & !silent.is_on(&range);
        let own_lines = OwnLine { text: line.trim_end(), is_in_list: lists.is_on(&range) };
        is_spoken.then_some(own_lines)
    });
    lines.collect()
}

impl OwnLine<'_> {
    /// Returns the text after `STATUS:` if the line begins with it, in capitals and without emphasis.
    fn status(&self) -> Option<String> {
        // An indented line in a list belongs to an item.
        if self.is_in_list && self.text.starts_with(char::is_whitespace) {
            return None;
        }
        let bare: String = self.text.chars().filter(|sign| !matches!(sign, '*' | '`')).collect();
        let bare = bare.trim().trim_start_matches('#').trim_matches('_').trim().to_ascii_uppercase();
        let claim = bare.strip_prefix("STATUS")?.trim_start().strip_prefix(':')?;
        Some(claim.trim_matches(['_', ' ']).trim_end_matches('.').to_owned())
    }
}

fn is_heading(line: &str) -> bool {
    let bare: String = line.chars().filter(|sign| !matches!(sign, '*' | '#' | '_')).collect();
    bare.trim().get(..10).is_some_and(|begin| begin.eq_ignore_ascii_case("NEXT STEPS"))
}

/// Returns a list item without its marker.
fn item(line: &str) -> Option<String> {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let text = match line.strip_prefix(['-', '*', '•']) {
        Some(rest) if !line.starts_with("**") => rest.trim_start_matches('-'),
        _ if digits > 0 => line[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| beginning(text, STEP_BYTES))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_claim_is_a_line_of_its_own_in_any_emphasis() {
        for text in [
            "STATUS: COMPLETE",
            "done\n\n**STATUS: COMPLETE**\n",
            "**STATUS:** COMPLETE",
            "## Status: complete.",
            "`STATUS: COMPLETE`",
            "STATUS: COMPLETE\nas I said:\nSTATUS: COMPLETE",
            "- I wrote it\n- I ran it\nSTATUS: COMPLETE",
            "```\nx\n```\nSTATUS: COMPLETE",
            "````\n```\n````\nSTATUS: COMPLETE",
            "~~~\n```\n~~~  \nSTATUS: COMPLETE",
            "> so they say\n\nSTATUS: COMPLETE\n\n> and so on",
            "<!-- a note -->\n\nSTATUS: COMPLETE",
            "See [this](x).\r\n\r\nSTATUS: COMPLETE\r\n---\r\n",
            "```\nSTATUS: INCOMPLETE\n```\nSTATUS: COMPLETE",
            "- It printed\n  ~~~text\n  STATUS: INCOMPLETE\n  ~~~\n\nSTATUS: COMPLETE",
            "> STATUS: INCOMPLETE\n\nSTATUS: COMPLETE",
            "<!-- STATUS: INCOMPLETE -->\n\nSTATUS: COMPLETE",
            "The git status: clean.\n\nSTATUS: COMPLETE",
        ] {
            assert!(claims_complete(text), "{text}");
        }
    }

    #[test]
    fn what_is_unclear_is_no_claim() {
        for text in [
            "",
            "STATUS: COMPLETED_WITH_FAILURES",
            "STATUS: COMPLETE (but for the tests)",
            "STATUS: INCOMPLETE",
            "STATUS: COMPLETE\nSTATUS: INCOMPLETE",
            "```\nSTATUS: COMPLETE\n```",
            "~~~text\nSTATUS: COMPLETE\n```\n~~~",
            "```\nSTATUS: COMPLETE",
            "    STATUS: COMPLETE",
            "> STATUS: COMPLETE",
            "I was told to write STATUS: COMPLETE",
            "````\n```\nx\n```\nSTATUS: COMPLETE\n````",
            "```\nx\n```rust\nSTATUS: COMPLETE",
            "```\nx\n    ```\nSTATUS: COMPLETE\n```",
            "- item\n  ```\n  x\n```\nSTATUS: COMPLETE\n```",
            "    ```\n```\nSTATUS: COMPLETE\n```",
            "<!--\nSTATUS: COMPLETE\n-->",
            "Done <!-- if the tests pass:\nSTATUS: COMPLETE\n-->, and else not.",
            "Done <!-- if the tests pass:\n\nSTATUS: COMPLETE\n",
            "<details>\nSTATUS: COMPLETE\n</details>",
            "I will say `done and\nSTATUS: COMPLETE\n` then",
            "[then\nSTATUS: COMPLETE\n](x)",
            "[it]: x '\nSTATUS: COMPLETE\n'\n",
            "> It says:\nSTATUS: COMPLETE",
            "- in the end it will print\n  STATUS: COMPLETE",
            "```\nx\n[... 12 bytes left out ...]\n```\nSTATUS: COMPLETE",
            "STATUS COMPLETE",
            "STATUS:",
            // An unclear status takes a claim back.
            "STATUS: COMPLETE\n\n1. done\n2. left:\n   STATUS: INCOMPLETE",
            "STATUS: COMPLETE\n\n- STATUS: INCOMPLETE",
            "STATUS: COMPLETE\n\n- [ ] **Status**: partial",
            "STATUS: COMPLETE\n\n> they say\nSTATUS: INCOMPLETE",
            "STATUS: COMPLETE\n\n    STATUS: INCOMPLETE",
            "STATUS: COMPLETE\n\nActually: STATUS: INCOMPLETE, more",
            "STATUS: COMPLETE\n\n<details>\nSTATUS: INCOMPLETE\n</details>",
            "STATUS: COMPLETE\n```\nSTATUS: INCOMPLETE",
            "STATUS: COMPLETE\n````\nSTATUS: INCOMPLETE\n```",
            "STATUS: COMPLETE\n```\nSTATUS: INCOMPLETE\n~~~",
            "STATUS: COMPLETE\n\n[then\nSTATUS: INCOMPLETE\n](x)",
        ] {
            assert!(!claims_complete(text), "{text}");
        }
    }

    #[test]
    fn next_steps_are_items_up_to_the_next_heading() {
        let text = "STATUS: INCOMPLETE\nNEXT STEPS:\n- add parser tests\n* fix lint\n1. run make\n2) push\n\
            10. tenth item\nplain prose line\n\n  - indented\n# Notes\n- ignored";
        assert_eq!(next_steps(text), ["add parser tests", "fix lint", "run make", "push", "tenth item"]);
        let many: String = (1..=8).map(|number| format!("- item {number}\n")).collect();
        assert_eq!(next_steps(&format!("next steps (for later)\n{many}")).len(), 5);
        let text = "NEXT STEPS:\n- **bold** item\n-- dashed\n- \n-no space";
        assert_eq!(next_steps(text), ["**bold** item", "dashed", "no space"]);
    }

    proptest! {
        /// A block ends only with a fence at least as long as its first one.
        #[test]
        fn what_a_block_holds_is_no_claim(
            length in 4..9_usize,
            sign in "[`~]",
            held in prop::collection::vec("(`{1,3}|~{1,3}|[`~]{3,9}[a-z]+|STATUS: COMPLETE|<!--|-->|> x|)", 0..9),
        ) {
            let fence = sign.repeat(length);
            let other = if sign == "`" { "~~~~" } else { "````" };
            let text = format!("{fence}text\n{}\n{other}\nSTATUS: COMPLETE\n{fence}\n", held.join("\n"));
            prop_assert!(!claims_complete(&text), "{}", text);
            prop_assert!(claims_complete(&format!("{text}STATUS: COMPLETE")), "{}", text);
        }

        #[test]
        fn no_text_is_too_strange(text in "(STATUS:|COMPLETE|NEXT STEPS|```|~~~|[-*0-9.)# \n_é]){0,30}") {
            claims_complete(&text);
            prop_assert!(next_steps(&text).len() <= MAX_STEPS);
        }
    }
}
