//! The action of a job: how its prompt runs.

use std::{borrow::Cow, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Job, JobId};

/// The key of a job that stores its action.
const KEY: &str = "action";
/// The key in files of earlier versions.
const EARLIER_KEY: &str = "errand";

/// The warning about a secret that was removed from a prompt.
const REDACTED_PROMPT: &str = "the prompt contains a secret, and jobs are stored as text: the agent will read \
                               `[redacted]` in its place. Name a variable or a file that holds it instead";

/// The action of a job, which is stored with it. A program that fires jobs decides how to carry it out.
///
/// ```
/// use jiff::Timestamp;
/// use loop_schedule::{Job, JobAction, JobId, Trigger};
///
/// let trigger = Trigger::At { time: Timestamp::MAX };
/// let mut job = Job::new(JobId::random(), trigger, "look at the build", Timestamp::now());
/// let action = JobAction::Agent { command: "claude -p".to_owned(), max_seconds: 600 };
/// action.store_in(&mut job);
/// assert_eq!(JobAction::of(&job)?, action);
/// # Ok::<(), loop_schedule::ActionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobAction {
    /// Runs a manifest, which has its own prompt.
    Manifest {
        /// The absolute path of the manifest.
        path: String,
    },
    /// Gives the prompt to a command, once.
    Agent {
        /// The command line.
        command: String,
        /// The time that it may take, in seconds.
        max_seconds: u64,
    },
    /// Gives the prompt to a model with tools, once.
    Model {
        /// The name of the model. `None` means the model in the settings when the job fires.
        model: Option<String>,
        /// The time that the turn may take, in seconds.
        max_seconds: u64,
    },
}

impl JobAction {
    /// The default time limit of an agent or a model: one hour.
    pub const MAX_TIME: Duration = Duration::from_hours(1);

    /// Returns the action of a job.
    ///
    /// # Errors
    /// If the job has no action that this version knows.
    pub fn of(job: &Job) -> Result<Self, ActionError> {
        let stored = find(job).ok_or(ActionError::Missing { id: job.id })?;
        Self::deserialize(stored).map_err(|source| ActionError::Unreadable { id: job.id, source })
    }

    /// Stores the action with a job.
    pub fn store_in(&self, job: &mut Job) {
        let stored =
            serde_json::to_value(self).unwrap_or_else(|error| unreachable!("an action is JSON: {error}"));
        job.more.remove(EARLIER_KEY);
        job.more.insert(KEY.to_owned(), stored);
    }

    /// Returns the action of a job as stored, for programs. Returns `null` if it has none.
    pub fn stored(job: &Job) -> &Value {
        find(job).unwrap_or(&Value::Null)
    }
}

fn find(job: &Job) -> Option<&Value> {
    job.more.get(KEY).or_else(|| job.more.get(EARLIER_KEY))
}

/// The reason why the action of a job is unknown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActionError {
    /// The job has no action.
    #[error("the job {id} does not name what runs it")]
    Missing {
        /// The job.
        id: JobId,
    },
    /// A later version wrote it, or somebody edited it.
    #[error("cannot read what runs the job {id}")]
    Unreadable {
        /// The job.
        id: JobId,
        /// The error from the parser.
        source: serde_json::Error,
    },
}

impl Job {
    /// Removes secrets from the prompt before the job is stored, and returns a warning if there were any. `redact`
    /// returns a text without secrets.
    ///
    /// # Errors
    /// If a secret is in the [action](JobAction), which would not work without it.
    pub fn redact_prompt(
        &mut self,
        redact: impl for<'t> Fn(&'t str) -> Cow<'t, str>,
    ) -> Result<Option<&'static str>, SecretInAction> {
        let action = JobAction::stored(self).to_string();
        let redacted = redact(&action);
        if redacted != action {
            return Err(SecretInAction { redacted: redacted.into_owned() });
        }
        let prompt = redact(&self.prompt).into_owned();
        let is_changed = prompt != self.prompt;
        self.prompt = prompt;
        Ok(is_changed.then_some(REDACTED_PROMPT))
    }
}

/// The action of a job contains a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the command of the job contains a secret, and jobs are stored as text: {redacted}\n  \
     put the secret into a variable, or into a file that only you can read, and name that instead"
)]
#[non_exhaustive]
pub struct SecretInAction {
    /// The action without the secret.
    pub redacted: String,
}
