//! Days of the week, and the words for them.

use super::{clock::ClockTime, word::Word};
use crate::{
    Cron,
    names::{MONTHS, WEEKDAYS, short},
};

/// Words between days.
const LINKS: &[&str] = &["and", "&", "to", "through", "thru", "-", "–"];
const RANGES: &[&str] = &["to", "through", "thru", "-", "–"];

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

    /// Parses the days that these words begin with: `monday`, `mondays and fridays`, `monday to friday`, `mon-fri`,
    /// `weekdays`. Returns how many words they are.
    pub(super) fn parse(words: &[Word]) -> Option<(Self, usize)> {
        // More words than a week has days are a text, which is not read from each of its words to its end.
        const MOST: usize = 16;
        let words = &words[..words.len().min(MOST)];
        let (mut days, mut length) = (Self::of(words.first()?)?, 1);
        loop {
            let rest = &words[length..];
            let link = rest.first().filter(|word| word.is(LINKS));
            let joint = usize::from(link.is_some());
            let Some(more) = rest.get(joint).and_then(Self::of) else { return Some((days, length)) };
            let is_range = link.is_some_and(|word| word.is(RANGES));
            days = match (days.only(), more.only()) {
                (Some(first), Some(last)) if is_range => Self::range(first, last),
                _ if is_range => return Some((days, length)),
                _ => Self { bits: days.bits | more.bits },
            };
            length += joint + 1;
        }
    }

    /// Returns the days that one word names.
    pub(super) fn of(word: &Word) -> Option<Self> {
        match word.text.as_str() {
            "weekday" | "weekdays" | "workday" | "workdays" => Some(Self::WEEKDAYS),
            "weekend" | "weekends" => Some(Self::WEEKEND),
            text => day(text).map(Self::one).or_else(|| Self::in_one_word(text)),
        }
    }

    const fn one(day: usize) -> Self {
        Self { bits: 1 << day }
    }

    /// Returns the day, if it is only one.
    pub(super) fn only(self) -> Option<usize> {
        (0..7).find(|day| Self::one(*day) == self)
    }

    /// Returns the days from one to the other, through the end of the week if need be.
    fn range(first: usize, last: usize) -> Self {
        let length = (last + 7 - first) % 7;
        Self { bits: (0..=length).map(|offset| 1 << ((first + offset) % 7)).sum() }
    }

    /// Parses several days without spaces: `mon-fri`, `tue/thu`, `mon-wed,fri`, `mon..fri`.
    fn in_one_word(text: &str) -> Option<Self> {
        const LETTERS: &[(&str, &str)] = &[("m-f", "mon-fri"), ("m–f", "mon-fri"), ("m/w/f", "mon/wed/fri")];
        let text = LETTERS.iter().find(|(short, _)| *short == text).map_or(text, |(_, days)| days);
        // `we` is a word.
        if !text.contains(['-', '–', '/', ',', '&', '+']) && !text.contains("..") {
            return None;
        }
        let one = |text: &str| day(text).or_else(|| two_letters(text));
        let part = |part: &str| match part.split_once(['-', '–']).or_else(|| part.split_once("..")) {
            Some((first, last)) => Some(Self::range(one(first)?, one(last)?)),
            None => one(part).map(Self::one),
        };
        let days: Option<Vec<_>> = text.split(['/', ',', '&', '+']).map(part).collect();
        Some(days?.into_iter().fold(Self { bits: 0 }, Self::and))
    }

    /// Returns whether a word names days that recur, even without `every`: `mondays`, `weekends`, `mon-fri`.
    pub(super) fn recur(word: &Word) -> bool {
        Self::of(word).is_some() && (word.text.ends_with('s') || is_day_range(&word.text))
    }

    /// Returns these days without others, if any remain.
    pub(super) fn without(self, others: Self) -> Option<Self> {
        let bits = self.bits & !others.bits;
        (bits != 0).then_some(Self { bits })
    }

    /// Returns these days and others.
    pub(super) fn and(self, others: Self) -> Self {
        Self { bits: self.bits | others.bits }
    }

    /// Returns whether its [words](Self::words) are short.
    pub(super) fn is_short(self) -> bool {
        self == Self::ALL || self == Self::WEEKDAYS || self.bits.count_ones() <= 3
    }

    /// Returns the words to write before a time of day: `weekdays`, `every monday and friday`.
    pub(super) fn words(self) -> String {
        let days: Vec<_> = (0..7).filter(|day| self.bits >> day & 1 == 1).map(|day| WEEKDAYS[day]).collect();
        match self {
            Self::ALL => "every day".to_owned(),
            Self::WEEKDAYS => "weekdays".to_owned(),
            Self::WEEKEND => "weekends".to_owned(),
            _ => format!("every {}", days.join(" and ")),
        }
    }

    /// Returns the field of an expression that matches these days.
    pub(super) fn field(self) -> String {
        match self {
            Self::ALL => "*".to_owned(),
            Self::WEEKDAYS => "1-5".to_owned(),
            Self { bits } => {
                let days: Vec<_> =
                    (0..7).filter(|day| bits >> day & 1 == 1).map(|day| day.to_string()).collect();
                days.join(",")
            }
        }
    }

    /// Returns the expression that fires at this time on these days.
    pub(super) fn at(self, time: ClockTime) -> Cron {
        let text = format!("{} {} * * {}", time.minute, time.hour, self.field());
        text.parse().unwrap_or_else(|error| unreachable!("{text} is an expression: {error}"))
    }
}

/// Returns the number of a day from Sunday on: `monday`, `Mondays`, `mon`.
fn day(text: &str) -> Option<usize> {
    let is_name = |name: &str| {
        let is_short = matches!(text, "tues" | "thur" | "thurs") && name.starts_with(text)
            || text == "weds" && name == "wednesday";
        text == name || text.strip_suffix('s') == Some(name) || text == short(name) || is_short
    };
    WEEKDAYS.iter().position(|name| is_name(name))
}

/// Returns the number of a day from two letters, which are other words outside a range: `mo` in `mo-fr`.
fn two_letters(text: &str) -> Option<usize> {
    WEEKDAYS.iter().position(|name| name.get(..2) == Some(text))
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

/// Returns whether a word is a day even in the middle of a text: `sun` is a star as well.
pub(super) fn is_clearly_a_day(word: &Word) -> bool {
    word.text.len() > 3 || is_day_or_month(word) || !word.is(&["sat", "sun", "wed"])
}

/// Returns whether words begin with one date, named by its day: `next friday`.
pub(super) fn names_a_date(words: &[Word]) -> bool {
    let is_single = |(days, length): (Days, usize)| length == 1 && days.only().is_some();
    words[0].is(&["next", "this", "on"])
        && Days::parse(&words[1..]).is_some_and(is_single)
        && !Days::recur(&words[1])
}

/// Returns whether a word names several days without spaces: `mon-fri`, `tue/thu`.
pub(super) fn is_day_range(text: &str) -> bool {
    day(text).is_none() && Days::in_one_word(text).is_some()
}

/// Returns whether a word is short names of days without signs, which may be a range or a list: `monfri`.
pub(super) fn joins_days(text: &str) -> bool {
    let parts: Vec<_> =
        text.as_bytes().chunks(3).map(|part| std::str::from_utf8(part).unwrap_or_default()).collect();
    parts.len() > 1 && parts.iter().all(|part| day(part).is_some())
}

/// Returns the number of a month from 1 on, by its name in full or by three letters.
pub(super) fn month(word: &Word) -> Option<u8> {
    let is_name = |month: &&str| *month == word.text || short(month) == word.text || word.text == "sept";
    (1..)
        .zip(&MONTHS)
        .find(|(_, month)| is_name(month) && word.text.starts_with(short(month)))
        .map(|(number, _)| number)
}

/// Returns whether a word names a month, in full or by three letters.
pub(super) fn is_month(word: &Word) -> bool {
    month(word).is_some()
}

/// Returns the number of a day or a month from a name in full or of three letters: `MON`, `january`.
pub(super) fn short_name(text: &str) -> Option<usize> {
    let text = text.to_ascii_lowercase();
    let place = |names: &[&str]| names.iter().position(|name| short(name) == text || *name == text);
    place(&WEEKDAYS).or_else(|| place(&MONTHS).map(|place| place + 1))
}
