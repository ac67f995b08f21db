//! From the calendar to instants, through changes of the clocks.

use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};

use super::calendar::Calendar;

const INSTANT: SignedDuration = SignedDuration::from_nanos(1);

/// The first instant after `from` at which a clock on the wall shows a matching minute. What the clocks leap
/// over never comes; what they show twice comes twice.
pub(super) fn next_on_the_wall(calendar: &Calendar, from: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let mut start = from.checked_add(INSTANT).ok()?;
    loop {
        // Until the next change the clock runs evenly.
        let offset = zone.to_offset(start);
        let found = offset.to_timestamp(calendar.at_or_after(offset.to_datetime(start))?).ok();
        let change = zone.following(start).next().map(|change| change.timestamp());
        match (found, change) {
            (Some(found), change) if change.is_none_or(|change| found < change) => return Some(found),
            (_, change) => start = change?,
        }
    }
}

/// The first instant after `from` at which a matching minute begins for the first time. One that the clocks
/// leap over comes right after the gap.
pub(super) fn next_fixed(calendar: &Calendar, from: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let mut minute = calendar.at_or_after(zone.to_datetime(from))?;
    loop {
        let instant = first_pass(minute, zone)?;
        if instant > from {
            return Some(instant);
        }
        // It is now, or on the second pass.
        minute = calendar.at_or_after(minute.checked_add(INSTANT).ok()?)?;
    }
}

/// When a clock shows this time first, or would have if it had not leapt over it.
fn first_pass(minute: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    let ambiguous = zone.to_ambiguous_timestamp(minute);
    let is_gap = matches!(ambiguous.offset(), jiff::tz::AmbiguousOffset::Gap { .. });
    // In a gap this is the time by the offset after it: an instant before the gap.
    let earlier = ambiguous.earlier().ok()?;
    if is_gap { Some(zone.following(earlier).next()?.timestamp()) } else { Some(earlier) }
}
