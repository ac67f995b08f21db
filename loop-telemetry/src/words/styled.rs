//! Texts with the styles of this program in them, made safe for a terminal.
//!
//! A message quotes file names, lines of manifests, and what a server answered. One control character in it, and the
//! terminal's owner reads what somebody else wants read: the cursor goes up and a line is overwritten, a title is set,
//! words change their order. So such characters are removed where text is printed, and not where each message is made;
//! only the [styles](super::style) of this program stay.

use std::{borrow::Cow, fmt::Write};

use super::{is_display_control as acts, plain};

/// Removes escape sequences and [display controls](acts), and keeps the [styles](super::style) of this
/// program.
///
/// ```
/// use loop_telemetry::words::{harmless, style::{BOLD, paint}};
///
/// assert_eq!(harmless(&paint(BOLD, "a\u{1b}[2Jb")), paint(BOLD, "ab"));
/// ```
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    // What stands before a colour is looked at as a whole: an escape sequence ends where it is said to.
    while let Some((at, length)) = next_colour(rest) {
        shown.push_str(&plain(&rest[..at]));
        shown.push_str(&rest[at..at + length]);
        rest = &rest[at + length..];
    }
    shown.push_str(&plain(rest));
    Cow::Owned(shown)
}

/// Writes the [display controls](acts) in JSON as escapes. The JSON means the same.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    if !json.contains(acts) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for sign in json.chars() {
        match sign {
            // Outside of texts there are no such signs, and all of them have four digits.
            sign if acts(sign) => _ = write!(escaped, "\\u{:04x}", u32::from(sign)),
            sign => escaped.push(sign),
        }
    }
    Cow::Owned(escaped)
}

/// Where the next colour of ours stands, and its length.
fn next_colour(text: &str) -> Option<(usize, usize)> {
    text.match_indices("\x1b[").find_map(|(at, begun)| {
        let numbers = &text[at + begun.len()..];
        let length = numbers.find(|sign: char| sign != ';' && !sign.is_ascii_digit())?;
        let is_colour = numbers[length..].starts_with('m') && numbers[..length].split(';').all(is_ours);
        is_colour.then_some((at, begun.len() + length + 1))
    })
}

/// Weights, and colours of letters. What could hide a text is none: black, backgrounds, invisible, reversed.
fn is_ours(number: &str) -> bool {
    number.is_empty()
        || number.parse().is_ok_and(|number: u8| matches!(number, 0..=4 | 22..=24 | 31..=36 | 39 | 91..=97))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::style::{BAD, paint},
        *,
    };

    #[test]
    fn colours_of_ours_stay_and_nothing_else_does() {
        let shown = paint(BAD, "a\u{9b}2J\u{1b}[8mb\u{1b}]0;title\u{7}c\u{202e}\r\x7f\u{85}d");
        // Without its beginning, a sequence is text.
        assert_eq!(harmless(&shown), paint(BAD, "a2Jbcd"));
        let spliced = "\u{1b}\u{1b}[0m[2J";
        assert_eq!(harmless(spliced), "\u{1b}[0m[2J");
        assert_eq!(harmless("a\n\tb"), "a\n\tb");
    }

    #[test]
    fn json_means_the_same() {
        let value = serde_json::json!({ "a\u{9b}": ["\u{7f}\u{85}\u{202e}\u{1b}\n", "ü"] });
        let json = value.to_string();
        let escaped = escaped_json(&json);
        assert!(!escaped.contains(acts));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }

    proptest! {
        #[test]
        fn only_colours_are_left_that_hide_nothing(
            text in "([a-z0-9;\\[\\]m\n\t\u{0}-\u{1f}\u{7f}-\u{9f}\u{202e}\u{2066}é]|\\x1b\\[[0-9;]{0,5}m|\\x1b)*"
        ) {
            let mut shown = harmless(&text).into_owned();
            while let Some((at, length)) = next_colour(&shown) {
                shown.replace_range(at..at + length, "");
                // What stood on both sides of it must not become one.
                shown.insert(at, ' ');
            }
            prop_assert!(!shown.contains(acts), "{shown:?}");
        }
    }
}
