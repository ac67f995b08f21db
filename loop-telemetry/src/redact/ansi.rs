//! Escape sequences of terminals, which nobody sees.

use super::unit::Sign;

/// Longer ones are none: a terminal gives up as well.
const LONGEST: u16 = 4096;

/// Where in an escape sequence a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Ansi {
    #[default]
    Outside,
    /// After ESC.
    Begun,
    /// Numbers, and the letter that ends them: colours, moves of the cursor.
    Control(u16),
    /// A text that is not shown, such as the window's title or the address of a link.
    Text(u16),
    /// ESC within such a text: perhaps its end.
    TextEnds(u16),
}

impl Ansi {
    /// Takes the next sign, and gives whether it belongs to an escape sequence.
    pub(super) fn takes(&mut self, sign: Sign) -> bool {
        let was = *self;
        *self = was.after(sign);
        was != Self::Outside && !was.breaks_at(sign) || *self != Self::Outside
    }

    fn after(self, sign: Sign) -> Self {
        let sign = match sign {
            Sign::Char(sign) => sign,
            Sign::Byte(byte) => char::from(byte),
            Sign::Nothing if matches!(self, Self::TextEnds(_)) => '\\',
            Sign::Nothing => return self,
        };
        if self.breaks_at(Sign::Char(sign)) {
            return Self::Outside;
        }
        let longer =
            |length: u16, of: fn(u16) -> Self| if length < LONGEST { of(length + 1) } else { Self::Outside };
        match (self, sign) {
            (Self::Text(length), '\u{1b}') => Self::TextEnds(length),
            (Self::Text(_), '\u{7}' | '\u{9c}') => Self::Outside,
            (Self::Text(length), _) => longer(length, Self::Text),
            (Self::TextEnds(_), '\\') => Self::Outside,
            (_, '\u{1b}') => Self::Begun,
            (_, '\u{9b}') => Self::Control(0),
            (_, '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}') => Self::Text(0),
            (Self::Outside, _) => Self::Outside,
            (Self::Begun | Self::TextEnds(_), '[') => Self::Control(0),
            (Self::Begun | Self::TextEnds(_), ']' | 'P' | 'X' | '^' | '_') => Self::Text(0),
            (Self::Begun, ' '..='/') => Self::Begun,
            (Self::Begun | Self::TextEnds(_), _) => Self::Outside,
            (Self::Control(length), ' '..='?') => longer(length, Self::Control),
            (Self::Control(_), _) => Self::Outside,
        }
    }

    /// A line's end ends all of them, and is none of their signs.
    fn breaks_at(self, sign: Sign) -> bool {
        sign == Sign::Char('\n')
    }
}
