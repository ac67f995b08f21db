//! Makes all characters of a text visible.

use std::{borrow::Cow, fmt::Write};

/// Escapes each character that a person would not see, or that would change how the rest reads: control characters
/// (`\u{1b}`, a tab as `\t`), changes of direction, characters without a shape, blanks other than the usual one,
/// characters that combine with the one before, and a blank at the end of a line. Line feeds stay.
///
/// Two different texts never look alike: a line with an escape, or with text that resembles one, has its backslashes
/// doubled.
///
/// ```
/// assert_eq!(loop_agents::tools::visible("r\u{200b}m"), r"r\u{200b}m");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.split('\n').any(needs_escapes) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<_> = text.split('\n').map(line).collect();
    Cow::Owned(lines.join("\n"))
}

/// As [`visible`], for a line with commands. Letters that are written from right to left become escapes, too: at a
/// terminal that orders them, `a && X && Y | sh` with two such words would show `Y` before `X`.
pub(in crate::tools) fn visible_command(line: &str) -> Cow<'_, str> {
    let text = visible(line);
    if !text.contains(is_right_to_left) {
        return text;
    }
    let mut escaped = String::with_capacity(2 * text.len());
    for sign in text.chars() {
        match sign {
            // Writing to a string does not fail.
            sign if is_right_to_left(sign) => drop(write!(escaped, "{}", sign.escape_unicode())),
            sign => escaped.push(sign),
        }
    }
    Cow::Owned(escaped)
}

/// Returns whether a character is in a block of Unicode for scripts from right to left: the defaults for the class `R` and
/// `AL` in the Unicode Bidirectional Algorithm (UAX #9).
fn is_right_to_left(sign: char) -> bool {
    matches!(sign, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

fn needs_escapes(line: &str) -> bool {
    line.ends_with(' ') || line.contains(is_unseen) || line.contains("\\u{") || line.contains("\\t")
}

fn line(line: &str) -> Cow<'_, str> {
    if !needs_escapes(line) {
        return Cow::Borrowed(line);
    }
    let (body, is_blank_at_end) = line.strip_suffix(' ').map_or((line, false), |body| (body, true));
    let mut escaped = String::with_capacity(line.len() + 16);
    for sign in body.chars() {
        match sign {
            '\t' => escaped.push_str("\\t"),
            '\\' => escaped.push_str("\\\\"),
            // Writing to a string does not fail.
            sign if is_unseen(sign) => drop(write!(escaped, "{}", sign.escape_unicode())),
            sign => escaped.push(sign),
        }
    }
    if is_blank_at_end {
        escaped.push_str("\\u{20}");
    }
    Cow::Owned(escaped)
}

/// Returns whether a character has no visible shape of its own.
fn is_unseen(sign: char) -> bool {
    match sign {
        ' '..='~' => false,
        // Unicode classifies these as letters and symbols, but they are blank.
        '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{1d159}' => true,
        // Rust's own table covers controls, formats, blanks, combining and unassigned characters.
        sign => sign.escape_debug().len() > 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the original line.
    fn meant(shown: &str) -> String {
        if !shown.contains("\\u{") && !shown.contains("\\t") {
            return shown.to_owned();
        }
        let (mut meant, mut rest) = (String::new(), shown);
        while let Some(at) = rest.find('\\') {
            meant.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let length = match rest.as_bytes()[0] {
                b'u' => {
                    let end = rest.find('}').unwrap();
                    meant.push(char::from_u32(u32::from_str_radix(&rest[2..end], 16).unwrap()).unwrap());
                    end + 1
                }
                other => {
                    meant.push(if other == b't' { '\t' } else { char::from(other) });
                    1
                }
            };
            rest = &rest[length..];
        }
        meant + rest
    }

    proptest! {
        #[test]
        fn each_line_can_be_told_from_what_is_shown(
            line in prop_oneof![any::<String>(), "(\\\\|u\\{|t|20\\}|[ \t\r\u{1b}\u{202e}\u{e0041}aé]){0,12}"],
        ) {
            let line = line.replace('\n', "");
            let shown = visible(&line);
            prop_assert_eq!(&meant(&shown), &line);
            prop_assert!(!shown.contains(is_unseen) && !shown.ends_with(' '), "{}", shown);
        }
    }

    #[test]
    fn words_from_right_to_left_cannot_change_places() {
        for (line, shown) in [
            ("ls && \u{5d0} && \u{5d1} | sh", r"ls && \u{5d0} && \u{5d1} | sh"),
            ("echo \u{627} > \u{62a}", r"echo \u{627} > \u{62a}"),
            ("grep \u{fc} a", "grep \u{fc} a"),
        ] {
            assert_eq!(visible_command(line), shown);
        }
    }

    #[test]
    fn nothing_is_unseen() {
        for sign in [
            '\0',
            '\x07',
            '\x1b',
            '\r',
            '\x0b',
            '\x7f',
            '\u{85}',
            '\u{9b}',
            '\u{a0}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{1160}',
            '\u{180e}',
            '\u{200b}',
            '\u{200d}',
            '\u{202e}',
            '\u{2028}',
            '\u{2060}',
            '\u{2066}',
            '\u{2800}',
            '\u{3000}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{e0fff}',
            '\u{fff0}',
            '\u{f0000}',
        ] {
            let shown = visible(&format!("a{sign}b")).into_owned();
            assert_eq!(shown, format!("a{}b", sign.escape_unicode()));
        }
        assert_eq!(visible("a\tb \n\"c\" 'd' \\n é 漢 🦀\n"), "a\\tb\\u{20}\n\"c\" 'd' \\n é 漢 🦀\n");
        assert_eq!(visible("a\\u{41}"), "a\\\\u{41}");
    }
}
