//! Parses `[interval] PROMPT`: a prompt, and how often to run it.

use std::{fmt, time::Duration};

use super::{EvenInterval, Interval, IntervalError, IntervalHint, IntervalUnit, time_words};
use crate::ScheduleSettings;

/// The rule that found the interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntervalRule {
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
/// use loop_schedule::{PromptRequest, IntervalRule};
/// let request = PromptRequest::parse("check the deploy every 2 hours")?;
/// assert_eq!((request.prompt(), request.rule()), ("check the deploy", IntervalRule::Trailing));
/// assert_eq!(request.rounded().cron().to_string(), "0 */2 * * *");
///
/// let request = PromptRequest::parse("5M check")?;
/// assert_eq!((request.prompt(), request.rounded().to_string()), ("5M check", "10m".to_owned()));
/// assert!(request.hint().is_some());
/// # Ok::<(), loop_schedule::PromptRequestError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptRequest {
    prompt: String,
    interval: Interval,
    rule: IntervalRule,
    hint: Option<IntervalHint>,
}

impl PromptRequest {
    /// Parses the text that a person typed.
    ///
    /// # Errors
    /// [`PromptRequestError::NoPrompt`] if there is no prompt, [`PromptRequestError::Interval`] if the text in the
    /// interval's position is not a valid one.
    pub fn parse(input: &str) -> Result<Self, PromptRequestError> {
        let input = input.trim();
        let (found, rule) = match (leading(input), trailing(input)) {
            (Some(found), _) => (found, IntervalRule::Leading),
            (None, Some(found)) => (found, IntervalRule::Trailing),
            (None, None) => {
                (ParsedRequest { interval: Ok(Interval::DEFAULT), prompt: input }, IntervalRule::Default)
            }
        };
        let prompt = found.prompt.to_owned();
        let interval = match found.interval {
            Ok(interval) => interval,
            Err(error) => return Err(PromptRequestError::Interval { error, prompt }),
        };
        if prompt.is_empty() {
            return Err(PromptRequestError::NoPrompt {
                interval: (rule != IntervalRule::Default).then_some(interval),
            });
        }
        let hint = if rule == IntervalRule::Default { IntervalHint::find(input) } else { None };
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

    /// Returns the nearest interval that divides the hour or the day, as cron needs it.
    pub fn rounded(&self) -> EvenInterval {
        self.interval.rounded()
    }

    /// Returns the rule that found the interval.
    pub fn rule(&self) -> IntervalRule {
        self.rule
    }

    /// Returns the text in the prompt that looks like a time but was not used as one.
    pub fn hint(&self) -> Option<&IntervalHint> {
        self.hint.as_ref()
    }
}

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

/// An interval found in an allowed position, and the remaining text.
struct ParsedRequest<'a> {
    interval: Result<Interval, IntervalError>,
    prompt: &'a str,
}

/// Rule 1: the first word is digits and a unit.
fn leading(input: &str) -> Option<ParsedRequest<'_>> {
    let (first, prompt) = input.split_once(char::is_whitespace).unwrap_or((input, ""));
    Some(ParsedRequest { interval: compact(first)?, prompt: prompt.trim() })
}

/// Rule 2: the last words are `every 20m`, `every 20 minutes` or `every minute`.
fn trailing(input: &str) -> Option<ParsedRequest<'_>> {
    let (before, last) = split_last(input);
    let (earlier, second) = split_last(before);
    let (prompt, interval) = if is_every(second) {
        // One unit that is written out, because people do not say `every h`.
        let one = || time_words::unit(last).filter(|_| last.len() > 1).map(|unit| Interval::new(1, unit));
        (earlier, compact(last).or_else(one)?)
    } else {
        let (prompt, third) = split_last(earlier);
        let unit = time_words::unit(last).filter(|_| is_every(third) && is_digits(second))?;
        (prompt, Interval::from_digits(second, unit))
    };
    Some(ParsedRequest { interval, prompt })
}

/// Parses digits with a unit's letter.
fn compact(word: &str) -> Option<Result<Interval, IntervalError>> {
    let (digits, letter) = time_words::split_number(word);
    let unit = IntervalUnit::of_letter(letter).filter(|_| !digits.is_empty())?;
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

/// The reason why a request cannot be scheduled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptRequestError {
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
