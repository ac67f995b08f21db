//! Why a job cannot be scheduled.

use std::time::Duration;

use jiff::Timestamp;

use super::JobId;

/// Why a job cannot be scheduled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// It has no fire in the next eight years: 31 February.
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
    /// Its time has passed.
    #[error("{time} has passed: give a time to come")]
    Past {
        /// The time.
        time: Timestamp,
    },
    /// There is nothing to fire.
    #[error("the prompt is empty: say what is to be done")]
    NoPrompt,
    /// The prompt is too large.
    #[error("the prompt has {bytes} bytes, and {most} are allowed: put the text into a file and name it")]
    LongPrompt {
        /// How many it has.
        bytes: usize,
        /// How many it may have.
        most: usize,
    },
    /// There are as many jobs as there may be.
    #[error("there are {most} jobs, as many as are allowed: delete one first")]
    TooMany {
        /// How many there may be.
        most: usize,
    },
    /// Another job has the id.
    #[error("there is a job {id} already: draw another id")]
    IdTaken {
        /// The id.
        id: JobId,
    },
}

/// A period is no period for a job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a job cannot fire every {period:?}: give whole seconds, from a minute to 366 days")]
pub struct PeriodError {
    /// What was given.
    pub period: Duration,
}
