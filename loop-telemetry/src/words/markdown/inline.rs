//! The markup within a paragraph: emphasis, code and links.

use anstyle::{AnsiColor, Style};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::rows::Span;
use crate::words::style::DIM;

/// The style of code within a sentence.
const CODE: Style = AnsiColor::Cyan.on_default();

/// Stands before a text while it is parsed, so that nothing in the text begins a block.
const GUARD: &str = ". ";

/// Returns the text of a paragraph, in this base style.
pub(super) fn spans(source: &str, base: Style) -> Vec<Span> {
    let guarded = format!("{GUARD}{source}");
    let mut inline = Inline::new(base);
    let parser = Parser::new_ext(&guarded, Options::ENABLE_STRIKETHROUGH);
    for (event, range) in parser.into_offset_iter() {
        let at = range.start.checked_sub(GUARD.len());
        let is_literal = |text: &str| guarded.get(range.clone()) == Some(text);
        match event {
            Event::Text(text) if range.start < GUARD.len() && is_literal(&text) => {
                let rest = text.get(GUARD.len() - range.start..).unwrap_or_default();
                inline.text(rest, Some(0));
            }
            Event::Text(text) => {
                let at = at.filter(|_| is_literal(&text));
                inline.text(&text, at);
            }
            event => inline.event(event),
        }
    }
    inline.spans
}

/// Collects the spans of one paragraph or table cell.
#[derive(Debug)]
pub(super) struct Inline {
    pub(super) spans: Vec<Span>,
    styles: Vec<Style>,
    base: Style,
    /// The open links: their address, and the index of their first span.
    links: Vec<(String, usize)>,
}

impl Inline {
    pub(super) const fn new(base: Style) -> Self {
        Self { spans: Vec::new(), styles: Vec::new(), base, links: Vec::new() }
    }

    /// Takes the next event. It omits no text: raw HTML is shown as it is.
    pub(super) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(end) => self.close(end),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text, None),
            Event::Code(text) => self.push(&text, self.style().fg_color(CODE.get_fg_color()), None),
            Event::SoftBreak | Event::HardBreak => self.text("\n", None),
            Event::Rule => self.text("---", None),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text(&text, None);
            }
            Event::TaskListMarker(done) => self.text(if done { "☑ " } else { "☐ " }, None),
        }
    }

    pub(super) fn text(&mut self, text: &str, at: Option<usize>) {
        let at = at.filter(|_| self.styles.is_empty());
        self.push(text, self.style(), at);
    }

    fn push(&mut self, text: &str, style: Style, at: Option<usize>) {
        if !text.is_empty() {
            self.spans.push(Span { text: text.to_owned(), style, at });
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or(self.base)
    }

    fn open(&mut self, tag: Tag<'_>) {
        let style = self.style();
        match tag {
            Tag::Strong | Tag::Heading { .. } => self.styles.push(style.bold()),
            Tag::Emphasis => self.styles.push(style.italic()),
            Tag::Strikethrough => self.styles.push(style.dimmed()),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.styles.push(style.underline());
                self.links.push((dest_url.into_string(), self.spans.len()));
            }
            _ => {}
        }
    }

    fn close(&mut self, end: TagEnd) {
        match end {
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough | TagEnd::Heading(_) => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => {
                self.styles.pop();
                let Some((address, first)) = self.links.pop() else { return };
                let label: String = self.spans[first..].iter().map(|span| span.text.as_str()).collect();
                if !address.is_empty() && label != address && format!("mailto:{label}") != address {
                    let gap = if label.is_empty() { "" } else { " " };
                    self.push(&format!("{gap}({address})"), DIM, None);
                }
            }
            _ => {}
        }
    }
}

/// Returns whether later text could give markup that begins in this text a meaning.
pub(super) fn may_open_markup(text: &str) -> bool {
    let mut before = ' ';
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        let is_followed = signs.peek().is_none_or(|next| !next.is_whitespace());
        match sign {
            '`' | '[' | '<' | '\\' | '&' => return true,
            '*' | '~' if is_followed => return true,
            '_' if is_followed && !before.is_alphanumeric() => return true,
            _ => {}
        }
        before = sign;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        let spans = spans(source, Style::new());
        spans.iter().map(|span| super::super::rows::painted(span.style, &span.text)).collect()
    }

    #[test]
    fn markup_becomes_style_and_no_text_is_lost() {
        insta::assert_snapshot!(
            [
                "a **bold *both* word**, *one* and `co*de`",
                "~~gone~~ [text](https://a.example) <https://b.example> ![alt](c.png)",
                "# no heading\\* &amp; <b>raw</b> 2 * 3 snake_case",
                "two\nlines  \nand three",
                "1. no list",
            ]
            .map(shown)
            .join("\n--\n")
            .replace('\u{1b}', "^"),
            @r#"
        a ^[1mbold ^[0m^[1m^[3mboth^[0m^[1m word^[0m, ^[3mone^[0m and ^[36mco*de^[0m
        --
        ^[2mgone^[0m ^[4mtext^[0m^[2m (https://a.example)^[0m ^[4mhttps://b.example^[0m ^[4malt^[0m^[2m (c.png)^[0m
        --
        # no heading* & <b>raw</b> 2 * 3 snake_case
        --
        two
        lines
        and three
        --
        1. no list
        "#
        );
    }

    #[test]
    fn literal_text_knows_its_place_in_the_source() {
        let source = "ab **c** d &lt; e";
        for span in spans(source, Style::new()) {
            if let Some(at) = span.at {
                assert!(source[at..].starts_with(&span.text), "{span:?}");
            }
        }
        let [first, bold, ..] = &spans(source, Style::new())[..] else { panic!("spans") };
        assert_eq!((first.at, bold.at), (Some(0), None));
    }

    #[test]
    fn what_may_open_markup_is_not_final() {
        for (text, may) in [
            ("plain words, 2 * 3 and snake_case", false),
            ("a *word", true),
            ("a `word", true),
            ("a [word", true),
            ("_word", true),
            ("ends in *", true),
        ] {
            assert_eq!(may_open_markup(text), may, "{text}");
        }
    }
}
