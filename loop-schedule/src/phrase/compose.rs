//! Forms for times of several parts, which only a cron expression can join: `every 30 minutes from 9 to 5`.

use super::{
    amounts::{self, months},
    clock::ClockTime,
    date::DayOfYear,
    days::{Days, is_clearly_a_day},
    grammar::{self, Spec},
    time_sign::{is_ordinal, ordinal_number},
    word::Word,
};

/// The parts of a time.
struct Parts {
    /// The minutes between two fires.
    period: Option<u64>,
    days: Option<Days>,
    times: Vec<ClockTime>,
    /// The first and the last hour of a range.
    hours: Option<(u8, u8)>,
    /// Minutes after the hour: `:15`.
    offset: Option<u8>,
    /// The field for the days of a month: `1,15`.
    days_of_month: Option<String>,
}

/// Returns a form that keeps all parts of a time, if there is one.
pub(super) fn compose(words: &[Word], time: &str) -> Option<String> {
    let (clock, _) = ClockTime::parse(&Word::all(time))?;
    let date = (0..words.len()).find_map(|at| DayOfYear::parse(&words[at..]).map(|(day, _)| day));
    match date {
        Some(_) if period(words).is_some_and(|minutes| minutes < 1_440) => return None,
        Some(date) if words[0].is(&["every", "each", "yearly", "annually"]) => {
            return Some(date.yearly(clock));
        }
        Some(date) => return Some(format!("{date} at {time}")),
        None => {}
    }
    let parts = Parts::of(&words[..start_or_end(words)])?;
    parts.repeated().or_else(|| parts.weekly(words, clock)).or_else(|| parts.monthly(words, clock))
}

/// Returns where the first or the last day of a schedule begins, which no expression has: `starting on monday`.
pub(super) fn start_or_end(words: &[Word]) -> usize {
    let is_end = |at: &usize| {
        let is_range = words[..*at].iter().any(|word| word.is(&["from", "between"]));
        let is_last = words[*at].is(&["until", "till", "til"]) && !is_range;
        let rest = &words[at + 1..];
        let is_day = |length: usize| length == rest.len() && Days::parse(rest).is_some();
        let is_first = *at > 0
            && words[*at].is(&["from", "through", "thru"])
            && Days::parse(&words[at - 1..]).is_none()
            && Days::parse(rest).is_some_and(|(days, it)| days.only().is_some() && is_day(it));
        *at > 0 && (is_last || is_first || words[*at].is(&["starting", "beginning", "ending", "since"]))
    };
    (0..words.len()).find(is_end).unwrap_or(words.len())
}

impl Parts {
    /// Finds the parts. `None` if they exclude something else than days.
    fn of(words: &[Word]) -> Option<Self> {
        let (mut days, mut excluded, mut hours) = (None, None, None);
        let mut excludes = false;
        let (mut times, mut at) = (Vec::new(), 0);
        while at < words.len() {
            let here = &words[at..];
            if here[0].is(&["except", "excluding", "without", "minus", "not", "but", "outside", "skip"]) {
                (excludes, at) = (true, at + 1);
            } else if let Some((range, length)) = hour_range(here) {
                (hours, at) = (Some(range), at + length);
            } else if let Some((found, length)) = Days::parse(here).filter(|_| is_clearly_a_day(&here[0])) {
                let days = if excludes { &mut excluded } else { &mut days };
                *days = days.or(Some(found));
                at += length;
            } else if let Some((time, length)) = listed_time(words, at, !times.is_empty()) {
                times.push(time);
                at += length;
            } else {
                at += 1;
            }
        }
        if excludes {
            (days, hours) = (Some(days.unwrap_or(Days::ALL).without(excluded?)?), None);
        }
        // Hours without an interval are those of every hour.
        let daily = || words.iter().any(|word| word.is(&["daily"])).then_some(1_440);
        let period = period(words).or_else(daily).or_else(|| hours.map(|_| 60));
        Some(Self { period, days, times, hours, offset: offset(words), days_of_month: days_of_month(words) })
    }

    /// An interval on certain days, in certain hours, or at a certain minute.
    fn repeated(&self) -> Option<String> {
        let period = self.period?;
        if self.days.is_none() && self.hours.is_none() && self.offset.is_none() {
            return None;
        }
        let days = self.days.unwrap_or(Days::ALL).field();
        let step = |every: u64| if every == 1 { String::new() } else { format!("/{every}") };
        let range = |last_is_whole: bool| match self.hours {
            None => "*".to_owned(),
            Some((first, last)) if last_is_whole || last <= first + 1 => format!("{first}-{last}"),
            Some((first, last)) => format!("{first}-{}", last - 1),
        };
        match (period, self.offset) {
            (1..60, None) if 60_u64.is_multiple_of(period) => {
                Some(format!("*{} {} * * {days}", step(period), range(false)))
            }
            (60..1_440, offset) if period.is_multiple_of(60) && 24_u64.is_multiple_of(period / 60) => {
                Some(format!("{} {}{} * * {days}", offset.unwrap_or(0), range(true), step(period / 60)))
            }
            _ => None,
        }
    }

    /// A time of day on certain days.
    fn weekly(&self, words: &[Word], time: ClockTime) -> Option<String> {
        let is_once = words[0].is(&["today", "tomorrow", "tonight"]);
        let is_day = |pair: &[Word]| pair[0].is(&["every", "each"]) && pair[1].is(&["day"]);
        let is_daily = || {
            let says = words.iter().any(|word| word.is(&["daily"])) || words.windows(2).any(is_day);
            says && !self.times.is_empty()
        };
        let days = self.days.or_else(|| is_daily().then_some(Days::ALL))?;
        let form = || {
            if days.is_short() { format!("{} at {time}", days.words()) } else { days.at(time).to_string() }
        };
        let is_of_days =
            self.period.is_none_or(|period| period == 1_440 || period == 10_080) && self.hours.is_none();
        (is_of_days && !is_once).then(form)
    }

    /// A day of each month, or of some.
    fn monthly(&self, words: &[Word], time: ClockTime) -> Option<String> {
        let unit = words.iter().position(|word| word.is(&["month", "months"]));
        let count = unit.and_then(|at| amounts::amount(&words[at.checked_sub(1)?].text)).unwrap_or(1.0);
        let months = months(count).filter(|_| self.period.is_none() && self.days.is_none())?;
        self.days_of_month.as_ref().map(|days| format!("{} {} {days} {months} *", time.minute, time.hour))
    }
}

/// Returns how many times of day some words have.
pub(super) fn times(words: &[Word]) -> usize {
    Parts::of(words).map_or(0, |parts| parts.times.len())
}

/// Returns the minutes of an interval among some words.
fn period(words: &[Word]) -> Option<u64> {
    let spec = (0..words.len()).find_map(|at| {
        let is_often = words[at].is(&["every", "each", "hourly"]);
        is_often.then(|| grammar::phrase(&words[at..])).flatten().map(|found| found.spec)
    });
    let Some(spec) = spec else {
        // `every other week` is no form, but it is an interval.
        let at = words.iter().position(|word| word.is(&["every", "each"]))?;
        let minutes = amounts::total(&words[at..])?;
        return (minutes.fract() == 0.0).then_some(minutes as u64);
    };
    match spec {
        Spec::Every(Ok(interval)) => Some(interval.period().as_secs()),
        _ => None,
    }
    .filter(|seconds| seconds.is_multiple_of(60))
    .map(|seconds| seconds / 60)
}

/// Returns the hours of `between 9 and 17` or `from 9 to 5`, with the number of words.
fn hour_range(words: &[Word]) -> Option<((u8, u8), usize)> {
    let start = usize::from(words.first()?.is(&["between", "from"]));
    let (first, length) = ClockTime::plain(&words[start..])?;
    let link = start + length;
    let is_link = words.get(link)?.is(&["and", "to", "until", "till", "through", "-"]);
    let (last, more) = ClockTime::plain(&words[link + 1..]).filter(|_| is_link && start == 1)?;
    // `from 9 to 5` ends in the afternoon.
    let end = if last.hour <= first.hour { last.in_the_evening().hour } else { last.hour };
    (end > first.hour).then_some(((first.hour, end), link + 1 + more))
}

/// Returns the time of day that is part of a list: after `at`, or after another one.
fn listed_time(words: &[Word], at: usize, is_next: bool) -> Option<(ClockTime, usize)> {
    let before = at.checked_sub(1).map(|at| &words[at]);
    let is_linked = is_next && before.is_some_and(|word| word.is(&["and", "&", "or"]) || word.has_comma);
    let is_here = is_linked || before.is_some_and(|word| word.is(&["at", "@"]));
    let found = ClockTime::parse(&words[at..]).filter(|(time, _)| is_here || time.is_exact)?;
    let is_amount = words.get(at + found.1).is_some_and(Word::is_unit);
    (!is_amount).then_some(found)
}

/// Returns the minute of the hour: `:15`, `minute 15`, `on the hour`.
fn offset(words: &[Word]) -> Option<u8> {
    let is_phrase = |at: usize, names: &[&str]| {
        words[at..].iter().zip(names).filter(|(word, name)| word.text == **name).count() == names.len()
    };
    let minute = |at: usize| match words[at].text.strip_prefix(':') {
        Some(digits) => Some(digits),
        None if is_phrase(at, &["on", "the", "hour"]) => Some("0"),
        None if at > 0 && is_phrase(at, &["minutes", "past"]) => Some(words[at - 1].text.as_str()),
        None if is_phrase(at, &["minute"]) => words.get(at + 1).map(|word| word.text.as_str()),
        None => None,
    };
    (0..words.len()).find_map(minute)?.parse().ok().filter(|minute| *minute < 60)
}

/// Returns the field for the days of `the 15th`, `the 1st and 15th`.
fn days_of_month(words: &[Word]) -> Option<String> {
    let is_place =
        |word: &Word| is_ordinal(word) && word.text.starts_with(|sign: char| sign.is_ascii_digit());
    let is_counted = |at: usize| {
        let next = words.get(at + 1);
        next.is_some_and(|word| Days::of(word).is_some() || word.is(&["day", "week", "hour", "minute"]))
    };
    let places: Vec<_> = (0..words.len()).filter(|at| is_place(&words[*at])).collect();
    let days: Option<Vec<_>> =
        places.iter().map(|at| ordinal_number(&words[*at]).filter(|_| !is_counted(*at))).collect();
    let days: Vec<_> = days?.iter().map(u8::to_string).collect();
    (!days.is_empty()).then(|| days.join(","))
}
