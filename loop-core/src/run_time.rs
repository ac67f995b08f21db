//! Run time: the duration of a run on its own clock.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// Time since a run began, in whole microseconds.
///
/// It excludes the time in which a person was asked, the computer slept, or the run was down. A resumed run continues
/// from its last record. It is not wall-clock time. It counts whole microseconds, because an event must fold to the
/// same progress before and after serialization.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunTime(u64);

impl RunTime {
    /// The start of a run.
    pub const ZERO: Self = Self(0);

    /// Creates the time this many microseconds after the start.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Returns the microseconds since the start.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Returns the time from `earlier` to this one, or zero if `earlier` is not earlier.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.minus(earlier).0)
    }

    /// Like [`since`](Self::since), in whole microseconds, which are faster to add than durations.
    pub(crate) const fn minus(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }

    /// Returns this time plus another. Saturates.
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Returns the time `duration` later, rounded up so that a deadline is never early. Saturates.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        // This avoids `as_nanos`, because dividing its 128 bits is slow, and this runs several times per step.
        let seconds = duration.as_secs().saturating_mul(1_000_000);
        let rest = u64::from(duration.subsec_nanos().div_ceil(1_000));
        Self(self.0.saturating_add(seconds).saturating_add(rest))
    }
}

impl From<Duration> for RunTime {
    /// Rounds down. Saturates.
    fn from(since_start: Duration) -> Self {
        let seconds = since_start.as_secs().saturating_mul(1_000_000);
        Self(seconds.saturating_add(u64::from(since_start.subsec_micros())))
    }
}

impl From<RunTime> for Duration {
    fn from(at: RunTime) -> Self {
        Self::from_micros(at.0)
    }
}

impl fmt::Display for RunTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", Duration::from(*self))
    }
}

/// Rounds a wait up to whole microseconds, as the run records it, so that it is never too short. Saturates.
pub(crate) fn whole_micros(duration: Duration) -> Duration {
    RunTime::ZERO.after(duration).into()
}

/// Serde for a [`Duration`] as whole microseconds. See [`whole_micros`].
pub(crate) mod micros {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::{RunTime, whole_micros};

    pub(crate) fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(RunTime::from(whole_micros(*duration)).as_micros())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_micros)
    }
}

/// Serde for an optional [`Duration`] as whole microseconds.
pub(crate) mod optional_micros {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{RunTime, whole_micros};

    #[expect(clippy::ref_option, reason = "serde passes references")]
    pub(crate) fn serialize<S: Serializer>(duration: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        duration.map(|duration| RunTime::from(whole_micros(duration))).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<RunTime>::deserialize(from)?.map(Duration::from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_time_displays_as_elapsed_time() {
        assert_eq!(RunTime::from_micros(1_500_000).to_string(), "1.5s");
        assert_eq!(RunTime::ZERO.to_string(), "0ns");
    }
}
