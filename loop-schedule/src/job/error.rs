//! Reasons why a job cannot be scheduled.

use std::time::Duration;

use jiff::Timestamp;

use super::JobId;
use crate::CronError;

/// The reason why a job cannot be scheduled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// It has no fire in the next eight years, as for 31 February.
    #[error("it never fires: there is no such day in the calendar")]
    NeverFires,
    /// A step of its expression does not fit into the field.
    #[error(transparent)]
    LongStep(#[from] CronError),
    /// Its first fire is more than a year away.
    #[error("its first fire is on {first}, which is more than a year away: allow that if you mean it")]
    FarOff {
        /// The first fire.
        first: Timestamp,
    },
    /// Its time is in the past.
    #[error("{time} has passed: give a time in the future")]
    Past {
        /// The time.
        time: Timestamp,
    },
    /// The prompt is empty.
    #[error("the prompt is empty: write what the job should do")]
    NoPrompt,
    /// The prompt is too large.
    #[error("the prompt has {bytes} bytes, but the limit is {most}: put the text into a file and name it")]
    LongPrompt {
        /// Its size in bytes.
        bytes: usize,
        /// The maximum size in bytes.
        most: usize,
    },
    /// The maximum number of jobs is reached.
    #[error("there are {most} jobs, which is the limit: delete one first")]
    TooMany {
        /// The maximum number.
        most: usize,
    },
    /// Another job has this id.
    #[error("a job {id} already exists: choose another id")]
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
