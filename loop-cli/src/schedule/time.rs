//! Whose clock is meant, and how a time reads.

use anyhow::anyhow;
use jiff::{SignedDuration, Timestamp, civil, tz::TimeZone};
use loop_schedule::Zone;

use crate::command::{Failure, OrFail};
use crate::view::text;

/// The zone that was asked for, else this machine's; UTC where that has none.
pub(crate) fn zone(asked: Option<&Zone>) -> Result<Zone, Failure> {
    if let Some(zone) = asked {
        return Ok(zone.clone());
    }
    match TimeZone::try_system() {
        Ok(zone) if !zone.is_unknown() => {
            Zone::try_from(zone).or_setup(|| "this machine's time zone cannot be told (`--tz` names one)")
        }
        _ => Ok(Zone::utc()),
    }
}

/// The instant that somebody wrote: an instant, a date with a time of the zone, or the next such time of day.
///
/// # Errors
/// What is none of these, and a time that the zone's clocks do not show, or show twice.
pub(crate) fn at(written: &str, zone: &Zone, now: Timestamp) -> anyhow::Result<Timestamp> {
    if let Ok(instant) = written.parse::<Timestamp>() {
        return Ok(instant);
    }
    // A date with a time would also be read as that time alone.
    if let Ok(date) = written.parse::<civil::DateTime>() {
        if !written.contains(':') {
            return Err(anyhow!("`{written}` has no time of day: write {written}T18:00"));
        }
        return on_the_wall(date, zone);
    }
    let time = written.parse::<civil::Time>().map_err(|_| {
        anyhow!("`{written}` is no time: write 18:00, 2026-03-02T18:00, or an instant such as 2026-03-02T18:00:00Z")
    })?;
    let today = now.to_zoned(zone.rules().clone()).date();
    match on_the_wall(today.to_datetime(time), zone) {
        Ok(first) if first > now => Ok(first),
        _ => on_the_wall(today.tomorrow()?.to_datetime(time), zone),
    }
}

fn on_the_wall(time: civil::DateTime, zone: &Zone) -> anyhow::Result<Timestamp> {
    zone.rules().to_ambiguous_timestamp(time).unambiguous().map_err(|_| {
        anyhow!(
            "the clocks change, and so {time} comes twice or never in {zone}: write it with its offset, as in \
             2026-03-02T18:00:00+02:00"
        )
    })
}

/// A time as programs read it, with the zone's offset.
pub(crate) fn rfc3339(time: Timestamp, zone: &Zone) -> String {
    time.to_zoned(zone.rules().clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// A time as people read it: `Mon 2026-03-02 18:00 +02:00`, and the seconds if they are not full minutes.
pub(crate) fn instant(time: Timestamp, zone: &Zone) -> String {
    let zoned = time.to_zoned(zone.rules().clone());
    let form = if zoned.second() == 0 { "%a %Y-%m-%d %H:%M %:z" } else { "%a %Y-%m-%d %H:%M:%S %:z" };
    zoned.strftime(form).to_string()
}

/// How far off a time is: `in 3h 05m`, `2m ago`.
pub(crate) fn until(time: Timestamp, now: Timestamp) -> String {
    let left = time.duration_since(now);
    if left < SignedDuration::ZERO { text::ago(left.unsigned_abs()) } else { format!("in {}", span(left)) }
}

/// A time to come in its two largest units, cut to seconds.
fn span(left: SignedDuration) -> String {
    let seconds = left.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d {:02}h", seconds / 86_400, seconds / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(written: &str) -> Result<String, String> {
        let riga = "Europe/Riga".parse().expect("a zone");
        let now = "2026-03-28T12:00:00Z".parse().expect("a time");
        at(written, &riga, now).map(|time| rfc3339(time, &riga)).map_err(|error| error.to_string())
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
        assert!(read("2026-03-29T03:30").is_err_and(|error| error.contains("comes twice or never")));
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

    #[test]
    fn distances_read_well() {
        let now: Timestamp = "2026-03-28T12:00:00Z".parse().expect("a time");
        let shown = |seconds| until(now + SignedDuration::from_secs(seconds), now);
        assert_eq!(
            [-90, 0, 75, 7_500, 90_000].map(shown),
            ["1m ago", "in 0s", "in 1m 15s", "in 2h 05m", "in 1d 01h"]
        );
    }
}
