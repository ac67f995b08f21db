//! What a job does when it fires.

use std::time::Duration;

use anyhow::{Context, anyhow};
use loop_schedule::Job;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::view::text;

/// The key of a job under which it stands.
const KEY: &str = "errand";

/// Who does what a job wants. It is kept with the job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Errand {
    /// A manifest says it all.
    Manifest {
        /// Its absolute path.
        path: String,
    },
    /// A command is given the prompt, once.
    Agent {
        /// The command.
        command: String,
        /// How long it may take, in seconds.
        max_seconds: u64,
    },
    /// A model with tools is given the prompt, once.
    Model {
        /// Which; `None` is the one that the settings name when it fires.
        model: Option<String>,
        /// How long it may take, in seconds.
        max_seconds: u64,
    },
}

impl Errand {
    /// How long an agent or a model may take if nobody says it: an hour.
    pub(crate) const MAX_TIME: Duration = Duration::from_hours(1);

    /// The errand of a job.
    ///
    /// # Errors
    /// The job has none that this version knows.
    pub(crate) fn of(job: &Job) -> anyhow::Result<Self> {
        let kept = job.more.get(KEY).ok_or_else(|| anyhow!("the job {} does not say who does it", job.id))?;
        Self::deserialize(kept).with_context(|| format!("who does the job {} cannot be read", job.id))
    }

    /// Gives it to a job.
    pub(crate) fn give_to(&self, job: &mut Job) {
        let kept =
            serde_json::to_value(self).unwrap_or_else(|error| unreachable!("an errand is JSON: {error}"));
        job.more.insert(KEY.to_owned(), kept);
    }

    /// As it is kept, for programs.
    pub(crate) fn kept(job: &Job) -> &Value {
        job.more.get(KEY).unwrap_or(&Value::Null)
    }

    /// The arguments with which this program does it. It ends by itself, asks nobody, and prints its record last.
    pub(crate) fn arguments(&self, prompt: &str) -> Vec<String> {
        match self {
            Self::Manifest { path } => words(&["run", "--non-interactive", "--json", "--", path]),
            Self::Agent { command, max_seconds } => {
                let time = format!("{max_seconds}s");
                // That the agent ended is all that can be known of a prompt without a check.
                let loop_of_one = ["run", "--quiet", "--json", "--max", "1", "--check", "true", "--max-time"];
                let mut words = words(&loop_of_one);
                words.extend([time, format!("--agent={command}"), format!("--goal={prompt}")]);
                words.push("--prompt={goal}".to_owned());
                words
            }
            Self::Model { model, max_seconds } => {
                let mut words = words(&["every", "1s", "--count", "1", "--quiet", "--json", "--for"]);
                words.push(format!("{max_seconds}s"));
                words.extend(model.iter().map(|model| format!("--model={model}")));
                // No flag begins with a space.
                let escape = if prompt.starts_with('-') { " " } else { "" };
                words.push(format!("{escape}{prompt}"));
                words
            }
        }
    }

    /// Whether it is one prompt. People want the reply to it then, and not what is said of every run.
    pub(crate) const fn is_prompt(&self) -> bool {
        !matches!(self, Self::Manifest { .. })
    }

    /// For people: `agent claude -p, for 1h 00m at most`.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Manifest { path } => format!("manifest {path}"),
            Self::Agent { command, max_seconds } => {
                format!("agent {command}, for {} at most", time(*max_seconds))
            }
            Self::Model { model: Some(model), max_seconds } => {
                format!("model {model}, for {} at most", time(*max_seconds))
            }
            Self::Model { model: None, max_seconds } => {
                format!("the model of the settings, for {} at most", time(*max_seconds))
            }
        }
    }
}

fn time(seconds: u64) -> String {
    text::duration(Duration::from_secs(seconds))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
