//! Instants on the clock of the wall.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};

/// Formats an instant for programs: RFC 3339 with the offset of the zone, in whole seconds.
pub fn rfc3339(time: Timestamp, zone: &TimeZone) -> String {
    time.to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// Formats an instant for people: `Mon 2026-03-02 18:00 +02:00`, with seconds unless they are 0.
pub fn instant(time: Timestamp, zone: &TimeZone) -> String {
    let zoned = time.to_zoned(zone.clone());
    let form = if zoned.second() == 0 { "%a %Y-%m-%d %H:%M %:z" } else { "%a %Y-%m-%d %H:%M:%S %:z" };
    zoned.strftime(form).to_string()
}

/// Formats the distance of an instant from now: `in 3h 05m`, `2m ago`.
///
/// ```
/// use loop_telemetry::{jiff::{SignedDuration, Timestamp}, words::until};
///
/// let now = Timestamp::UNIX_EPOCH;
/// assert_eq!(until(now + SignedDuration::from_mins(185), now), "in 3h 05m");
/// ```
pub fn until(time: Timestamp, now: Timestamp) -> String {
    let left = time.duration_since(now);
    if left < SignedDuration::ZERO {
        super::ago(left.unsigned_abs())
    } else {
        format!("in {}", two_units(left))
    }
}

/// Formats a time to come in its two largest units, cut to seconds.
fn two_units(left: SignedDuration) -> String {
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
