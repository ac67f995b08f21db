//! Signs that do something to a terminal, or to the order of letters, instead of being seen.
//!
//! An export is read with `cat` and `less` as well, and what a command printed is not to colour, clear or reorder it.

/// Whether a sign changes how others are shown: controls, but for tabs and ends of lines, and what turns the direction
/// of writing around. The marks `U+200E` and `U+200F` turn nothing around, and texts from right to left need them.
pub(super) fn acts(sign: char) -> bool {
    match sign {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        sign => sign.is_control(),
    }
}

/// The text, with such signs as `\u{...}`. The `\r` of `\r\n` stays: together they are the end of a line.
pub(super) fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\r' if signs.peek() == Some(&'\n') => seen.push(sign),
            sign if acts(sign) => seen.extend(sign.escape_unicode()),
            sign => seen.push(sign),
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_seen() {
        for (text, seen) in [
            ("a\tb\r\n\u{e9}\n", "a\tb\r\n\u{e9}\n"),
            ("\x1b]0;x\x07", "\\u{1b}]0;x\\u{7}"),
            ("100 %\r50 %\0", "100 %\\u{d}50 %\\u{0}"),
            ("\u{202e}gpj\u{2069}\u{200f}\u{9b}", "\\u{202e}gpj\\u{2069}\u{200f}\\u{9b}"),
        ] {
            assert_eq!(visible(text), seen);
        }
    }
}
