//! Parses times as a person writes them.

use jiff::{Timestamp, civil};

use crate::Zone;

/// Parses a time that a person wrote: an instant, a date with a time in the zone, or the next such time of day.
///
/// ```
/// use loop_schedule::{Zone, parse_time};
///
/// let now = "2026-03-02T12:00:00Z".parse()?;
/// let time = parse_time("18:00", &Zone::utc(), now)?;
/// assert_eq!(time.to_string(), "2026-03-02T18:00:00Z");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the text has another form, or the clocks of the zone show that time twice or never.
pub fn parse_time(written: &str, zone: &Zone, now: Timestamp) -> Result<Timestamp, TimeError> {
    if let Ok(instant) = written.parse::<Timestamp>() {
        return Ok(instant);
    }
    let unreadable = || TimeError::Unreadable { written: written.to_owned() };
    // A date with a time would also parse as that time alone.
    if let Ok(date) = written.parse::<civil::DateTime>() {
        if !written.contains(':') {
            return Err(TimeError::OnlyDate { written: written.to_owned() });
        }
        return on_the_wall(date, zone);
    }
    let time = written.parse::<civil::Time>().map_err(|_| unreadable())?;
    let today = now.to_zoned(zone.rules().clone()).date();
    match on_the_wall(today.to_datetime(time), zone) {
        Ok(first) if first > now => Ok(first),
        _ => on_the_wall(today.tomorrow().map_err(|_| unreadable())?.to_datetime(time), zone),
    }
}

fn on_the_wall(time: civil::DateTime, zone: &Zone) -> Result<Timestamp, TimeError> {
    let instant = zone.rules().to_ambiguous_timestamp(time).unambiguous();
    instant.map_err(|_| TimeError::ClockChange { time, zone: zone.clone() })
}

/// The reason why a text is not a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimeError {
    /// It is not in the format of a time.
    #[error(
        "`{written}` is not a time: write 18:00, 2026-03-02T18:00, or an instant such as 2026-03-02T18:00:00Z"
    )]
    Unreadable {
        /// The text.
        written: String,
    },
    /// It is a date.
    #[error("`{written}` has no time of day: write {written}T18:00")]
    OnlyDate {
        /// The text.
        written: String,
    },
    /// The clocks show it twice or never.
    #[error(
        "the clocks change, so {time} occurs twice or never in {zone}: write it with its offset, as in \
         2026-03-02T18:00:00+02:00"
    )]
    ClockChange {
        /// The time on the wall clock.
        time: civil::DateTime,
        /// The zone.
        zone: Zone,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(written: &str) -> Result<String, String> {
        let riga = "Europe/Riga".parse().expect("a zone");
        let now = "2026-03-28T12:00:00Z".parse().expect("a time");
        parse_time(written, &riga, now).map(|time| rfc3339(time, &riga)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_time_of_day_is_the_next_one() {
        assert_eq!(read("18:00").as_deref(), Ok("2026-03-28T18:00:00+02:00"));
        assert_eq!(read("09:30").as_deref(), Ok("2026-03-29T09:30:00+03:00"));
    }

    #[test]
    fn a_date_is_meant_in_the_zone_and_an_instant_is_itself() {
        assert_eq!(read("2026-07-01T09:00").as_deref(), Ok("2026-07-01T09:00:00+03:00"));
        assert_eq!(read("2026-07-01 09:00").as_deref(), Ok("2026-07-01T09:00:00+03:00"));
        assert_eq!(read("2026-07-01T09:00:00Z").as_deref(), Ok("2026-07-01T12:00:00+03:00"));
    }

    #[test]
    fn what_the_clocks_show_twice_or_never_is_not_guessed() {
        assert!(read("2026-03-29T03:30").is_err_and(|error| error.contains("occurs twice or never")));
        assert!(read("2026-10-25T03:30").is_err_and(|error| error.contains("Europe/Riga")));
        assert_eq!(read("2026-10-25T03:30:00+02:00").as_deref(), Ok("2026-10-25T03:30:00+02:00"));
    }

    #[test]
    fn what_is_no_time_says_how_to_write_one() {
        for written in ["", "soon", "25:00", "2026-02-30T09:00", "9"] {
            assert!(read(written).is_err_and(|error| error.contains("18:00")), "{written}");
        }
        assert!(read("2026-07-01").is_err_and(|error| error.contains("2026-07-01T18:00")));
    }

    fn rfc3339(time: Timestamp, zone: &Zone) -> String {
        time.to_zoned(zone.rules().clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
    }
}
