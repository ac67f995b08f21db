//! Quotes a model's text in Markdown.
//!
//! The text stays Markdown, with its lists and its code, but inside the quotation. Each line begins with `> `, so none
//! of its headings, rules or fences belongs to the page. Only HTML could escape, because browsers know nothing of
//! quotations: `</blockquote>` would end ours, and `<!--` would hide everything after it. So we escape each `<` that
//! could begin HTML. We do not escape it in code, where it cannot begin HTML and where the `\` would be visible. If we
//! are not certain that text is code, we treat it as text.
//!
//! In Markdown, `\r` and `\r\n` end a line, but not every reader knows this. So both become `\n`.

use super::visible::visible;

/// Returns the text as a quotation.
pub(super) fn quoted(text: &str) -> String {
    let mut scan = Scan::default();
    let mut page = String::with_capacity(text.len() + text.len() / 16);
    let text = visible(&text.replace("\r\n", "\n").replace('\r', "\n"));
    for (at, line) in text.split('\n').enumerate() {
        page.push_str(if at == 0 { ">" } else { "\n>" });
        page.push_str(if line.is_empty() { "" } else { " " });
        scan.add(line, &mut page);
    }
    page
}

/// The state after the lines so far.
#[derive(Default)]
struct Scan {
    fence: Option<Fence>,
    /// Whether a line of this paragraph has an unmatched backtick, which a later line may match.
    is_torn: bool,
    /// Whether fences are ambiguous. From here on, we follow none.
    is_unsure: bool,
}

/// An open fence.
#[derive(Clone, Copy)]
struct Fence {
    sign: char,
    length: usize,
    /// The number of spaces before it. The fence may belong to a list item, and ends with it.
    indent: usize,
}

/// The largest indent of a fence. Text that is indented further is already code.
const INDENT: usize = 3;

impl Scan {
    /// Adds a line.
    fn add(&mut self, line: &str, page: &mut String) {
        if !self.is_code(line) {
            return self.add_text(line, page);
        }
        self.is_torn = false;
        page.push_str(line);
    }

    /// Returns whether a line is inside a fence, or is a fence itself.
    fn is_code(&mut self, line: &str) -> bool {
        let indent = line.len() - line.trim_start_matches(' ').len();
        match self.fence {
            Some(fence) if fence.may_be_closed_by(line) => {
                self.fence = None;
                self.is_unsure = !(fence.indent..=INDENT).contains(&indent);
            }
            Some(fence) if indent < fence.indent && !line.trim().is_empty() => {
                self.fence = None;
                self.is_unsure = true;
            }
            Some(_) => {}
            None if self.is_unsure => return false,
            None => {
                self.fence = Fence::opened_by(line, indent);
                self.is_unsure = self.fence.is_none() && (line.contains("```") || line.contains("~~~"));
                return self.fence.is_some();
            }
        }
        !self.is_unsure
    }

    fn add_text(&mut self, line: &str, page: &mut String) {
        self.is_torn &= !line.trim().is_empty();
        let mut rest = line;
        while let Some(sign) = rest.chars().next() {
            let mut length = sign.len_utf8();
            match sign {
                '\\' if rest[1..].starts_with(|next: char| next.is_ascii_punctuation()) => length = 2,
                '`' => {
                    let run = run(rest);
                    let span = if self.is_torn { None } else { span(rest, run) };
                    self.is_torn |= span.is_none();
                    length = span.unwrap_or(run);
                }
                '<' if begins_html(&rest[1..]) => page.push('\\'),
                _ => {}
            }
            let (done, behind) = rest.split_at(length);
            page.push_str(done);
            rest = behind;
        }
    }
}

fn begins_html(behind: &str) -> bool {
    behind.starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'))
}

/// Returns how often the text repeats its first character at its start.
fn run(text: &str) -> usize {
    let first = text.chars().next();
    text.chars().take_while(|sign| Some(*sign) == first).count()
}

/// Returns the length of the code span that this run of backticks opens, if the line also closes it.
fn span(text: &str, opening: usize) -> Option<usize> {
    let mut at = opening;
    while let Some(next) = text[at..].find('`') {
        at += next;
        let closing = run(&text[at..]);
        at += closing;
        if closing == opening {
            return Some(at);
        }
    }
    None
}

impl Fence {
    /// Returns the fence that a line with this indent opens.
    fn opened_by(line: &str, indent: usize) -> Option<Self> {
        let text = line[indent..].chars();
        let sign = text.clone().next().filter(|sign| matches!(sign, '`' | '~') && indent <= INDENT)?;
        let length = run(&line[indent..]);
        let is_fence = length >= 3 && !(sign == '`' && text.skip(length).any(|info| info == '`'));
        is_fence.then_some(Self { sign, length, indent })
    }

    /// Returns whether a line closes the fence, at any indent.
    fn may_be_closed_by(self, line: &str) -> bool {
        let line = line.trim_matches([' ', '\t']);
        line.len() >= self.length && line.chars().all(|sign| sign == self.sign)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn html_is_shown_and_code_is_code() {
        for (text, page) in [
            ("# Heading\n\n---\ntext", "> # Heading\n>\n> ---\n> text"),
            ("a <b> and 1 < 2", "> a \\<b> and 1 < 2"),
            ("a\r# b\r\nc\n", "> a\n> # b\n> c\n>"),
            ("`Vec<u8>` and ``a ` <b>`` <c>", "> `Vec<u8>` and ``a ` <b>`` \\<c>"),
            ("\\`<b>`", "> \\`\\<b>`"),
            ("`a\nb` <c> `d\n\n`<e>`", "> `a\n> b` \\<c> `d\n>\n> `<e>`"),
            ("```html\n<b>\n~~~\n  ```` \n<c>", "> ```html\n> <b>\n> ~~~\n>   ```` \n> \\<c>"),
            ("~~~\n<b>", "> ~~~\n> <b>"),
            ("```a``` <b>", "> ```a``` \\<b>"),
            ("1. a\n   ```\n   <b>\n   ```\n   <c>", "> 1. a\n>    ```\n>    <b>\n>    ```\n>    \\<c>"),
            (
                "1. a\n   ```\n   <b>\n2. <c>\n```\n<d>",
                "> 1. a\n>    ```\n>    <b>\n> 2. \\<c>\n> ```\n> \\<d>",
            ),
            ("- ```\n<b>", "> - ```\n> \\<b>"),
        ] {
            assert_eq!(quoted(text), page, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn the_text_can_be_read_back(text in "[a<>`~ \\n\\r]{0,60}") {
            let page = quoted(&text).replace("\\<", "<");
            let unquoted = |line| str::strip_prefix(line, "> ").or_else(|| line.strip_prefix('>')).unwrap();
            let lines: Vec<_> = page.split('\n').map(unquoted).collect();
            prop_assert_eq!(lines.join("\n"), text.replace("\r\n", "\n").replace('\r', "\n"));
        }
    }
}
