//! Escape sequences of terminals, which a person does not see.
//!
//! We parse them as ECMA-48 and the VT500 state machine do, because terminals follow these. A control character inside
//! a sequence takes effect and does not end it. CAN and SUB cancel a sequence. ESC always starts a new one. No sequence
//! ends because of its length. With another parser, we would see other characters than a person does, and miss secrets.

use super::unit::Sign;

/// The position of a text in an escape sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Ansi {
    #[default]
    Outside,
    /// After ESC.
    Begun,
    /// After ESC and a character that takes one more: `ESC (`.
    Chosen,
    /// Numbers, and the letter that ends them: colours, cursor movements.
    Control,
    /// An invisible text, such as the window's title or the address of a link. BEL ends it too.
    Title,
    /// Another invisible text.
    Text,
    /// ESC inside such a text, which may end it.
    TextEnds,
}

impl Ansi {
    /// Takes the next character. Returns whether it belongs to an escape sequence.
    pub(super) fn takes(&mut self, sign: Sign) -> bool {
        let was = *self;
        *self = was.after(sign);
        !was.carries_out(sign) && (was != Self::Outside || *self != Self::Outside)
    }

    /// Returns whether terminals differ in the effect of this character: in some, BEL ends any text, and CAN and SUB do
    /// not cancel a colour.
    pub(super) fn may_differ(self, sign: Sign) -> bool {
        match self {
            Self::Text => sign == Sign::Char('\u{7}'),
            Self::Begun | Self::Chosen | Self::Control => {
                matches!(sign, Sign::Char('\u{18}' | '\u{1a}'))
            }
            _ => false,
        }
    }

    /// Like [`takes`](Self::takes), for such a terminal.
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
            // Otherwise an unended text would hide everything after it.
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

    /// Returns whether this control character has its normal effect here. A line end is not part of a text either.
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
