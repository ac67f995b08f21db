//! The interval that is kept, and what the person has to know about it.

use std::{fmt, time::Duration};

use super::{EvenInterval, Interval};
use crate::ScheduleSettings;

/// An interval as the scheduler uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduledInterval {
    /// The nearest even interval.
    Rounded(EvenInterval),
    /// Exact to the second, even if it is uneven.
    Exact(Interval),
}

impl ScheduledInterval {
    /// Returns its length.
    pub fn period(&self) -> Duration {
        match self {
            Self::Rounded(interval) => interval.period(),
            Self::Exact(interval) => interval.period(),
        }
    }
}

impl fmt::Display for ScheduledInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rounded(interval) => interval.fmt(f),
            Self::Exact(interval) => interval.fmt(f),
        }
    }
}

/// A warning for the person who schedules a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IntervalWarning {
    /// The scheduled interval differs from the requested one.
    Rounded {
        /// The requested interval.
        from: Interval,
        /// The scheduled interval.
        to: EvenInterval,
    },
    /// The last period of each month is shorter.
    MonthEnd {
        /// The scheduled interval.
        interval: EvenInterval,
    },
    /// The job expires before its interval is over.
    LongerThanExpiry {
        /// The scheduled interval.
        interval: ScheduledInterval,
    },
}

impl IntervalWarning {
    /// Returns the warnings for the person who schedules an interval as another one.
    pub fn all(written: Interval, effective: ScheduledInterval, settings: &ScheduleSettings) -> Vec<Self> {
        let mut warnings = Vec::new();
        if let ScheduledInterval::Rounded(to) = effective {
            if written.period() != to.period() {
                warnings.push(Self::Rounded { from: written, to });
            }
            if to.is_uneven_at_month_ends() {
                warnings.push(Self::MonthEnd { interval: to });
            }
        }
        if settings.expiry.is_some_and(|expiry| effective.period() > expiry) {
            warnings.push(Self::LongerThanExpiry { interval: effective });
        }
        warnings
    }
}

impl fmt::Display for IntervalWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rounded { from, to } => {
                write!(f, "every {from} divides neither the hour nor the day: the job fires every {to}")
            }
            Self::MonthEnd { interval } => {
                write!(
                    f,
                    "every {interval} counts from the first of each month, so the last interval of a month is shorter"
                )
            }
            Self::LongerThanExpiry { interval } => {
                write!(f, "every {interval} is longer than the lifetime of a job: its first fire is its last")
            }
        }
    }
}
