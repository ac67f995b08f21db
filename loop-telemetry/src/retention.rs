//! Decides how much of the past to keep.

use std::{ffi::OsString, time::Duration};

use jiff::Timestamp;

/// Decides which ended runs or sessions to keep. Open ones always stay, because they are in use or can be resumed.
///
/// # Default
/// The last 1,000, if they are at most 90 days old.
///
/// ```
/// use loop_telemetry::Retention;
///
/// let variables = |name: &str| (name == "LOOP_KEEP_DAYS").then(|| "7".into());
/// let retention = Retention::from_env_with("LOOP_KEEP_RUNS", variables)?;
/// assert_eq!((retention.ended, retention.age.as_secs()), (1000, 7 * 24 * 3600));
/// # Ok::<(), loop_telemetry::RetentionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// The number to keep: the most recent ones.
    pub ended: usize,
    /// The maximum age: of a run since it began, of a session since its last entry.
    pub age: Duration,
}

/// The variable with the maximum age, in days.
const DAYS: &str = "LOOP_KEEP_DAYS";

impl Default for Retention {
    fn default() -> Self {
        Self { ended: 1_000, age: Duration::from_hours(90 * 24) }
    }
}

impl Retention {
    /// Reads the number to keep from the variable `number`, and the maximum age from `LOOP_KEEP_DAYS`. `lookup` finds
    /// environment variables. The defaults apply if a variable is missing or empty.
    ///
    /// # Errors
    /// A variable is not a whole number.
    pub fn from_env_with(
        number: &str,
        mut lookup: impl FnMut(&str) -> Option<OsString>,
    ) -> Result<Self, RetentionError> {
        let mut value = |name: &str| {
            let Some(value) = lookup(name).filter(|value| !value.is_empty()) else { return Ok(None) };
            let number = value.to_str().and_then(|value| value.parse::<u32>().ok());
            number.map(Some).ok_or_else(|| RetentionError { name: name.to_owned() })
        };
        let Self { ended, age } = Self::default();
        Ok(Self {
            ended: value(number)?.map_or(ended, |number| usize::try_from(number).unwrap_or(usize::MAX)),
            age: value(DAYS)?.map_or(age, |days| Duration::from_hours(24 * u64::from(days))),
        })
    }

    /// Returns whether something from this time is too old. If the clock was set back, it may seem to lie in the
    /// future; that is not too old.
    pub(crate) fn is_expired(&self, from: Timestamp, now: Timestamp) -> bool {
        Duration::try_from(now.duration_since(from)).is_ok_and(|age| age > self.age)
    }
}

/// A variable about the retention has an unusable value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} has to be a whole number, such as 100")]
pub struct RetentionError {
    /// The name of the variable.
    pub name: String,
}
