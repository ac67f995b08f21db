//! The jobs that a reading of days and times means, and their forms.

use std::{collections::BTreeSet, ops::Range};

use super::{
    clock::ClockTime,
    days::Days,
    reading::{LINKS, Part, Reading, When},
    word::Word,
};

/// The number of words in which the parts of a time are looked for.
const REACH: usize = 8;

/// Parts of one kind that follow each other.
enum Run {
    Days(Vec<When>),
    Times(Vec<ClockTime>),
}

impl Run {
    /// Returns each day of two runs with all of their times. The days of a week are one.
    fn paired(runs: &[Self]) -> Option<Vec<(When, Vec<ClockTime>)>> {
        let ([Self::Days(days), Self::Times(times)] | [Self::Times(times), Self::Days(days)]) = runs else {
            return None;
        };
        let mut joined: Vec<When> = Vec::new();
        for day in days {
            match (day, joined.last_mut()) {
                (When::Weekly(more), Some(When::Weekly(days))) => *days = days.and(*more),
                _ => joined.push(*day),
            }
        }
        Some(joined.into_iter().map(|day| (day, times.clone())).collect())
    }
}

impl Reading {
    /// Returns the days and their times, in order. `None` if it is unclear which belong together.
    fn clauses(&self) -> Option<Vec<(When, Vec<ClockTime>)>> {
        let is_once = |day: When| !matches!(day, When::Weekly(_));
        let (has_days, has_once) = (self.days().next().is_some(), self.days().any(is_once));
        let contradicts = self.names_each_day && has_days;
        // `friday at 9` may be a date, or each week. `tomorrow and friday` is neither.
        let is_unclear =
            (!self.recurs && self.is_dated) || (has_once && (self.recurs || !self.days().all(is_once)));
        let clauses = match &self.runs()[..] {
            _ if contradicts || is_unclear => return None,
            [Run::Times(times)] if self.is_daily => vec![(When::Weekly(Days::ALL), times.clone())],
            [Run::Times(times)] if !self.recurs => vec![(When::Next, times.clone())],
            runs => {
                let pairs: Option<Vec<_>> = runs.chunks(2).map(Run::paired).collect();
                pairs?.concat()
            }
        };
        let fires = clauses.first().map_or(0, |(_, times)| times.len());
        self.fires.is_none_or(|count| count == fires && clauses.len() == 1).then_some(clauses)
    }

    fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        for part in &self.parts {
            match (*part, runs.last_mut()) {
                (Part::Day(day), Some(Run::Days(days))) => days.push(day),
                (Part::Time(time), Some(Run::Times(times))) => times.push(time),
                (Part::Day(day), _) => runs.push(Run::Days(vec![day])),
                (Part::Time(time), _) => runs.push(Run::Times(vec![time])),
            }
        }
        runs
    }

    /// Returns the forms that mean the same, one for each job. `None` if there are none.
    pub(super) fn forms(&self) -> Option<Vec<String>> {
        let mut jobs: Vec<(When, Vec<ClockTime>)> = Vec::new();
        for (when, times) in self.clauses()? {
            match jobs.iter_mut().find(|(other, _)| *other == when) {
                Some((_, more)) => more.extend(times),
                None => jobs.push((when, times)),
            }
        }
        let mut merged: Vec<(When, Vec<ClockTime>)> = Vec::new();
        for (when, mut times) in jobs {
            times.sort_by_key(ClockTime::civil);
            times.dedup_by_key(|time| time.civil());
            let same = merged
                .iter_mut()
                .find(|(_, other)| other.iter().map(ClockTime::civil).eq(times.iter().map(ClockTime::civil)));
            match (when, same) {
                (When::Weekly(days), Some((When::Weekly(others), _))) => *others = others.and(days),
                _ => merged.push((when, times)),
            }
        }
        let forms: Option<Vec<_>> = merged.iter().map(|(when, times)| forms_of(*when, times)).collect();
        forms.map(|forms| forms.concat()).filter(|forms| !forms.is_empty())
    }
}

/// Returns the longest part of a text around some words that is days and times of day. The words themselves if there is
/// none.
pub(super) fn around(words: &[Word], start: usize, end: usize) -> Range<usize> {
    let is_read = |part: &[Word]| {
        let is_link = |word: &Word| word.is(LINKS);
        let starts = !is_link(&part[0]) || part[0].is(&["at", "@", "on"]);
        let reading = Reading::of(part).filter(|_| starts && !part.last().is_some_and(is_link));
        reading.is_some_and(|reading| reading.forms().is_some())
    };
    let last = (end + 1..=words.len().min(end + REACH)).rev().find(|last| is_read(&words[start..*last]));
    let end = last.unwrap_or(end);
    let reading = Reading::of(&words[start..end]);
    let is_whole = reading.is_some_and(|reading| reading.is_day_and_time() && reading.forms().is_some());
    // A day before a whole time is another one: `since Monday every friday at 4pm`.
    let belongs = |before: &[Word]| {
        !is_whole
            || Reading::of(before).is_some_and(|before| before.times().next().is_some() || before.is_week())
    };
    let first = (start.saturating_sub(REACH)..start)
        .find(|first| belongs(&words[*first..start]) && is_read(&words[*first..end]));
    first.unwrap_or(start)..end
}

fn forms_of(when: When, times: &[ClockTime]) -> Option<Vec<String>> {
    let each = |form: &dyn Fn(&ClockTime) -> String| Some(times.iter().map(form).collect());
    match when {
        When::Weekly(days) => {
            if let Some(cron) = several(days, times).filter(|_| times.len() > 1) {
                return Some(vec![cron]);
            }
            each(&|time| match days.is_short() {
                true => format!("{} at {time}", days.words()),
                false => days.at(*time).to_string(),
            })
        }
        When::Tonight if !times.iter().all(|time| time.is_clear_at_night()) => None,
        When::Tonight => each(&|time| format!("tonight at {time}")),
        When::Today => each(&|time| format!("today at {time}")),
        When::Tomorrow => each(&|time| format!("tomorrow at {time}")),
        When::On(day) => each(&|time| format!("{day} at {time}")),
        When::Next => each(&|time| format!("at {time}")),
    }
}

/// Returns the expression for several times of a day, if the same minutes belong to each hour.
fn several(days: Days, times: &[ClockTime]) -> Option<String> {
    let hours: BTreeSet<_> = times.iter().map(|time| time.hour).collect();
    let minutes: BTreeSet<_> = times.iter().map(|time| time.minute).collect();
    let list = |set: &BTreeSet<u8>| set.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    (hours.len() * minutes.len() == times.len())
        .then(|| format!("{} {} * * {}", list(&minutes), list(&hours), days.field()))
}
