//! Intervals: `30m`, and what a clock can make of it.
//!
//! Cron knows minutes of an hour and hours of a day, so `*/59` fires at :00 and again one minute later, at
//! :59. Only what divides the hour or the day comes around evenly. Everything else is rounded to the nearest
//! interval that does, and whoever asked is told. A period that must be odd and exact is
//! [`When::Every`](crate::When::Every).

mod hint;
mod request;
mod words;

use std::{fmt, str::FromStr, time::Duration};

pub use self::{
    hint::Hint,
    request::{Request, RequestError, Rule, Scheduled, Warning},
};
use crate::Cron;

const MINUTES_PER_HOUR: u32 = 60;
const MINUTES_PER_DAY: u32 = 24 * MINUTES_PER_HOUR;
const LONGEST_DAYS: u32 = 31;

/// What an interval counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// `s`
    Seconds,
    /// `m`
    Minutes,
    /// `h`
    Hours,
    /// `d`, of 24 hours
    Days,
}

impl Unit {
    /// The unit that this letter stands for. Capitals stand for none: `M` might be months.
    pub(crate) fn of_letter(letter: &str) -> Option<Self> {
        Some(match letter {
            "s" => Self::Seconds,
            "m" => Self::Minutes,
            "h" => Self::Hours,
            "d" => Self::Days,
            _ => return None,
        })
    }

    fn letter(self) -> char {
        match self {
            Self::Seconds => 's',
            Self::Minutes => 'm',
            Self::Hours => 'h',
            Self::Days => 'd',
        }
    }

    fn seconds(self) -> u64 {
        match self {
            Self::Seconds => 1,
            Self::Minutes => 60,
            Self::Hours => 3_600,
            Self::Days => 86_400,
        }
    }
}

/// An interval as somebody wrote it: from 1 second to 31 days.
///
/// ```
/// use loop_schedule::Interval;
/// let interval: Interval = "45m".parse()?;
/// let rounded = interval.rounded();
/// assert_eq!(rounded.to_string(), "1h"); // 30m and 1h are equally near: the longer one
/// assert_eq!(rounded.cron().to_string(), "0 * * * *");
/// assert!(!interval.is_clean());
/// # Ok::<(), loop_schedule::IntervalError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    amount: u32,
    unit: Unit,
}

impl Interval {
    /// What is taken where nobody said an interval: 10 minutes.
    pub const DEFAULT: Self = Self { amount: 10, unit: Unit::Minutes };

    /// So many of a unit.
    ///
    /// # Errors
    /// [`IntervalError`] if it is nothing, or longer than 31 days.
    pub fn new(amount: u64, unit: Unit) -> Result<Self, IntervalError> {
        let written = || format!("{amount}{}", unit.letter());
        let longest = u64::from(LONGEST_DAYS) * Unit::Days.seconds();
        match amount.checked_mul(unit.seconds()) {
            Some(0) => Err(IntervalError::Zero { interval: written() }),
            Some(seconds) if seconds <= longest => {
                // At most 31 days of seconds.
                Ok(Self { amount: u32::try_from(amount).unwrap_or(u32::MAX), unit })
            }
            _ => Err(IntervalError::TooLong { interval: written() }),
        }
    }

    /// So many of a unit, from the digits that were written.
    pub(crate) fn from_digits(digits: &str, unit: Unit) -> Result<Self, IntervalError> {
        let too_long = |_| IntervalError::TooLong { interval: format!("{digits}{}", unit.letter()) };
        digits.parse().map_err(too_long).and_then(|amount| Self::new(amount, unit))
    }

    /// The period itself, to the second.
    pub fn period(&self) -> Duration {
        Duration::from_secs(u64::from(self.amount) * self.unit.seconds())
    }

    /// The nearest interval that comes around evenly; of two equally near ones the longer, which costs less.
    /// Seconds count as the minute that they begin.
    pub fn rounded(&self) -> CleanInterval {
        let minutes = self.minutes();
        let (mut shorter, mut longer) = (1, LONGEST_DAYS * MINUTES_PER_DAY);
        for clean in clean_minutes() {
            if clean <= minutes {
                shorter = shorter.max(clean);
            }
            if clean >= minutes {
                longer = longer.min(clean);
            }
        }
        let minutes = if minutes - shorter < longer - minutes { shorter } else { longer };
        CleanInterval { minutes }
    }

    /// Whether it is scheduled as it is, but for seconds, which count as the minute that they begin.
    pub fn is_clean(&self) -> bool {
        self.rounded().minutes == self.minutes()
    }

    /// Whole minutes; what is begun counts.
    fn minutes(&self) -> u32 {
        // 31 days of minutes fit.
        u32::try_from(self.period().as_secs().div_ceil(60)).unwrap_or(u32::MAX)
    }
}

/// All intervals that come around evenly, shortest first.
fn clean_minutes() -> impl Iterator<Item = u32> {
    let minutes = (1..MINUTES_PER_HOUR).filter(|minutes| MINUTES_PER_HOUR.is_multiple_of(*minutes));
    let hours = (1..24).filter(|hours| 24_u32.is_multiple_of(*hours)).map(|hours| hours * MINUTES_PER_HOUR);
    minutes.chain(hours).chain((1..=LONGEST_DAYS).map(|days| days * MINUTES_PER_DAY))
}

/// `30m`: digits and one of `s`, `m`, `h`, `d`.
impl FromStr for Interval {
    type Err = IntervalError;

    fn from_str(text: &str) -> Result<Self, IntervalError> {
        let malformed = || IntervalError::Malformed { interval: text.to_owned() };
        let (digits, unit) = words::split_number(text);
        let unit = Unit::of_letter(unit).filter(|_| !digits.is_empty()).ok_or_else(malformed)?;
        Self::from_digits(digits, unit)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.amount, self.unit.letter())
    }
}

/// An interval that comes around evenly: minutes that divide the hour, hours that divide the day, or whole
/// days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CleanInterval {
    minutes: u32,
}

impl CleanInterval {
    /// The expression that fires so.
    pub fn cron(&self) -> Cron {
        let step = |every| if every == 1 { "*".to_owned() } else { format!("*/{every}") };
        let text = match self.minutes {
            minutes @ ..MINUTES_PER_HOUR => format!("{} * * * *", step(minutes)),
            minutes @ ..MINUTES_PER_DAY => format!("0 {} * * *", step(minutes / MINUTES_PER_HOUR)),
            minutes => format!("0 0 {} * *", step(minutes / MINUTES_PER_DAY)),
        };
        text.parse().unwrap_or_else(|error| unreachable!("{text} is an expression: {error}"))
    }

    /// How long it is, but at clock changes and at the ends of months.
    pub fn period(&self) -> Duration {
        Duration::from_secs(u64::from(self.minutes) * 60)
    }

    /// Whether its last round in a month is cut short: cron counts days from the first of each month.
    pub fn is_uneven_at_month_ends(&self) -> bool {
        self.minutes > MINUTES_PER_DAY
    }
}

impl fmt::Display for CleanInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.minutes {
            minutes @ ..MINUTES_PER_HOUR => write!(f, "{minutes}m"),
            minutes @ ..MINUTES_PER_DAY => write!(f, "{}h", minutes / MINUTES_PER_HOUR),
            minutes => write!(f, "{}d", minutes / MINUTES_PER_DAY),
        }
    }
}

/// Why something is no interval.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IntervalError {
    /// It is not digits and a unit.
    #[error("{interval:?} is no interval: write digits and one of s, m, h, d, as in 30m")]
    Malformed {
        /// What was written.
        interval: String,
    },
    /// It is nothing.
    #[error("{interval} would fire without end: give at least 1s, which is scheduled as 1m")]
    Zero {
        /// What was written.
        interval: String,
    },
    /// It is too long.
    #[error(
        "{interval} is too long: an interval has at most {LONGEST_DAYS} days; for more give an expression of cron"
    )]
    TooLong {
        /// What was written.
        interval: String,
    },
}

impl IntervalError {
    /// What was written.
    pub fn interval(&self) -> &str {
        match self {
            Self::Malformed { interval } | Self::Zero { interval } | Self::TooLong { interval } => interval,
        }
    }
}
