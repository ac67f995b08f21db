//! The next fire is after the instant, and no minute between them matches.

use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};
use loop_schedule::{Cron, Zone};
use proptest::prelude::*;

use crate::generators::{cases, expression, instant, zone};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// Returns whether an expression matches a calendar minute, in the simplest way.
fn matches(expression: &str, minute: DateTime) -> bool {
    let fields: Vec<&str> = expression.split(' ').collect();
    let has = |field: &str, number: i8, first: i8| {
        field.split(',').any(|term| {
            let (range, step) = term.split_once('/').unwrap_or((term, "1"));
            let (from, to) = match range.split_once('-') {
                None if range == "*" => (first, 59),
                None => (range.parse().unwrap(), range.parse().unwrap()),
                Some((from, to)) => (from.parse().unwrap(), to.parse().unwrap()),
            };
            (from..=to).step_by(step.parse().unwrap()).any(|each| each == number)
        })
    };
    let weekday = minute.weekday().to_sunday_zero_offset();
    let day = has(fields[2], minute.day(), 1);
    let sunday_is_seven = weekday == 0 && !fields[4].starts_with('*') && has(fields[4], 7, 0);
    let weekday = has(fields[4], weekday, 0) || sunday_is_seven;
    let is_free = |field: &str| matches!(field, "*" | "*/1");
    let days = match (is_free(fields[2]), is_free(fields[4])) {
        (false, false) => day || weekday,
        _ => day && weekday,
    };
    has(fields[0], minute.minute(), 0)
        && has(fields[1], minute.hour(), 0)
        && has(fields[3], minute.month(), 1)
        && days
}

/// Returns whether a job fires at this instant, which is a whole minute.
fn fires_at(expression: &str, instant: Timestamp, zone: &TimeZone) -> bool {
    let shown = zone.to_datetime(instant);
    let follows_wall_clock =
        expression.split(' ').take(2).any(|minute_or_hour| minute_or_hour.starts_with('*'));
    if follows_wall_clock {
        return matches(expression, shown);
    }
    let is_first_pass = zone.to_ambiguous_timestamp(shown).earlier().unwrap() == instant;
    // The time that the clocks have skipped to get here.
    let before = zone.to_datetime(instant - MINUTE) + MINUTE;
    let mut leapt = std::iter::successors(Some(before), |minute| Some(*minute + MINUTE))
        .take_while(|minute| *minute < shown);
    (is_first_pass && matches(expression, shown)) || leapt.any(|minute| matches(expression, minute))
}

fn whole_minutes_after(from: Timestamp) -> impl Iterator<Item = Timestamp> {
    let floor = Timestamp::from_second(from.as_second().div_euclid(60) * 60).unwrap();
    std::iter::successors(Some(floor + MINUTE), |minute| Some(*minute + MINUTE))
}

proptest! {
    #![proptest_config(cases(160))]

    #[test]
    fn nothing_between_matches(expression in expression(2), zone in zone(), from in instant()) {
        let cron: Cron = expression.parse().unwrap();
        let next = cron.next_after(from, &zone);
        prop_assert!(next.is_none_or(|next| next > from));
        let fires = |minute: &Timestamp| fires_at(&expression, *minute, zone.rules());
        let brute = whole_minutes_after(from).take(4_000).find(fires);
        match brute {
            Some(brute) => prop_assert_eq!(next, Some(brute)),
            None => prop_assert!(next.is_none_or(|next| next > from + MINUTE * 4_000)),
        }
    }

    /// Without clock changes, an independent implementation agrees at any distance.
    #[test]
    fn the_calendar_is_the_one_of_another_implementation(expression in expression(1), from in instant()) {
        // It treats `*/1` as a restriction, and accepts no `*` in lists.
        let plain = |field| if field == "*/1" { "*" } else { field };
        let plain: Vec<_> = expression.split(' ').map(plain).collect();
        let other: croner::Cron = plain.join(" ").parse().unwrap();
        let other = other.find_next_occurrence(&from.to_zoned(TimeZone::UTC), false).ok();
        let ours = expression.parse::<Cron>().unwrap().next_after(from, &Zone::utc());
        prop_assert_eq!(ours, other.map(|zoned| zoned.timestamp()));
    }
}
