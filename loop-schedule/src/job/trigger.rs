//! The trigger of a job, which defines its slots.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::PeriodError;
use crate::{Cron, Zone};

/// The trigger of a job. Its slots are the fire times without jitter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Trigger {
    /// Fires at the minutes of a cron expression.
    Cron {
        /// The expression.
        expression: Cron,
        /// The time zone.
        zone: Zone,
    },
    /// Fires after each exact period, whatever the calendar.
    Every(ExactPeriod),
    /// Fires once. This is an instant, so that it does not repeat next year.
    At {
        /// The instant.
        time: Timestamp,
    },
}

impl Trigger {
    /// Returns a trigger for the next fire of an expression, once.
    ///
    /// `None` if it never fires.
    pub fn next_of(expression: &Cron, zone: &Zone, now: Timestamp) -> Option<Self> {
        expression.next_after(now, zone).map(|time| Self::At { time })
    }

    /// Returns the first slot strictly after an instant.
    pub fn next_after(&self, from: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Cron { expression, zone } => expression.next_after(from, zone),
            Self::Every(every) => every.next_after(from),
            Self::At { time } => (*time > from).then_some(*time),
        }
    }

    /// Describes the trigger for people.
    ///
    /// ```
    /// use loop_schedule::{Trigger, Zone};
    /// let trigger = Trigger::Cron { expression: "*/5 * * * *".parse()?, zone: Zone::utc() };
    /// assert_eq!(trigger.describe(), "Every 5 minutes");
    /// let trigger = Trigger::At { time: "2026-03-02T09:00:00Z".parse()? };
    /// assert_eq!(trigger.describe(), "Once at 2026-03-02T09:00:00Z");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn describe(&self) -> String {
        match self {
            Self::Cron { expression, .. } => expression.describe(),
            Self::Every(every) => describe_period(every.period_seconds),
            Self::At { time } => format!("Once at {time}"),
        }
    }

    /// Describes the trigger, with its expression if it has one: `Every 5 minutes (*/5 * * * *)`.
    pub fn with_expression(&self) -> String {
        match self {
            Self::Cron { expression, .. } => match expression.describe() {
                words if words == expression.to_string() => words,
                words => format!("{words} ({expression})"),
            },
            Self::Every(_) | Self::At { .. } => self.describe(),
        }
    }

    /// Returns whether there is more than one slot.
    pub fn is_recurring(&self) -> bool {
        !matches!(self, Self::At { .. })
    }
}

/// Describes a period in its largest whole unit.
fn describe_period(seconds: u32) -> String {
    const UNITS: [(u32, &str); 4] = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let unit = UNITS.iter().find(|(length, _)| seconds.is_multiple_of(*length));
    let (length, name) = unit.unwrap_or(&(1, "second"));
    match seconds / length {
        1 => format!("Every {name}"),
        count => format!("Every {count} {name}s"),
    }
}

/// An exact period, which may be uneven. The slots are the anchor plus a multiple of the period, starting with one
/// period.
///
/// ```
/// use std::time::Duration;
/// use loop_schedule::ExactPeriod;
/// let every = ExactPeriod::new(Duration::from_mins(59), "2026-03-01T00:00:00Z".parse()?)?;
/// let next = every.next_after("2026-03-01T00:59:00Z".parse()?);
/// assert_eq!(next, Some("2026-03-01T01:58:00Z".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ExactPeriodFile", into = "ExactPeriodFile")]
pub struct ExactPeriod {
    period_seconds: u32,
    anchor: Timestamp,
}

/// The allowed periods in seconds: from a minute to 366 days.
const PERIODS: std::ops::RangeInclusive<u64> = 60..=366 * 86_400;

impl ExactPeriod {
    /// Creates a period of whole seconds from an anchor.
    ///
    /// # Errors
    /// [`PeriodError`] if it is shorter than a minute, longer than 366 days, or not in whole seconds.
    pub fn new(period: Duration, anchor: Timestamp) -> Result<Self, PeriodError> {
        let seconds = Some(period.as_secs()).filter(|seconds| PERIODS.contains(seconds));
        match seconds.and_then(|seconds| u32::try_from(seconds).ok()) {
            Some(period_seconds) if period.subsec_nanos() == 0 => Ok(Self { period_seconds, anchor }),
            _ => Err(PeriodError { period }),
        }
    }

    /// Returns the time between slots.
    pub fn period(&self) -> Duration {
        Duration::from_secs(u64::from(self.period_seconds))
    }

    /// Returns the instant from which the periods count.
    pub fn anchor(&self) -> Timestamp {
        self.anchor
    }

    /// Returns the first slot strictly after an instant.
    pub fn next_after(&self, from: Timestamp) -> Option<Timestamp> {
        let past = self.rounds_until(from);
        let seconds = i64::from(self.period_seconds).checked_mul(past.checked_add(1)?)?;
        self.anchor.checked_add(SignedDuration::from_secs(seconds)).ok()
    }

    /// Returns how many slots there are up to and including an instant.
    fn rounds_until(&self, until: Timestamp) -> i64 {
        let passed = until.duration_since(self.anchor).as_secs();
        if until < self.anchor { 0 } else { passed / i64::from(self.period_seconds) }
    }
}

#[derive(Serialize, Deserialize)]
struct ExactPeriodFile {
    period_seconds: u64,
    anchor: Timestamp,
}

impl TryFrom<ExactPeriodFile> for ExactPeriod {
    type Error = PeriodError;

    fn try_from(file: ExactPeriodFile) -> Result<Self, PeriodError> {
        Self::new(Duration::from_secs(file.period_seconds), file.anchor)
    }
}

impl From<ExactPeriod> for ExactPeriodFile {
    fn from(every: ExactPeriod) -> Self {
        Self { period_seconds: u64::from(every.period_seconds), anchor: every.anchor }
    }
}
