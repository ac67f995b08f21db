//! Parses `[interval] PROMPT`: a prompt, and how often to run it.

use std::{fmt, time::Duration};

use jiff::Timestamp;

use super::{CleanInterval, Hint, Interval, IntervalError, Unit, words};
use crate::{Every, PeriodError, Settings};

/// The rule that found the interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The first word is the interval: `30m check the deploy`.
    Leading,
    /// The last words are: `check the deploy every 30 minutes`.
    Trailing,
    /// There is no interval, so [`Interval::DEFAULT`] applies.
    Default,
}

/// A prompt, and how often to run it.
///
/// A text that looks like a time but matches none of the rules becomes part of the prompt, with a [hint](Self::hint) to
/// the person.
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
    /// Parses the text that a person typed.
    ///
    /// # Errors
    /// [`RequestError::NoPrompt`] if there is no prompt, [`RequestError::Interval`] if the text in the interval's
    /// position is not a valid one.
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

    /// Returns the prompt as typed.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Returns the requested interval.
    pub fn interval(&self) -> Interval {
        self.interval
    }

    /// Returns the scheduled interval: the nearest even one.
    pub fn effective(&self) -> CleanInterval {
        self.interval.rounded()
    }

    /// Returns the rule that found the interval.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the text in the prompt that looks like a time but was not used as one.
    pub fn hint(&self) -> Option<&Hint> {
        self.hint.as_ref()
    }

    /// Returns warnings for the person who schedules this.
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

    /// Returns the requested interval to the second, from an instant on, instead of the [effective](Self::effective)
    /// one.
    ///
    /// # Errors
    /// [`PeriodError`] if it is shorter than a minute.
    pub fn exactly(&self, anchor: Timestamp) -> Result<Every, PeriodError> {
        Every::new(self.interval.period(), anchor)
    }

    /// Returns warnings for the person who schedules this [exactly](Self::exactly).
    pub fn warnings_exactly(&self, settings: &Settings) -> Vec<Warning> {
        longer_than_expiry(Scheduled::Exact(self.interval), settings).into_iter().collect()
    }
}

fn longer_than_expiry(interval: Scheduled, settings: &Settings) -> Option<Warning> {
    let is_longer = settings.expiry.is_some_and(|expiry| interval.period() > expiry);
    is_longer.then_some(Warning::LongerThanExpiry { interval })
}

/// An interval as the scheduler uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheduled {
    /// The nearest even interval.
    Rounded(CleanInterval),
    /// Exact to the second, even if it is uneven.
    Exact(Interval),
}

impl Scheduled {
    /// Returns its length.
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

/// An interval found in an allowed position, and the remaining text.
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
        // One unit that is written out, because people do not say `every h`.
        let one = || words::unit(last).filter(|_| last.len() > 1).map(|unit| Interval::new(1, unit));
        (earlier, compact(last).or_else(one)?)
    } else {
        let (prompt, third) = split_last(earlier);
        let unit = words::unit(last).filter(|_| is_every(third) && is_digits(second))?;
        (prompt, Interval::from_digits(second, unit))
    };
    Some(Found { interval, prompt })
}

/// Parses digits with a unit's letter.
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

/// Returns the last word, and the text before it.
fn split_last(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    match text.char_indices().rfind(|(_, letter)| letter.is_whitespace()) {
        Some((at, space)) => (text[..at].trim_end(), &text[at + space.len_utf8()..]),
        None => ("", text),
    }
}

/// A warning for the person who schedules a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The scheduled interval differs from the requested one.
    Rounded {
        /// The requested interval.
        from: Interval,
        /// The scheduled interval.
        to: CleanInterval,
    },
    /// The last period of each month is shorter.
    MonthEnd {
        /// The scheduled interval.
        interval: CleanInterval,
    },
    /// The job expires before its interval is over.
    LongerThanExpiry {
        /// The scheduled interval.
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

/// The reason why a request cannot be scheduled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// There is no prompt.
    #[error("there is no prompt: write [interval] PROMPT, as in 30m check the deploy")]
    NoPrompt {
        /// The interval, if there was one.
        interval: Option<Interval>,
    },
    /// The text in the interval's position is not a valid interval.
    #[error("{error}")]
    Interval {
        /// The problem with the interval.
        error: IntervalError,
        /// The remaining text.
        prompt: String,
    },
}
