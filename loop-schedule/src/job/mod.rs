//! Jobs: a prompt, and when to run it.

mod action;
mod error;
mod expiry;
mod first_fire;
mod id;
mod trigger;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::{
    action::{ActionError, JobAction, SecretInAction},
    error::{JobError, PeriodError},
    expiry::Expiry,
    first_fire::{FirstFire, Horizon},
    id::{JobId, JobIdError},
    trigger::{ExactPeriod, Trigger},
};

/// How a job handles slots that passed while no scheduler was running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CatchUp {
    /// They are dropped.
    None,
    /// One fire replaces all of them.
    Once,
    /// The scheduler asks a person, unless the job is due again by now; then it drops them.
    Ask,
}

/// How a job handles a fire that is due while the job is still running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// The scheduler skips the slot.
    Skip,
    /// One fire waits until the run has ended, and includes all slots in the meantime.
    QueueOne,
    /// The scheduler cancels the run, and then fires the job.
    Cancel,
}

/// A prompt, and when to run it.
///
/// # Default
/// Recurring jobs catch up [once](CatchUp::Once) and one-shots [ask](CatchUp::Ask). Overlapping fires
/// [wait](Overlap::QueueOne). Jitter is on.
///
/// ```
/// use jiff::Timestamp;
/// use loop_schedule::{CatchUp, Job, JobId, Trigger, Zone};
/// let trigger = Trigger::Cron { expression: "0 9 * * 1-5".parse()?, zone: "Europe/Riga".parse()? };
/// let job = Job::new(JobId::from_bits(7), trigger, "look at the open pull requests", Timestamp::now())
///     .catch_up(CatchUp::None);
/// assert_eq!(job.id.to_string(), "00000007");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// Its trigger.
    #[serde(rename = "when")]
    pub trigger: Trigger,
    /// The prompt to deliver.
    pub prompt: String,
    /// When it was created. It never fires before that.
    pub created_at: Timestamp,
    /// How it handles missed slots.
    pub catch_up: CatchUp,
    /// How it handles a fire that is due while it runs.
    pub overlap: Overlap,
    /// Whether it fires with jitter, according to the [settings](crate::ScheduleSettings).
    pub jitter: bool,
    /// When it expires, if it is recurring.
    #[serde(default, skip_serializing_if = "Expiry::is_of_settings")]
    pub expiry: Expiry,
    /// Whether it is paused, so that its slots pass without a fire.
    #[serde(default)]
    pub paused: bool,
    /// Other keys: the agent or manifest that runs the prompt, and keys of later versions. They stay unchanged.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Job {
    /// Creates a job with the defaults.
    pub fn new(id: JobId, trigger: Trigger, prompt: impl Into<String>, created_at: Timestamp) -> Self {
        let catch_up = if trigger.is_recurring() { CatchUp::Once } else { CatchUp::Ask };
        Self {
            id,
            trigger,
            prompt: prompt.into(),
            created_at,
            catch_up,
            overlap: Overlap::QueueOne,
            jitter: true,
            expiry: Expiry::Settings,
            paused: false,
            more: Map::new(),
        }
    }

    /// Sets how it handles missed slots.
    #[must_use]
    pub fn catch_up(mut self, catch_up: CatchUp) -> Self {
        self.catch_up = catch_up;
        self
    }

    /// Sets how it handles a fire that is due while it runs.
    #[must_use]
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets when it expires.
    #[must_use]
    pub fn expires(mut self, expiry: Expiry) -> Self {
        self.expiry = expiry;
        self
    }

    /// Makes the job fire exactly at its slots.
    #[must_use]
    pub fn without_jitter(mut self) -> Self {
        self.jitter = false;
        self
    }
}
