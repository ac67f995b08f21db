//! Describes expressions in words.

use super::{
    calendar::Calendar,
    field::{CronField, FieldSet},
};
use crate::names::{MONTHS, WEEKDAYS, with_capital};

/// The number of members after which a list is harder to read than the expression.
const LISTED: usize = 6;

/// Returns the short description, if there is one. It depends on the meaning of an expression and not on its spelling.
pub(super) fn describe(calendar: &Calendar) -> Option<String> {
    let months = match calendar.months {
        months if months == all(CronField::Month) => None,
        months => Some(months),
    };
    if let Some(days) = calendar.days {
        let is_date = days.only().is_some() && months.is_some_and(|months| months.only().is_some());
        // A date stays an expression, and so does a day of some months or of the week.
        let days = of_months(days, months)?;
        return match calendar.weekdays {
            None if !is_date => Some(format!("On the {days} at {}", times(calendar)?)),
            Some(weekdays) if months.is_none() => {
                let weekdays = match group(weekdays) {
                    Some(name) => format!("on {name}"),
                    None => format!("every {}", weekday_names(weekdays)?),
                };
                Some(format!("On the {days} and {weekdays} at {}", times(calendar)?))
            }
            _ => None,
        };
    }
    let months = match months {
        Some(months) => format!(" in {}", list(months, month_name)?),
        None => String::new(),
    };
    let sentence = match (rhythm(calendar), calendar.weekdays) {
        (Some(rhythm), None) => rhythm,
        (Some(rhythm), Some(days)) => format!("{rhythm} {}", on_weekdays(days)?),
        (None, None) => format!("Every day at {}", times(calendar)?),
        (None, Some(days)) => format!("{} at {}", weekdays(days)?, times(calendar)?),
    };
    Some(sentence + &months)
}

/// Describes an expression that matches several times a day, evenly.
fn rhythm(calendar: &Calendar) -> Option<String> {
    let Calendar { minutes, hours, .. } = *calendar;
    let hourly = match (minutes.only(), every(minutes, 60)) {
        (Some(0), _) => Some("Every hour".to_owned()),
        (Some(minute), _) => Some(format!("Every hour at :{minute:02}")),
        (None, Some(1)) => Some("Every minute".to_owned()),
        (None, Some(step)) => Some(format!("Every {step} minutes")),
        (None, None) => {
            let minutes: Vec<_> = minutes.members().map(|minute| format!(":{minute:02}")).collect();
            (minutes.len() <= LISTED).then(|| format!("Every hour at {}", joined(&minutes)))
        }
    };
    if hours == all(CronField::Hour) {
        return hourly;
    }
    if let Some((first, last)) = range(hours) {
        let last_minute = minutes.members().last()?;
        let (first, last) = (clock(first, minutes.first()?), clock(last, last_minute));
        return Some(format!("{} from {first} to {last}", hourly?));
    }
    let step = every(hours, 24)?;
    match minutes.only()? {
        0 => Some(format!("Every {step} hours")),
        minute => Some(format!("Every {step} hours at :{minute:02}")),
    }
}

/// Returns the even step of a set, if it matches more than once.
fn every(set: FieldSet, around: usize) -> Option<usize> {
    let multiples = |step: &usize| (0_u32..).take(around).step_by(*step).collect::<FieldSet>() == set;
    (1..around).filter(|step| around.is_multiple_of(*step)).find(multiples)
}

/// Returns the ends of a set without gaps, of at least three members.
fn range(set: FieldSet) -> Option<(u32, u32)> {
    let (first, last) = (set.first()?, set.members().last()?);
    ((first..=last).collect::<FieldSet>() == set && last >= first + 2).then_some((first, last))
}

/// Describes the few times of a day.
fn times(calendar: &Calendar) -> Option<String> {
    let of_hour = |hour| calendar.minutes.members().map(move |minute| clock(hour, minute));
    let times: Vec<_> = calendar.hours.members().flat_map(of_hour).collect();
    (times.len() <= LISTED).then(|| joined(&times))
}

fn clock(hour: u32, minute: u32) -> String {
    let half = if hour < 12 { "AM" } else { "PM" };
    format!("{}:{minute:02} {half}", (hour + 11) % 12 + 1)
}

/// Describes the days of the week at the beginning of a sentence.
fn weekdays(days: FieldSet) -> Option<String> {
    match group(days) {
        Some(name) => Some(with_capital(name)),
        None => Some(format!("Every {}", weekday_names(days)?)),
    }
}

/// Describes the days of the week at the end of a sentence.
fn on_weekdays(days: FieldSet) -> Option<String> {
    match group(days) {
        Some(name) => Some(format!("on {name}")),
        None => Some(format!("on {}", weekday_names(days)?)),
    }
}

/// Returns the name of these days together, if they have one.
fn group(days: FieldSet) -> Option<&'static str> {
    match days {
        _ if days == (1..=5).collect() => Some("weekdays"),
        _ if days == [0, 6].into_iter().collect() => Some("weekends"),
        _ => None,
    }
}

fn weekday_names(days: FieldSet) -> Option<String> {
    // A week begins on Monday here: `Saturday and Sunday`.
    let (monday_on, sunday) = (days.members().filter(|day| *day > 0), days.members().filter(|day| *day == 0));
    let name = |day| Some(with_capital(WEEKDAYS.get(usize::try_from(day).ok()?)?));
    let names: Option<Vec<_>> = monday_on.chain(sunday).map(name).collect();
    names.map(|names| joined(&names))
}

/// Describes days of the month: `1st and 15th of each month`, `1st of January and July`.
fn of_months(days: FieldSet, months: Option<FieldSet>) -> Option<String> {
    let days = list(days, |day| Some(format!("{day}{}", ordinal(day))))?;
    match months {
        None => Some(format!("{days} of each month")),
        Some(months) => Some(format!("{days} of {}", list(months, month_name)?)),
    }
}

fn month_name(month: usize) -> Option<String> {
    Some(with_capital(MONTHS.get(month.checked_sub(1)?)?))
}

fn ordinal(day: usize) -> &'static str {
    match (day / 10, day % 10) {
        (1, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

/// Lists a set: `1st to 7th`, or at most six members.
fn list(set: FieldSet, word: impl Fn(usize) -> Option<String>) -> Option<String> {
    let word = |member: u32| word(usize::try_from(member).ok()?);
    if let Some((first, last)) = range(set) {
        return Some(format!("{} to {}", word(first)?, word(last)?));
    }
    let words: Vec<_> = set.members().map(word).collect::<Option<_>>()?;
    (words.len() <= LISTED).then(|| joined(&words))
}

/// Joins words: `a, b and c`.
fn joined(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [word] => word.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn all(field: CronField) -> FieldSet {
    let (smallest, largest) = field.range();
    (smallest..=largest).collect()
}
