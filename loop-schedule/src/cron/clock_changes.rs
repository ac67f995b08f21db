//! Converts calendar minutes to instants, across clock changes.

use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};

use super::calendar::Calendar;

const INSTANT: SignedDuration = SignedDuration::from_nanos(1);

/// Returns the first instant after `from` at which a wall clock shows a matching minute. A minute in a gap never
/// occurs, and a repeated minute occurs twice.
pub(super) fn next_on_the_wall(calendar: &Calendar, from: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let mut start = from.checked_add(INSTANT).ok()?;
    loop {
        // The clock runs evenly until the next change.
        let offset = zone.to_offset(start);
        let found = offset.to_timestamp(calendar.at_or_after(offset.to_datetime(start))?).ok();
        let change = zone.following(start).next().map(|change| change.timestamp());
        match (found, change) {
            (Some(found), change) if change.is_none_or(|change| found < change) => return Some(found),
            (_, change) => start = change?,
        }
    }
}

/// Returns the first instant after `from` at which a matching minute begins for the first time. A minute in a gap
/// occurs right after the gap.
pub(super) fn next_fixed(calendar: &Calendar, from: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let mut minute = calendar.at_or_after(zone.to_datetime(from))?;
    loop {
        let instant = first_pass(minute, zone)?;
        if instant > from {
            return Some(instant);
        }
        // It is the current minute, or the second pass of a repeated one.
        minute = calendar.at_or_after(minute.checked_add(INSTANT).ok()?)?;
    }
}

/// Returns the first instant at which a clock shows this time, or would show it without the gap.
fn first_pass(minute: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    let ambiguous = zone.to_ambiguous_timestamp(minute);
    let is_gap = matches!(ambiguous.offset(), jiff::tz::AmbiguousOffset::Gap { .. });
    // In a gap this uses the offset after it, which gives an instant before the gap.
    let earlier = ambiguous.earlier().ok()?;
    if is_gap { Some(zone.following(earlier).next()?.timestamp()) } else { Some(earlier) }
}
