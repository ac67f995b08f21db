//! Makes foreign texts safe to show.

use std::borrow::Cow;

use anstream::adapter::strip_str;

use crate::{Redactor, redact::is_invisible};

/// Returns whether a character controls a terminal, changes how the text around it reads, or cannot be seen. Line feeds
/// and tabs do not.
///
/// Besides control characters these are the marks that turn the direction of writing, the separators that break a line,
/// and characters without a shape: a name with one of them can show the words of a line in another order, or look like
/// another name. Joiners and the variation selectors of emoji stay, because words and emoji need them; tags and the
/// selectors from U+E0100 do not.
pub fn is_display_control(sign: char) -> bool {
    match sign {
        '\n' | '\t' => false,
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => false,
        '\u{2028}' | '\u{2029}' => true,
        sign => is_invisible(sign),
    }
}

/// Removes escape sequences and [display controls](is_display_control).
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_display_control) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(strip_str(text).to_string().chars().filter(|sign| !is_display_control(*sign)).collect())
}

/// Makes a text of an agent safe to print: without escape sequences, without [display controls](is_display_control),
/// and without secrets. Line feeds and tabs stay.
///
/// ```
/// use loop_telemetry::{Redactor, words::printable};
///
/// let secrets = Redactor::new(["hunterAlphaBeta77"]);
/// assert_eq!(printable("a\u{1b}[31mred hunterAlpha\u{7}Beta77", &secrets), "ared [redacted]");
/// ```
pub fn printable(text: &str, secrets: &Redactor) -> String {
    // Remove the control characters first, because they could be inside a secret.
    secrets.redact(&plain(text)).into_owned()
}

/// Makes a text [plain](plain()) and fit for one line: line feeds and tabs become spaces. Secrets stay.
pub fn plain_line(text: &str) -> String {
    plain(text).replace(['\n', '\t'], " ")
}

/// Makes a text of an agent [printable](printable()) and fit for one line: line feeds and tabs become spaces. A tab
/// would be wider than its measured width.
pub fn one_line(text: &str, secrets: &Redactor) -> String {
    printable(text, secrets).replace(['\n', '\t'], " ")
}

/// Returns the last non-blank line of an agent's text, made fit for [one line](one_line()) and cut to `width`
/// characters.
pub fn last_line(text: &str, width: usize, secrets: &Redactor) -> Option<String> {
    // A program may have wrapped a secret, so remove secrets before the text is divided into lines.
    let text = printable(text, secrets);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?.replace('\t', " ");
    match line.char_indices().nth(width) {
        Some((cut, _)) => Some(format!("{}…", &line[..cut])),
        None => Some(line),
    }
}

/// Returns the number of columns that a text without line breaks has in a terminal.
pub fn width(text: &str) -> usize {
    console::measure_text_width(text)
}

/// Cuts a text without line breaks to this many columns of a terminal. A text that is cut ends in `…`.
pub fn cut(text: &str, columns: usize) -> String {
    console::truncate_str(text, columns, "…").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> Redactor {
        Redactor::new([] as [&str; 0])
    }

    #[test]
    fn an_agent_cannot_steer_the_terminal() {
        let last = |text, width| last_line(text, width, &none());
        assert_eq!(printable("a\u{1b}[31mred\u{1b}[0m\u{7}\r\u{9b}2J", &none()), "ared2J");
        assert_eq!(last("one\n\u{1b}[2Jtwo \n\n", 80).as_deref(), Some("two"));
        assert_eq!(last("élan vital", 4).as_deref(), Some("élan…"));
        assert_eq!(last(" \n", 4), None);
        assert_eq!(last("one\n\u{1b}[0m\u{7}\n", 4).as_deref(), Some("one"));
    }

    #[test]
    fn a_line_is_as_wide_as_it_is_measured_to_be_and_reads_in_the_order_in_which_it_is_written() {
        let last = last_line("a\tb\u{b}\u{202e}c\u{2066}d\u{2028}e", 80, &none());
        assert_eq!(last.as_deref(), Some("a bcde"));
        assert_eq!(printable("a\n\tb\u{202e}", &none()), "a\n\tb");
        let unseen =
            "r\u{200b}\u{ad}\u{2060}\u{3164}\u{feff}\u{e0041}m \u{1f469}\u{200d}\u{1f680}\u{2764}\u{fe0f}";
        assert_eq!(printable(unseen, &none()), "rm \u{1f469}\u{200d}\u{1f680}\u{2764}\u{fe0f}");
    }

    proptest::proptest! {
        #[test]
        fn one_line_has_neither_controls_nor_turns(
            text in "[a-z\t\r\n\u{0}-\u{1f}\u{7f}-\u{9f}\u{61c}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}é]*"
        ) {
            let line = one_line(&text, &none());
            proptest::prop_assert!(!line.contains(['\n', '\t']) && !line.contains(is_display_control), "{line:?}");
        }
    }
}
