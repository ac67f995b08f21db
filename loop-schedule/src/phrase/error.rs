//! Errors in a schedule that a person wrote.

use super::nearest::works;
use crate::{CronError, IntervalError, TimeError};

/// The reason why a text has no schedule that can be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PhraseError {
    /// It has words of time that are not a schedule.
    #[error(
        "`{phrase}` {}, with a colon behind it: the rest may then contain any words, as in `{}: PROMPT`",
        advice(phrase, .nearest.as_deref()),
        if is_itself(phrase, .nearest.as_deref()) { phrase } else { "hourly" }
    )]
    NotUnderstood {
        /// The words.
        phrase: String,
        /// The nearest form that works. `None` if no form means the same.
        nearest: Option<String>,
    },
    /// It has several times that no single job has.
    #[error(
        "`{phrase}` is more than one schedule. Add a job for each: {}",
        .forms.iter().map(|form| format!("`{form} PROMPT`")).collect::<Vec<_>>().join(", ")
    )]
    SeveralTimes {
        /// The words.
        phrase: String,
        /// The schedules, in the order of the words.
        forms: Vec<String>,
    },
    /// Its interval is not valid.
    #[error(transparent)]
    Interval(#[from] IntervalError),
    /// Its cron expression is not valid.
    #[error("{0}. Cron fields are: minute, hour, day of month, month, day of week")]
    Cron(CronError),
    /// Its time of day does not exist on that day, or exists twice.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// It fires at once.
    #[error("the time is now: give at least `in 1 minute`, or run it without a schedule")]
    Now,
    /// Its time is after the last one that a computer can store.
    #[error("the time is after the end of the calendar")]
    AfterTheEnd,
}

fn advice(phrase: &str, nearest: Option<&str>) -> String {
    const FORMS: &str = "No form means the same. Forms are `30m`, `every 2 hours`, `every day at 9:00`, `weekdays at \
        9:00`, `every monday at 9:00`, `in 20 minutes`, `tomorrow at 9:00`, `2026-12-24 18:00` and five cron fields, as \
        in `0 9 * * 1-5`";
    let why = match nearest {
        Some(_) if is_itself(phrase, nearest) => {
            return "is a schedule, but not at the beginning or at the end of the text. Write it first"
                .to_owned();
        }
        Some(nearest) => format!("The nearest form is `{nearest}`"),
        None => FORMS.to_owned(),
    };
    format!("looks like a time, but not like a schedule. {why}. Write the schedule first")
}

/// Returns whether the refused words are a schedule, but in the middle of a text.
fn is_itself(phrase: &str, nearest: Option<&str>) -> bool {
    nearest.is_some_and(|nearest| nearest.eq_ignore_ascii_case(phrase)) && works(phrase)
}

// The message already contains that of the cause, so there is no source.
impl From<CronError> for PhraseError {
    fn from(error: CronError) -> Self {
        Self::Cron(error)
    }
}
