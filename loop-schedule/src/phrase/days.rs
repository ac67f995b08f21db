//! Days of the week, and the words for them.

use super::{clock::ClockTime, word::Word};
use crate::Cron;

const NAMES: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Days on which something happens each week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Days {
    /// One bit a day, Sunday first.
    bits: u8,
}

impl Days {
    pub(super) const ALL: Self = Self { bits: 0b111_1111 };
    const WEEKDAYS: Self = Self { bits: 0b011_1110 };
    const WEEKEND: Self = Self { bits: 0b100_0001 };

    /// Parses the days that these words begin with: `monday`, `mondays and fridays`, `weekdays`. Returns how many words
    /// they are.
    pub(super) fn parse(words: &[Word]) -> Option<(Self, usize)> {
        let (mut days, mut length) = (Self::of(words.first()?)?, 1);
        loop {
            let rest = &words[length..];
            let joint = usize::from(rest.first().is_some_and(|word| word.is(&["and", "&"])));
            match rest.get(joint).and_then(Self::of) {
                Some(more) => (days.bits, length) = (days.bits | more.bits, length + joint + 1),
                None => return Some((days, length)),
            }
        }
    }

    fn of(word: &Word) -> Option<Self> {
        match word.text.as_str() {
            "weekday" | "weekdays" | "workday" | "workdays" => Some(Self::WEEKDAYS),
            "weekend" | "weekends" => Some(Self::WEEKEND),
            text => day(text).map(|index| Self { bits: 1 << index }),
        }
    }

    /// Returns the expression that fires at this time on these days.
    pub(super) fn at(self, time: ClockTime) -> Cron {
        let days = match self {
            Self::ALL => "*".to_owned(),
            Self::WEEKDAYS => "1-5".to_owned(),
            Self { bits } => {
                let days: Vec<_> =
                    (0..7).filter(|day| bits >> day & 1 == 1).map(|day| day.to_string()).collect();
                days.join(",")
            }
        };
        let text = format!("{} {} * * {days}", time.minute, time.hour);
        text.parse().unwrap_or_else(|error| unreachable!("{text} is an expression: {error}"))
    }
}

/// Returns the number of a day from Sunday on: `monday`, `Mondays`, `mon`.
fn day(text: &str) -> Option<usize> {
    let is_name = |name: &str| {
        let short = [&name[..3], &name[..name.len().min(4)], &name[..name.len().min(5)]];
        let is_short =
            short.contains(&text) && matches!(text, "tues" | "thur" | "thurs") || text == &name[..3];
        text == name || text.strip_suffix('s') == Some(name) || is_short
    };
    NAMES.iter().position(|name| is_name(name))
}

/// Returns whether a word names a day or a month. Words with another meaning count with a capital letter only: `sat`,
/// `may`.
pub(super) fn is_day_or_month(word: &Word) -> bool {
    let text = word.text.strip_suffix("'s").or_else(|| word.text.strip_suffix("’s")).unwrap_or(&word.text);
    let is_month = MONTHS.contains(&text);
    let is_short = text.len() == 3 && MONTHS.iter().any(|month| month.starts_with(text));
    let is_ambiguous = matches!(text, "sat" | "sun" | "wed" | "may" | "march") || is_short;
    (day(text).is_some() || is_month || is_short) && (!is_ambiguous || (word.is_capital() && word.start > 0))
}

/// Returns whether a word names several days without spaces: `mon-fri`, `tue/thu`.
pub(super) fn is_day_range(text: &str) -> bool {
    let parts: Vec<_> = text.split(['-', '/', ',']).collect();
    parts.len() > 1 && parts.iter().all(|part| day(part).is_some())
}

/// Returns whether a word names a month, in full or by three letters.
pub(super) fn is_month(word: &Word) -> bool {
    word.text.len() >= 3 && MONTHS.iter().any(|month| *month == word.text || month[..3] == word.text)
}

/// Returns whether a text is a name of three letters: `MON`, `jan`.
pub(super) fn is_short_name(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.len() == 3 && NAMES.iter().chain(&MONTHS).any(|name| name[..3] == text)
}
