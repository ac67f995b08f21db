//! Escape sequences of terminals, which nobody sees.
//!
//! They are read as ECMA-48 has it, and the state machine of the VT500 that terminals follow: a control within a sequence
//! is carried out and ends nothing, CAN and SUB call a sequence off, and ESC begins another one wherever it stands. No
//! length ends a sequence. Whoever reads them in another way sees other signs than a person, and other secrets.

use super::unit::Sign;

/// Where in an escape sequence a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Ansi {
    #[default]
    Outside,
    /// After ESC.
    Begun,
    /// After ESC and what says that one sign follows: `ESC (`.
    Chosen,
    /// Numbers, and the letter that ends them: colours, moves of the cursor.
    Control,
    /// A text that is not shown, such as the window's title or the address of a link. BEL ends it too.
    Title,
    /// Another text that is not shown.
    Text,
    /// ESC within such a text: perhaps its end.
    TextEnds,
}

impl Ansi {
    /// Takes the next sign, and gives whether it belongs to an escape sequence.
    pub(super) fn takes(&mut self, sign: Sign) -> bool {
        let was = *self;
        *self = was.after(sign);
        !was.carries_out(sign) && (was != Self::Outside || *self != Self::Outside)
    }

    /// Whether terminals differ in what this does: for some of them BEL ends any text, and CAN and SUB call no colour off.
    pub(super) fn may_differ(self, sign: Sign) -> bool {
        match self {
            Self::Text => sign == Sign::Char('\u{7}'),
            Self::Begun | Self::Chosen | Self::Control => {
                matches!(sign, Sign::Char('\u{18}' | '\u{1a}'))
            }
            _ => false,
        }
    }

    /// [`takes`](Self::takes) for such a terminal.
    pub(super) fn takes_otherwise(&mut self, sign: Sign) -> bool {
        if !self.may_differ(sign) {
            return self.takes(sign);
        }
        if *self == Self::Text {
            *self = Self::Outside;
        }
        true
    }

    fn after(self, sign: Sign) -> Self {
        let sign = match sign {
            Sign::Char(sign) => sign,
            Sign::Byte(byte) => char::from(byte),
            Sign::Nothing if self == Self::TextEnds => '\\',
            Sign::Nothing => return self,
        };
        let is_text = matches!(self, Self::Title | Self::Text);
        match (self, sign) {
            (_, '\u{1b}') => {
                if is_text {
                    Self::TextEnds
                } else {
                    Self::Begun
                }
            }
            (_, '\u{18}' | '\u{1a}') => Self::Outside,
            (_, '\u{9b}') => Self::Control,
            (_, '\u{9d}') => Self::Title,
            (_, '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}') => Self::Text,
            (_, '\u{80}'..='\u{9f}') => Self::Outside,
            // A text that is never ended would hide all that follows.
            (Self::Title | Self::Text, '\n') | (Self::Title, '\u{7}') => Self::Outside,
            (Self::Outside | Self::Title | Self::Text, _) => self,
            (_, '\0'..='\u{1f}' | '\u{7f}') => self,
            (Self::Begun | Self::TextEnds, '[') => Self::Control,
            (Self::Begun | Self::TextEnds, ']') => Self::Title,
            (Self::Begun | Self::TextEnds, 'P' | 'X' | '^' | '_') => Self::Text,
            (Self::Begun | Self::TextEnds | Self::Chosen, ' '..='/') => Self::Chosen,
            (Self::Control, ' '..='?') => Self::Control,
            _ => Self::Outside,
        }
    }

    /// Whether this is a control that does here what it does elsewhere. A line's end is no part of a text either.
    fn carries_out(self, sign: Sign) -> bool {
        let Sign::Char(sign) = sign else { return false };
        match self {
            Self::Outside => false,
            Self::Title | Self::Text => sign == '\n',
            _ => matches!(sign, '\0'..='\u{17}' | '\u{19}' | '\u{1c}'..='\u{1f}'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> String {
        let mut ansi = Ansi::default();
        text.chars().filter(|sign| !ansi.takes(Sign::Char(*sign))).collect()
    }

    #[test]
    fn sequences_end_where_terminals_end_them() {
        for (text, expected) in [
            ("a\u{1b}[1mb", "ab"),
            ("a\u{1b}[3\u{7}1mb", "a\u{7}b"),
            ("a\u{1b}[3\n1mb", "a\nb"),
            ("a\u{1b}[3\u{7f}1mb", "ab"),
            ("a\u{1b}[3\u{18}1mb", "a1mb"),
            ("a\u{1b}[3\u{1b}[1mb", "ab"),
            ("a\u{1b}(Bb", "ab"),
            ("a\u{1b}([b", "ab"),
            ("a\u{1b} [b", "ab"),
            ("a\u{1b}\u{7}[1mb", "a\u{7}b"),
            ("a\u{1b}]0;t\u{7}b", "ab"),
            ("a\u{1b}]0;t\u{1b}\\b", "ab"),
            ("a\u{1b}]0;t\u{1a}b", "ab"),
            ("a\u{1b}]0;t\u{1b}[1mb", "ab"),
            ("a\u{1b}Pt\u{7}x\u{1b}\\b", "ab"),
            ("a\u{1b}Pt\u{1b}(Bb", "ab"),
            ("a\u{1b}Pt\u{9c}b", "ab"),
            ("a\u{1b}_t\nb", "a\nb"),
            ("a\u{9b}1mb", "ab"),
        ] {
            assert_eq!(seen(text), expected, "{text:?}");
        }
        let long = format!("a\u{1b}[{}mb\u{1b}]0;{}\u{7}c", "1;".repeat(50_000), "t".repeat(100_000));
        assert_eq!(seen(&long), "abc");
    }
}
