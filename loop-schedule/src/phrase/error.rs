//! Errors in a schedule that a person wrote.

use crate::{CronError, IntervalError, TimeError};

/// The reason why a text has no schedule that can be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PhraseError {
    /// It has words of time that are not a schedule.
    #[error(
        "`{phrase}` looks like a time, but not like a schedule. The nearest form is `{nearest}`. Write the schedule \
         first or last; the rest may then contain any words, as in `10m PROMPT`"
    )]
    NotUnderstood {
        /// The words.
        phrase: String,
        /// The nearest form that works.
        nearest: String,
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
    /// Its time is after the last one that a computer can store.
    #[error("the time is after the end of the calendar")]
    AfterTheEnd,
}

// The message already contains that of the cause, so there is no source.
impl From<CronError> for PhraseError {
    fn from(error: CronError) -> Self {
        Self::Cron(error)
    }
}
