//! Foreign texts, made safe to show.

use std::borrow::Cow;

use anstream::adapter::strip_str;

use crate::Redactor;

/// Reports whether a character steers a terminal or changes how the text around it reads. Line feeds and tabs do not.
///
/// Besides control characters these are the marks that turn the direction of writing, and the separators that break a
/// line: a name with one of them can show the words of a line in another order.
pub fn is_display_control(sign: char) -> bool {
    match sign {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        sign => sign.is_control(),
    }
}

/// Removes escape sequences and [display controls](is_display_control).
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_display_control) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(strip_str(text).to_string().chars().filter(|sign| !is_display_control(*sign)).collect())
}

/// Makes a text of an agent safe to print: without escape sequences, without [display controls](is_display_control), and
/// without secrets. Line feeds and tabs stay.
///
/// ```
/// use loop_telemetry::{Redactor, words::printable};
///
/// let secrets = Redactor::new(["hunterAlphaBeta77"]);
/// assert_eq!(printable("a\u{1b}[31mred hunterAlpha\u{7}Beta77", &secrets), "ared [redacted]");
/// ```
pub fn printable(text: &str, secrets: &Redactor) -> String {
    // The controls go first: they could stand within a secret.
    secrets.redact(&plain(text)).into_owned()
}
