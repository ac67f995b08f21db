//! Makes characters visible that act on a terminal or reorder text.
//!
//! People also read exports with `cat` and `less`. The output of a command must not colour, clear or reorder their
//! screen.

/// Returns whether a character changes how other text appears: control characters except tabs and line ends, and
/// characters that change the writing direction. The marks `U+200E` and `U+200F` change nothing else, and right-to-left
/// texts need them.
pub(super) fn acts(sign: char) -> bool {
    match sign {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        sign => sign.is_control(),
    }
}

/// Returns the text with such characters as `\u{...}`. The `\r` of `\r\n` stays, because together they end a line.
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
