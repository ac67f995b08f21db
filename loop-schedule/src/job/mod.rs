//! Jobs: a prompt, and when it is wanted.

mod action;
mod error;
mod first;
mod id;
mod when;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::{
    action::{ActionError, JobAction, SecretInAction},
    error::{JobError, PeriodError},
    first::{FirstFire, Reach},
    id::{JobId, JobIdError},
    when::{Every, When},
};

/// What becomes of slots that nobody was awake for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CatchUp {
    /// They are dropped.
    None,
    /// All of them are one fire.
    Once,
    /// A person is asked, unless the job is due again by now: then they are dropped.
    Ask,
}

/// What happens when a job is due that is still running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// The slot is skipped.
    Skip,
    /// One fire waits until the run has ended, and counts the slots that it stands for.
    QueueOne,
    /// The run is cancelled, and then the job fires.
    Cancel,
}

/// A prompt, and when it is wanted.
///
/// # Default
/// Recurring jobs catch up [once](CatchUp::Once) and one-shots [ask](CatchUp::Ask); overlapping fires
/// [wait](Overlap::QueueOne); there is jitter.
///
/// ```
/// use jiff::Timestamp;
/// use loop_schedule::{CatchUp, Job, JobId, When, Zone};
/// let when = When::Cron { expression: "0 9 * * 1-5".parse()?, zone: "Europe/Riga".parse()? };
/// let job = Job::new(JobId::from_bits(7), when, "look at the open pull requests", Timestamp::now())
///     .catch_up(CatchUp::None);
/// assert_eq!(job.id.to_string(), "00000007");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Job {
    /// What it is called by.
    pub id: JobId,
    /// When it fires.
    pub when: When,
    /// What is fired.
    pub prompt: String,
    /// When it was made. Nothing fires before.
    pub created_at: Timestamp,
    /// What becomes of slots that nobody was awake for.
    pub catch_up: CatchUp,
    /// What happens when it is due while it runs.
    pub overlap: Overlap,
    /// Whether it fires a little beside its slots, as the [settings](crate::Settings) say.
    pub jitter: bool,
    /// Whether its slots pass by.
    #[serde(default)]
    pub paused: bool,
    /// What else there is to know of it: which agent or manifest runs the prompt, and what a later version
    /// wrote. It is kept as it is.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Job {
    /// A job with the defaults.
    pub fn new(id: JobId, when: When, prompt: impl Into<String>, created_at: Timestamp) -> Self {
        let catch_up = if when.is_recurring() { CatchUp::Once } else { CatchUp::Ask };
        Self {
            id,
            when,
            prompt: prompt.into(),
            created_at,
            catch_up,
            overlap: Overlap::QueueOne,
            jitter: true,
            paused: false,
            more: Map::new(),
        }
    }

    /// Sets what becomes of slots that nobody was awake for.
    #[must_use]
    pub fn catch_up(mut self, catch_up: CatchUp) -> Self {
        self.catch_up = catch_up;
        self
    }

    /// Sets what happens when it is due while it runs.
    #[must_use]
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = overlap;
        self
    }

    /// Makes it fire exactly at its slots.
    #[must_use]
    pub fn without_jitter(mut self) -> Self {
        self.jitter = false;
        self
    }
}
