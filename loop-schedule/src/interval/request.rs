//! `[interval] PROMPT`: what somebody wants, and how often.

use std::{fmt, time::Duration};

use jiff::Timestamp;

use super::{CleanInterval, Hint, Interval, IntervalError, Unit, words};
use crate::{Every, PeriodError, Settings};

/// Which of the three rules found the interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The first word is the interval: `30m check the deploy`.
    Leading,
    /// The last words are: `check the deploy every 30 minutes`.
    Trailing,
    /// There is none, and [`Interval::DEFAULT`] is taken.
    Default,
}

/// A prompt, and how often it is wanted.
///
/// What looks like a time but is none of the rules becomes part of the prompt, with a [hint](Self::hint), so
/// that it never does so silently.
///
/// ```
/// use loop_schedule::{Request, Rule};
/// let request = Request::parse("check the deploy every 2 hours")?;
/// assert_eq!((request.prompt(), request.rule()), ("check the deploy", Rule::Trailing));
/// assert_eq!(request.effective().cron().to_string(), "0 */2 * * *");
///
/// let request = Request::parse("5M check")?;
/// assert_eq!((request.prompt(), request.effective().to_string()), ("5M check", "10m".to_owned()));
/// assert!(request.hint().is_some());
/// # Ok::<(), loop_schedule::RequestError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    prompt: String,
    interval: Interval,
    rule: Rule,
    hint: Option<Hint>,
}

impl Request {
    /// Reads what somebody typed.
    ///
    /// # Errors
    /// [`RequestError::NoPrompt`] if there is nothing to do, [`RequestError::Interval`] if what stands where
    /// an interval does cannot be one.
    pub fn parse(input: &str) -> Result<Self, RequestError> {
        let input = input.trim();
        let (found, rule) = match (leading(input), trailing(input)) {
            (Some(found), _) => (found, Rule::Leading),
            (None, Some(found)) => (found, Rule::Trailing),
            (None, None) => (Found { interval: Ok(Interval::DEFAULT), prompt: input }, Rule::Default),
        };
        let prompt = found.prompt.to_owned();
        let interval = match found.interval {
            Ok(interval) => interval,
            Err(error) => return Err(RequestError::Interval { error, prompt }),
        };
        if prompt.is_empty() {
            return Err(RequestError::NoPrompt { interval: (rule != Rule::Default).then_some(interval) });
        }
        let hint = if rule == Rule::Default { Hint::find(input) } else { None };
        Ok(Self { prompt, interval, rule, hint })
    }

    /// What to do, as it was typed.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// The interval that was asked for.
    pub fn interval(&self) -> Interval {
        self.interval
    }

    /// The interval that is scheduled: the nearest one that comes around evenly.
    pub fn effective(&self) -> CleanInterval {
        self.interval.rounded()
    }

    /// Which rule found the interval.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// What looks like a time in the prompt, and was not taken for one.
    pub fn hint(&self) -> Option<&Hint> {
        self.hint.as_ref()
    }

    /// What may surprise somebody who schedules this.
    pub fn warnings(&self, settings: &Settings) -> Vec<Warning> {
        let effective = self.effective();
        let mut warnings = Vec::new();
        if !self.interval.is_clean() {
            warnings.push(Warning::Rounded { from: self.interval, to: effective });
        }
        if effective.is_uneven_at_month_ends() {
            warnings.push(Warning::MonthEnd { interval: effective });
        }
        warnings.extend(longer_than_expiry(Scheduled::Rounded(effective), settings));
        warnings
    }

    /// The interval that was asked for, to the second, from an instant on: instead of the
    /// [effective](Self::effective) one.
    ///
    /// # Errors
    /// [`PeriodError`] if it is shorter than a minute.
    pub fn exactly(&self, anchor: Timestamp) -> Result<Every, PeriodError> {
        Every::new(self.interval.period(), anchor)
    }

    /// What may surprise somebody who schedules this [exactly](Self::exactly).
    pub fn warnings_exactly(&self, settings: &Settings) -> Vec<Warning> {
        longer_than_expiry(Scheduled::Exact(self.interval), settings).into_iter().collect()
    }
}

fn longer_than_expiry(interval: Scheduled, settings: &Settings) -> Option<Warning> {
    let is_longer = settings.expiry.is_some_and(|expiry| interval.period() > expiry);
    is_longer.then_some(Warning::LongerThanExpiry { interval })
}

/// An interval as it is scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheduled {
    /// The nearest one that comes around evenly.
    Rounded(CleanInterval),
    /// To the second, however odd it is.
    Exact(Interval),
}

impl Scheduled {
    /// How long it is.
    pub fn period(&self) -> Duration {
        match self {
            Self::Rounded(interval) => interval.period(),
            Self::Exact(interval) => interval.period(),
        }
    }
}

impl fmt::Display for Scheduled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rounded(interval) => interval.fmt(f),
            Self::Exact(interval) => interval.fmt(f),
        }
    }
}

/// An interval that stands where one may stand, and the rest.
struct Found<'a> {
    interval: Result<Interval, IntervalError>,
    prompt: &'a str,
}

/// Rule 1: the first word is digits and a unit.
fn leading(input: &str) -> Option<Found<'_>> {
    let (first, prompt) = input.split_once(char::is_whitespace).unwrap_or((input, ""));
    Some(Found { interval: compact(first)?, prompt: prompt.trim() })
}

/// Rule 2: the last words are `every 20m`, `every 20 minutes` or `every minute`.
fn trailing(input: &str) -> Option<Found<'_>> {
    let (before, last) = split_last(input);
    let (earlier, second) = split_last(before);
    let (prompt, interval) = if is_every(second) {
        // One of a unit that is written out; `every h` is nothing that people say.
        let one = || words::unit(last).filter(|_| last.len() > 1).map(|unit| Interval::new(1, unit));
        (earlier, compact(last).or_else(one)?)
    } else {
        let (prompt, third) = split_last(earlier);
        let unit = words::unit(last).filter(|_| is_every(third) && is_digits(second))?;
        (prompt, Interval::from_digits(second, unit))
    };
    Some(Found { interval, prompt })
}

/// Digits and a unit's letter.
fn compact(word: &str) -> Option<Result<Interval, IntervalError>> {
    let (digits, letter) = words::split_number(word);
    let unit = Unit::of_letter(letter).filter(|_| !digits.is_empty())?;
    Some(Interval::from_digits(digits, unit))
}

fn is_every(word: &str) -> bool {
    word.eq_ignore_ascii_case("every")
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The last word, and what stands before it.
fn split_last(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    match text.char_indices().rfind(|(_, letter)| letter.is_whitespace()) {
        Some((at, space)) => (text[..at].trim_end(), &text[at + space.len_utf8()..]),
        None => ("", text),
    }
}

/// What may surprise somebody who schedules a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// Another interval is scheduled than was asked for.
    Rounded {
        /// What was asked for.
        from: Interval,
        /// What is scheduled.
        to: CleanInterval,
    },
    /// The last round of each month is shorter.
    MonthEnd {
        /// What is scheduled.
        interval: CleanInterval,
    },
    /// The job is over before it comes around.
    LongerThanExpiry {
        /// What is scheduled.
        interval: Scheduled,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rounded { from, to } => {
                write!(f, "every {from} does not come around evenly: it is scheduled every {to}")
            }
            Self::MonthEnd { interval } => {
                write!(
                    f,
                    "every {interval} counts from the first of each month: its last round there is shorter"
                )
            }
            Self::LongerThanExpiry { interval } => {
                write!(f, "every {interval} is longer than a job lives: its first fire is its last")
            }
        }
    }
}

/// Why a request cannot be scheduled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// There is nothing to do.
    #[error("there is no prompt: write [interval] PROMPT, as in 30m check the deploy")]
    NoPrompt {
        /// The interval, if there was one.
        interval: Option<Interval>,
    },
    /// What stands where an interval does cannot be one.
    #[error("{error}")]
    Interval {
        /// What is wrong with it.
        error: IntervalError,
        /// The rest of what was typed.
        prompt: String,
    },
}
