//! Describes expressions in words.

use super::{
    calendar::Calendar,
    field::{CronField, FieldSet},
};

/// Returns the short description, if there is one. It depends on the meaning of an expression and not on its spelling.
pub(super) fn describe(calendar: &Calendar) -> Option<String> {
    if calendar.months != all(CronField::Month) || calendar.days.is_some() {
        return None;
    }
    match calendar.weekdays {
        None => rhythm(calendar).or_else(|| Some(format!("Every day at {}", time(calendar)?))),
        Some(days) if days == (1..=5).collect() => Some(format!("Weekdays at {}", time(calendar)?)),
        Some(days) => Some(format!("Every {} at {}", weekday(days.only()?)?, time(calendar)?)),
    }
}

/// Describes an expression that matches more than once a day.
fn rhythm(calendar: &Calendar) -> Option<String> {
    let Calendar { minutes, hours, .. } = *calendar;
    if hours == all(CronField::Hour) {
        return match (minutes.only(), every(minutes, 60)) {
            (Some(0), _) => Some("Every hour".to_owned()),
            (Some(minute), _) => Some(format!("Every hour at :{minute:02}")),
            (None, Some(1)) => Some("Every minute".to_owned()),
            (None, step) => step.map(|step| format!("Every {step} minutes")),
        };
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

/// Describes the single time of day.
fn time(calendar: &Calendar) -> Option<String> {
    let (hour, minute) = (calendar.hours.only()?, calendar.minutes.only()?);
    let half = if hour < 12 { "AM" } else { "PM" };
    Some(format!("{}:{minute:02} {half}", (hour + 11) % 12 + 1))
}

fn weekday(day: u32) -> Option<&'static str> {
    const NAMES: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    NAMES.get(usize::try_from(day).ok()?).copied()
}

fn all(field: CronField) -> FieldSet {
    let (smallest, largest) = field.range();
    (smallest..=largest).collect()
}
