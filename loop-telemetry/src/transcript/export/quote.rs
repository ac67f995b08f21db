//! A text of a model as a quotation in Markdown.
//!
//! It stays Markdown, with its lists and its code, and whatever it is stays within the quotation: each line begins with
//! `> `, so no heading, rule or fence of it is one of the page's. Only HTML would get out, since browsers know nothing of
//! quotations: `</blockquote>` ends ours, and `<!--` hides all that follows. So a `<` that could begin HTML is escaped,
//! but in code, where it cannot, and where the `\` would be seen. What is not certain to be code is taken for none.
//!
//! To Markdown `\r` and `\r\n` are ends of lines, which not all who read it know, so they become `\n`.

use super::visible::visible;

/// The text, quoted.
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

/// What is known of the lines so far.
#[derive(Default)]
struct Scan {
    fence: Option<Fence>,
    /// A line of this paragraph has a backtick without a partner, which a later line may have.
    is_torn: bool,
    /// Where fences begin and end cannot be told any more: from here on none is followed.
    is_unsure: bool,
}

/// A fence that is open.
#[derive(Clone, Copy)]
struct Fence {
    sign: char,
    length: usize,
    /// How many spaces stand before it: it may belong to a list, and ends with it.
    indent: usize,
}

/// How far a fence may be indented; further on it is code already.
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

    /// Whether a line is in a fence, or is one.
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

/// How many of its first sign a text begins with.
fn run(text: &str) -> usize {
    let first = text.chars().next();
    text.chars().take_while(|sign| Some(*sign) == first).count()
}

/// How long the code is that begins with this run of backticks, if the line has its end.
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
    /// The fence that a line opens which is indented so far.
    fn opened_by(line: &str, indent: usize) -> Option<Self> {
        let text = line[indent..].chars();
        let sign = text.clone().next().filter(|sign| matches!(sign, '`' | '~') && indent <= INDENT)?;
        let length = run(&line[indent..]);
        let is_fence = length >= 3 && !(sign == '`' && text.skip(length).any(|info| info == '`'));
        is_fence.then_some(Self { sign, length, indent })
    }

    /// Whether a line closes it, however that is indented.
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
