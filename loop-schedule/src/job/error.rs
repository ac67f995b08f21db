//! Reasons why a job cannot be scheduled.

use std::time::Duration;

use jiff::Timestamp;

use super::JobId;

/// The reason why a job cannot be scheduled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// It has no fire in the next eight years, as for 31 February.
    #[error("it never fires: there is no such day in the calendar")]
    NeverFires,
    /// Its first fire is more than a year away.
    #[error(
        "it fires on {first} for the first time, which is more than a year away: allow that if it is meant"
    )]
    FarOff {
        /// The first fire.
        first: Timestamp,
    },
    /// Its time is in the past.
    #[error("{time} has passed: give a time to come")]
    Past {
        /// The time.
        time: Timestamp,
    },
    /// The prompt is empty.
    #[error("the prompt is empty: say what is to be done")]
    NoPrompt,
    /// The prompt is too large.
    #[error("the prompt has {bytes} bytes, and {most} are allowed: put the text into a file and name it")]
    LongPrompt {
        /// Its size in bytes.
        bytes: usize,
        /// The maximum size in bytes.
        most: usize,
    },
    /// The maximum number of jobs is reached.
    #[error("there are {most} jobs, as many as are allowed: delete one first")]
    TooMany {
        /// The maximum number.
        most: usize,
    },
    /// Another job has this id.
    #[error("there is a job {id} already: draw another id")]
    IdTaken {
        /// The id.
        id: JobId,
    },
}

/// A period that a job cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a job cannot fire every {period:?}: give whole seconds, from a minute to 366 days")]
pub struct PeriodError {
    /// The period as given.
    pub period: Duration,
}
