//! Markup that no text can break out of.

use crate::view::text::printable;

/// A piece of a page. What it is made of are names and styles of ours, and texts, which are always escaped.
#[derive(Debug, Clone, Default)]
pub(super) struct Markup(String);

/// An attribute: a name of ours, and any value.
pub(super) type Attribute<'a> = (&'static str, &'a str);

impl Markup {
    /// Words, whoever's they are: without what could turn or hide them, and without secrets.
    pub(super) fn text(text: &str) -> Self {
        Self(escaped(&printable(text)))
    }

    /// An element with these in it.
    pub(super) fn element(
        name: &'static str,
        attributes: &[Attribute<'_>],
        children: impl IntoIterator<Item = Self>,
    ) -> Self {
        let mut markup = Self::empty(name, attributes).0;
        markup.extend(children.into_iter().map(|child| child.0));
        markup.extend(["</", name, ">"]);
        Self(markup)
    }

    /// An element that has no end of its own.
    pub(super) fn empty(name: &'static str, attributes: &[Attribute<'_>]) -> Self {
        let mut markup = format!("<{name}");
        for (key, value) in attributes {
            markup.extend([" ", *key, "=\"", &escaped(&printable(value)), "\""]);
        }
        markup.push('>');
        Self(markup)
    }

    /// An element of this class that holds a text.
    pub(super) fn words(name: &'static str, class: &'static str, text: &str) -> Self {
        Self::element(name, &[("class", class)], [Self::text(text)])
    }

    /// A style sheet of ours.
    pub(super) fn style(sheet: &'static str) -> Self {
        Self(format!("<style>\n{sheet}</style>"))
    }

    /// The whole page.
    pub(super) fn document(self) -> String {
        format!("<!doctype html>\n{}\n", self.0)
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            sign => escaped.push(sign),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_text_is_markup(text in "(</?(script|img|pre|details)[ a-z='\"]*>|[&<>'\"a\\x1b\u{202e}\0])*") {
            let element = Markup::element("p", &[("title", &text)], [Markup::text(&text)]).0;
            let inner = element.strip_prefix("<p title=\"").and_then(|rest| rest.strip_suffix("</p>"));
            let (value, words) = inner.and_then(|rest| rest.split_once("\">")).expect("the element");
            for part in [value, words] {
                prop_assert!(!part.contains(['<', '>', '"', '\'', '\x1b', '\u{202e}', '\0']), "{}", part);
            }
        }
    }

    #[test]
    fn an_entity_is_a_text_as_well() {
        assert_eq!(Markup::text("&lt;b&gt; & <b>").0, "&amp;lt;b&amp;gt; &amp; &lt;b&gt;");
    }
}
