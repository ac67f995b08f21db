//! Formats the record's numbers and times so that reading them back loses nothing.

use std::time::SystemTime;

use jiff::{Timestamp, Unit};

/// Truncates a time to the record's precision, so that a record equals the one that is read back.
pub(crate) fn to_millis(at: Timestamp) -> Timestamp {
    let cut = jiff::TimestampRound::new().smallest(Unit::Millisecond).mode(jiff::RoundMode::Floor);
    // Only the earliest possible instant cannot be truncated.
    at.round(cut).unwrap_or(at)
}

/// Converts a clock's time, which may be set to anything. A time before 1970 becomes the first instant of 1970. A time
/// that is too late to represent, after the year 9999, becomes the last possible instant.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// let wrong = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
/// assert_eq!(loop_telemetry::clamped(wrong), jiff::Timestamp::UNIX_EPOCH);
/// ```
pub fn clamped(clock: SystemTime) -> Timestamp {
    match Timestamp::try_from(clock) {
        Ok(at) => at.max(Timestamp::UNIX_EPOCH),
        Err(_) if clock < SystemTime::UNIX_EPOCH => Timestamp::UNIX_EPOCH,
        Err(_) => Timestamp::MAX,
    }
}

/// The name of the reason, or `goal_met` if there is none.
pub(crate) mod stop_reason {
    use loop_core::{Ending, StopReason};
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "serde passes references")]
    pub(crate) fn serialize<S: Serializer>(reason: &Option<StopReason>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(reason.as_ref().map_or(Ending::GOAL_MET, StopReason::as_str))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<StopReason>, D::Error> {
        let name = String::deserialize(from)?;
        Ok((name != Ending::GOAL_MET).then(|| name.into()))
    }
}

/// RFC 3339 in UTC, always with three digits after the second: equal lengths sort as text.
pub(crate) mod millis {
    use std::borrow::Cow;

    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{at:.3}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        Cow::<str>::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// Seconds as a decimal number. A float preserves whole microseconds for 70 years.
pub(crate) mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(time.as_micros() as f64 / 1e6)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let micros = (f64::deserialize(from)? * 1e6).round();
        if (0.0..u64::MAX as f64).contains(&micros) {
            Ok(Duration::from_micros(micros as u64))
        } else {
            Err(D::Error::custom("a time in seconds must be a number from 0 up"))
        }
    }
}

/// Dollars as a decimal number. A float preserves nano-dollars up to four million dollars, and whole micro-dollars up
/// to two billion.
pub(crate) mod dollars {
    use loop_core::Usd;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(money: &Option<Usd>, to: S) -> Result<S::Ok, S::Error> {
        money.map(Usd::as_f64).serialize(to)
    }

    pub(crate) fn deserialize<'de, D>(from: D) -> Result<Option<Usd>, D::Error>
    where
        D: Deserializer<'de>,
    {
        let dollars = Option::<f64>::deserialize(from)?;
        dollars.map(Usd::try_from_f64).transpose().map_err(D::Error::custom)
    }
}
