//! Markup that no text can break out of.

use crate::{Redactor, words::printable};

/// A piece of a page. We define its names and styles. All texts in it become markup in one place, [`Markup::document`],
/// which escapes them and removes secrets.
#[derive(Debug, Clone)]
pub(super) enum Markup {
    Text(String),
    /// One of our style sheets.
    Style(&'static str),
    Element {
        name: &'static str,
        attributes: Vec<(&'static str, String)>,
        /// `None` for an element that has no end tag.
        children: Option<Vec<Self>>,
    },
}

/// An attribute: one of our names, and any value.
pub(super) type Attribute<'a> = (&'static str, &'a str);

impl Markup {
    /// Creates untrusted text.
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Creates an element with these children.
    pub(super) fn element(
        name: &'static str,
        attributes: &[Attribute<'_>],
        children: impl IntoIterator<Item = Self>,
    ) -> Self {
        let children = Some(children.into_iter().collect());
        Self::Element { name, attributes: owned(attributes), children }
    }

    /// Creates an element that has no end tag.
    pub(super) fn empty(name: &'static str, attributes: &[Attribute<'_>]) -> Self {
        Self::Element { name, attributes: owned(attributes), children: None }
    }

    /// Creates an element of this class that contains a text.
    pub(super) fn words(name: &'static str, class: &'static str, text: &str) -> Self {
        Self::element(name, &[("class", class)], [Self::text(text)])
    }

    /// Renders the whole page, without these secrets and without characters that could reorder or hide its words.
    pub(super) fn document(&self, secrets: &Redactor) -> String {
        let mut page = "<!doctype html>\n".to_owned();
        self.write(&mut page, secrets);
        page.push('\n');
        page
    }

    /// This may recurse: a page is a few elements deep, and no text adds to its depth.
    fn write(&self, page: &mut String, secrets: &Redactor) {
        match self {
            Self::Text(text) => escape(page, &printable(text, secrets)),
            Self::Style(sheet) => page.extend(["<style>\n", sheet, "</style>"]),
            Self::Element { name, attributes, children } => {
                page.extend(["<", name]);
                for (key, value) in attributes {
                    page.extend([" ", key, "=\""]);
                    escape(page, &printable(value, secrets));
                    page.push('"');
                }
                page.push('>');
                if let Some(children) = children {
                    children.iter().for_each(|child| child.write(page, secrets));
                    page.extend(["</", name, ">"]);
                }
            }
        }
    }
}

fn owned(attributes: &[Attribute<'_>]) -> Vec<(&'static str, String)> {
    attributes.iter().map(|(key, value)| (*key, (*value).to_owned())).collect()
}

/// Appends a text, escaping all markup in it.
fn escape(page: &mut String, text: &str) {
    for sign in text.chars() {
        match sign {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            '\'' => page.push_str("&#39;"),
            sign => page.push(sign),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(markup: &Markup) -> String {
        let mut page = String::new();
        markup.write(&mut page, &Redactor::new(["hunterAlphaBeta77"]));
        page
    }

    proptest! {
        #[test]
        fn no_text_is_markup(text in "(</?(script|img|pre|details)[ a-z='\"]*>|[&<>'\"a\\x1b\u{202e}\0])*") {
            let element = shown(&Markup::element("p", &[("title", &text)], [Markup::text(&text)]));
            let inner = element.strip_prefix("<p title=\"").and_then(|rest| rest.strip_suffix("</p>"));
            let (value, words) = inner.and_then(|rest| rest.split_once("\">")).expect("the element");
            for part in [value, words] {
                prop_assert!(!part.contains(['<', '>', '"', '\'', '\x1b', '\u{202e}', '\0']), "{}", part);
            }
        }
    }

    #[test]
    fn an_entity_is_a_text_as_well() {
        assert_eq!(shown(&Markup::text("&lt;b&gt; & <b>")), "&amp;lt;b&amp;gt; &amp; &lt;b&gt;");
    }

    #[test]
    fn no_secret_is_in_a_text_or_an_attribute() {
        let secret = "it is hunterAlpha\u{1b}[1mBeta77.";
        let element = Markup::element("p", &[("title", secret)], [Markup::text(secret)]);
        assert_eq!(shown(&element), "<p title=\"it is [redacted].\">it is [redacted].</p>");
    }
}
