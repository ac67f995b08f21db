//! Dates: `2026-12-24`, `December 24`, `24 Dec 2026`.

use std::fmt;

use jiff::{Timestamp, ToSpan as _, civil};

use super::{
    clock::ClockTime,
    days::{Days, month},
    grammar::{self, Match, Spec},
    nearest::clock,
    spelling::normal,
    time_sign::{is_day_part, ordinal_number},
    word::Word,
};
use crate::{
    TimeError, Zone,
    names::{MONTHS, short, with_capital},
    parse_time,
};

/// A day of the calendar. Without a year it is the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DayOfYear {
    year: Option<i16>,
    month: u8,
    day: u8,
}

impl DayOfYear {
    /// Parses the date that these words begin with. Returns how many words it has.
    pub(super) fn parse(words: &[Word]) -> Option<(Self, usize)> {
        let first = words.first()?;
        if let Ok(date) = first.text.parse::<civil::Date>()
            && first.text.len() == "2026-12-24".len()
        {
            return Some((Self::of(date), 1));
        }
        if let Some(date) = Self::numeric(&first.text) {
            return Some((date, 1));
        }
        let at = |at: usize| words.get(at);
        let (month, day, length) = if let Some(month) = month(first) {
            let the = usize::from(at(1)?.is(&["the"]));
            (month, ordinal_number(at(1 + the)?)?, 2 + the)
        } else {
            let the = usize::from(first.is(&["the"]));
            let of = usize::from(at(1 + the)?.is(&["of"]));
            (month(at(1 + the + of)?)?, ordinal_number(at(the)?)?, 2 + the + of)
        };
        let year =
            at(length).filter(|word| word.text.len() == 4).and_then(|word| word.text.parse::<i16>().ok());
        let date = Self { year, month, day };
        // 29 February exists in some years.
        date.in_year(year.unwrap_or(2028))?;
        Some((date, length + usize::from(year.is_some())))
    }

    /// Parses `24.12.2026`, and `12/24/2026` if only one of its numbers can be the month.
    fn numeric(text: &str) -> Option<Self> {
        let parts: Option<Vec<i16>> = text.split(['.', '/']).map(|part| part.parse().ok()).collect();
        let [first, second, year] = parts?[..] else { return None };
        let date = |month: i16, day: i16| {
            let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
            civil::Date::new(year, month, day).ok().filter(|_| year >= 1_000).map(Self::of)
        };
        match (date(second, first), date(first, second)) {
            (Some(date), _) if text.contains('.') || first == second => Some(date),
            (Some(date), None) => Some(date),
            (None, Some(date)) if text.contains('/') => Some(date),
            _ => None,
        }
    }

    /// Returns the expression that matches it every year.
    pub(super) fn yearly(self, time: ClockTime) -> String {
        format!("{} {} {} {} *", time.minute, time.hour, self.day, self.month)
    }

    fn of(date: civil::Date) -> Self {
        let part = i8::unsigned_abs;
        Self { year: Some(date.year()), month: part(date.month()), day: part(date.day()) }
    }

    fn in_year(self, year: i16) -> Option<civil::Date> {
        civil::Date::new(year, i8::try_from(self.month).ok()?, i8::try_from(self.day).ok()?).ok()
    }

    /// Returns when the clocks of the zone show this time on this day.
    pub(super) fn at(self, time: ClockTime, zone: &Zone, now: Timestamp) -> Result<Timestamp, TimeError> {
        let today = now.to_zoned(zone.rules().clone()).datetime();
        let in_year = |year| self.in_year(year).map(|day| day.to_datetime(time.civil()));
        let found = match self.year {
            Some(year) => in_year(year),
            // Every date is in one of nine years, even 29 February.
            None => (0..=8).filter_map(|years| in_year(today.year() + years)).find(|time| *time > today),
        };
        let time = found.ok_or_else(|| TimeError::Unreadable { written: self.to_string() })?;
        parse_time(&time.to_string(), zone, now)
    }
}

/// Returns the date for a day relative to now, at nine without a time of day: `day after tomorrow`, `in 2 days at
/// 9`, `next monday at 9`, `at 9 on friday`, `2026-12-24T18:00Z`.
pub(super) fn days_ahead(phrase: &str, zone: &Zone, now: Timestamp) -> Option<String> {
    const DAY: u64 = 86_400;
    let words = &normal(&Word::all(phrase));
    if let Ok(time) = phrase.trim_start_matches("at ").parse::<Timestamp>() {
        return Some(at(time, zone));
    }
    let today = now.to_zoned(zone.rules().clone()).date();
    let early = grammar::clock(words).filter(|(_, length)| *length < words.len());
    let here = &words[early.map_or(0, |(_, length)| length)..];
    let start = here.iter().take(2).take_while(|word| word.is(&["the", "on", "next", "this"])).count();
    let is_dated = start > 0 && !here[start - 1].is(&["the"]);
    let here = &here[start..];
    let names = ["day", "after", "tomorrow"];
    let (days, length) = match here.get(..3) {
        Some(first) if first.iter().zip(names).all(|(word, name)| word.text == name) => (2, 3),
        _ => match (here.first().and_then(Days::of).and_then(Days::only), grammar::phrase(here)) {
            (Some(day), _) if is_dated && !Days::recur(&here[0]) => {
                let ahead = (day + 7 - today.weekday().to_sunday_zero_offset().unsigned_abs() as usize) % 7;
                (if ahead == 0 { 7 } else { ahead as u64 }, 1)
            }
            (_, Some(Match { spec: Spec::In(Ok(duration)), length })) => (duration.as_secs() / DAY, length),
            _ => return None,
        },
    };
    let rest = &here[length..];
    let has_part = rest.first().is_some_and(is_day_part);
    let rest = &rest[usize::from(has_part)..];
    let is_named = rest.is_empty() && !words[0].is(&["in"]);
    // Nine, unless a part of the day is named.
    let usual = || ClockTime::parse(&Word::all(&clock(words))).map(|(time, _)| time);
    let late = grammar::clock(rest).or_else(|| early.filter(|_| rest.is_empty()).map(|(time, _)| (time, 0)));
    let (time, end) = match late {
        Some((_, end)) if has_part => (usual()?, end),
        Some(found) => found,
        None => (usual().filter(|_| is_named)?, 0),
    };
    let day = today.saturating_add(i64::try_from(days).ok()?.days());
    (days > 0 && end == rest.len()).then(|| format!("{day} {:02}:{:02}", time.hour, time.minute))
}

/// Returns the date and the time of day of an instant: `2026-12-24 18:00`.
pub(super) fn at(time: Timestamp, zone: &Zone) -> String {
    time.to_zoned(zone.rules().clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

impl fmt::Display for DayOfYear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year {
            Some(year) => write!(f, "{year:04}-{:02}-{:02}", self.month, self.day),
            None => {
                let month = with_capital(short(MONTHS[usize::from(self.month) - 1]));
                write!(f, "{month} {}", self.day)
            }
        }
    }
}
