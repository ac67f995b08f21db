//! The minutes that an expression matches in the calendar, without time zones and clocks.

use jiff::civil::{Date, DateTime, Time};

use super::field::FieldSet;

/// 29 February can be eight years away (2096 to 2104), and is then in the ninth year.
const HORIZON_YEARS: i16 = 9;

/// The set of matching minutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Calendar {
    pub(super) minutes: FieldSet,
    pub(super) hours: FieldSet,
    pub(super) months: FieldSet,
    /// Days of the month; `None` means no restriction. If both kinds of day are restricted, either may match.
    pub(super) days: Option<FieldSet>,
    /// Days of the week, Sunday first.
    pub(super) weekdays: Option<FieldSet>,
}

impl Calendar {
    /// Returns the first matching minute that is not before `from`.
    pub(super) fn at_or_after(&self, from: DateTime) -> Option<DateTime> {
        let from = ceil_to_minute(from)?;
        if self.has_day(from.date())
            && let Some(time) = self.time_at_or_after(from.time())
        {
            return Some(from.date().to_datetime(time));
        }
        let date = self.day_after(from.date())?;
        Some(date.to_datetime(self.time_at_or_after(Time::midnight())?))
    }

    fn time_at_or_after(&self, from: Time) -> Option<Time> {
        let (hour, minute) = (number(from.hour()), number(from.minute()));
        let this_hour = self.minutes.at_or_after(minute).filter(|_| self.hours.contains(hour));
        let (hour, minute) = match this_hour {
            Some(minute) => (hour, minute),
            None => (self.hours.at_or_after(hour + 1)?, self.minutes.first()?),
        };
        Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0).ok()
    }

    fn day_after(&self, day: Date) -> Option<Date> {
        let last_year = day.year() + HORIZON_YEARS;
        let mut day = day.tomorrow().ok()?;
        while day.year() <= last_year {
            if self.has_day(day) {
                return Some(day);
            }
            day = if self.months.contains(number(day.month())) {
                day.tomorrow().ok()?
            } else {
                day.last_of_month().tomorrow().ok()?
            };
        }
        None
    }

    fn has_day(&self, date: Date) -> bool {
        let day = |days: FieldSet| days.contains(number(date.day()));
        let weekday = |weekdays: FieldSet| weekdays.contains(number(date.weekday().to_sunday_zero_offset()));
        self.months.contains(number(date.month()))
            && match (self.days, self.weekdays) {
                (Some(days), Some(weekdays)) => day(days) || weekday(weekdays),
                (days, weekdays) => days.is_none_or(day) && weekdays.is_none_or(weekday),
            }
    }
}

fn ceil_to_minute(time: DateTime) -> Option<DateTime> {
    let floor = time.date().at(time.hour(), time.minute(), 0, 0);
    if floor == time { Some(time) } else { floor.checked_add(jiff::SignedDuration::from_mins(1)).ok() }
}

/// Converts a part of a date or time, none of which is negative.
fn number(part: i8) -> u32 {
    u32::from(part.unsigned_abs())
}
