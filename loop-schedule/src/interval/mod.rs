//! Intervals such as `30m`, and their cron expressions.
//!
//! Cron works with minutes of an hour and hours of a day, so `*/59` fires at :00 and at :59, and then again one minute
//! later. Only intervals that divide the hour or the day are even. Others are rounded to the nearest even interval,
//! with a warning. For an exact but uneven period, use [`Trigger::Every`](crate::Trigger::Every).

mod scheduled_interval;
pub(crate) mod time_words;

use std::{fmt, str::FromStr, time::Duration};

pub use self::scheduled_interval::{IntervalWarning, ScheduledInterval};
use crate::{
    Cron,
    duration::{self, DurationError},
};

const MINUTES_PER_HOUR: u32 = 60;
const MINUTES_PER_DAY: u32 = 24 * MINUTES_PER_HOUR;
const LONGEST_DAYS: u32 = 31;

/// The unit of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntervalUnit {
    /// `s`
    Seconds,
    /// `m`
    Minutes,
    /// `h`
    Hours,
    /// `d`, of 24 hours
    Days,
}

impl IntervalUnit {
    /// Returns the unit for this letter. Capitals have no unit: `M` might mean months.
    pub(crate) fn of_letter(letter: &str) -> Option<Self> {
        Some(match letter {
            "s" => Self::Seconds,
            "m" => Self::Minutes,
            "h" => Self::Hours,
            "d" => Self::Days,
            _ => return None,
        })
    }

    pub(crate) fn letter(self) -> char {
        match self {
            Self::Seconds => 's',
            Self::Minutes => 'm',
            Self::Hours => 'h',
            Self::Days => 'd',
        }
    }

    pub(crate) const fn seconds(self) -> u64 {
        match self {
            Self::Seconds => 1,
            Self::Minutes => 60,
            Self::Hours => 3_600,
            Self::Days => 86_400,
        }
    }
}

/// An interval as a person wrote it: from 1 second to 31 days.
///
/// ```
/// use loop_schedule::Interval;
/// let interval: Interval = "45m".parse()?;
/// let rounded = interval.rounded();
/// assert_eq!(rounded.to_string(), "1h"); // 30m and 1h are equally near: the longer one
/// assert_eq!(rounded.cron().to_string(), "0 * * * *");
/// assert!(!interval.is_even());
/// # Ok::<(), loop_schedule::IntervalError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    amount: u32,
    unit: IntervalUnit,
}

impl Interval {
    /// The interval if nobody gave one: 10 minutes.
    pub const DEFAULT: Self = Self { amount: 10, unit: IntervalUnit::Minutes };

    /// Creates an interval of `amount` units.
    ///
    /// # Errors
    /// [`IntervalError`] if it is zero, or longer than 31 days.
    pub fn new(amount: u64, unit: IntervalUnit) -> Result<Self, IntervalError> {
        let written = || format!("{amount}{}", unit.letter());
        let longest = u64::from(LONGEST_DAYS) * IntervalUnit::Days.seconds();
        match amount.checked_mul(unit.seconds()) {
            Some(0) => Err(IntervalError::Zero { interval: written() }),
            Some(seconds) if seconds <= longest => {
                // At most 31 days in seconds, so it fits.
                Ok(Self { amount: u32::try_from(amount).unwrap_or(u32::MAX), unit })
            }
            _ => Err(IntervalError::TooLong { interval: written() }),
        }
    }

    /// Returns the exact period, to the second.
    pub fn period(&self) -> Duration {
        Duration::from_secs(u64::from(self.amount) * self.unit.seconds())
    }

    /// Returns the nearest even interval. Of two equally near ones it returns the longer, which costs less. Seconds are
    /// rounded up to a minute.
    pub fn rounded(&self) -> EvenInterval {
        let minutes = self.minutes();
        let (mut shorter, mut longer) = (1, LONGEST_DAYS * MINUTES_PER_DAY);
        for clean in even_minutes() {
            if clean <= minutes {
                shorter = shorter.max(clean);
            }
            if clean >= minutes {
                longer = longer.min(clean);
            }
        }
        let minutes = if minutes - shorter < longer - minutes { shorter } else { longer };
        EvenInterval { minutes }
    }

    /// Returns whether it needs no rounding, except that seconds are rounded up to a minute.
    pub fn is_even(&self) -> bool {
        self.rounded().minutes == self.minutes()
    }

    /// Returns the period in minutes, rounded up.
    fn minutes(&self) -> u32 {
        // 31 days in minutes fit.
        u32::try_from(self.period().as_secs().div_ceil(60)).unwrap_or(u32::MAX)
    }
}

/// Returns all even intervals, shortest first.
fn even_minutes() -> impl Iterator<Item = u32> {
    let minutes = (1..MINUTES_PER_HOUR).filter(|minutes| MINUTES_PER_HOUR.is_multiple_of(*minutes));
    let hours = (1..24).filter(|hours| 24_u32.is_multiple_of(*hours)).map(|hours| hours * MINUTES_PER_HOUR);
    minutes.chain(hours).chain((1..=LONGEST_DAYS).map(|days| days * MINUTES_PER_DAY))
}

/// Parses a [duration](crate::duration) of whole seconds: `30m`, `1h30m`, `1.5h`.
impl FromStr for Interval {
    type Err = IntervalError;

    fn from_str(text: &str) -> Result<Self, IntervalError> {
        let written = || text.to_owned();
        let period = duration::parse(text).map_err(|error| match error {
            DurationError::TooLong => IntervalError::TooLong { interval: written() },
            DurationError::Negative => IntervalError::Zero { interval: written() },
            _ => IntervalError::Malformed { interval: written() },
        })?;
        if period.is_zero() {
            return Err(IntervalError::Zero { interval: written() });
        }
        if period.subsec_nanos() != 0 {
            return Err(IntervalError::Malformed { interval: written() });
        }
        // The unit as written, if it fits: `60m` stays `60m`.
        let (seconds, last) =
            (period.as_secs(), text.trim().get(text.trim().len() - 1..).unwrap_or_default());
        let units = [IntervalUnit::Days, IntervalUnit::Hours, IntervalUnit::Minutes];
        let fits = |unit: &IntervalUnit| seconds.is_multiple_of(unit.seconds());
        let is_written = IntervalUnit::of_letter(last).filter(fits);
        let unit = is_written.or_else(|| units.into_iter().find(fits)).unwrap_or(IntervalUnit::Seconds);
        Self::new(seconds / unit.seconds(), unit).map_err(|_| IntervalError::TooLong { interval: written() })
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.amount, self.unit.letter())
    }
}

/// An even interval: minutes that divide the hour, hours that divide the day, or whole days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EvenInterval {
    minutes: u32,
}

impl EvenInterval {
    /// Returns the expression that fires at this interval.
    pub fn cron(&self) -> Cron {
        let step = |every| if every == 1 { "*".to_owned() } else { format!("*/{every}") };
        let text = match self.minutes {
            minutes @ ..MINUTES_PER_HOUR => format!("{} * * * *", step(minutes)),
            minutes @ ..MINUTES_PER_DAY => format!("0 {} * * *", step(minutes / MINUTES_PER_HOUR)),
            minutes => format!("0 0 {} * *", step(minutes / MINUTES_PER_DAY)),
        };
        text.parse().unwrap_or_else(|error| unreachable!("{text} is an expression: {error}"))
    }

    /// Returns its length, which differs only at clock changes and at the ends of months.
    pub fn period(&self) -> Duration {
        Duration::from_secs(u64::from(self.minutes) * 60)
    }

    /// Returns whether its last period in a month is shorter: cron counts days from the first of each month.
    pub fn is_uneven_at_month_ends(&self) -> bool {
        self.minutes > MINUTES_PER_DAY
    }
}

impl fmt::Display for EvenInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.minutes {
            minutes @ ..MINUTES_PER_HOUR => write!(f, "{minutes}m"),
            minutes @ ..MINUTES_PER_DAY => write!(f, "{}h", minutes / MINUTES_PER_HOUR),
            minutes => write!(f, "{}d", minutes / MINUTES_PER_DAY),
        }
    }
}

/// The reason why a text is not an interval.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IntervalError {
    /// It is not whole seconds, in numbers with units.
    #[error("{interval:?} is not an interval: write numbers with s, m, h or d, as in 30m or 1h30m")]
    Malformed {
        /// The text.
        interval: String,
    },
    /// It is zero.
    #[error("{interval} would fire without end: give at least 1m")]
    Zero {
        /// The text.
        interval: String,
    },
    /// It is too long.
    #[error(
        "{interval} is too long: an interval has at most {LONGEST_DAYS} days; for more give an expression of cron"
    )]
    TooLong {
        /// The text.
        interval: String,
    },
}

impl IntervalError {
    /// Returns the text.
    pub fn interval(&self) -> &str {
        match self {
            Self::Malformed { interval } | Self::Zero { interval } | Self::TooLong { interval } => interval,
        }
    }
}
