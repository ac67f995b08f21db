//! A task that two agents work off: what it is, who does it, what is written down of it, and how it ended.
//!
//! What may run is settled when the run begins: the task file lies in the agents' reach, and whoever could give itself
//! a program by writing a line into it would have all of them. Its text is read again whenever it is needed, so that a
//! person can make the task clearer while it is worked on.

mod file;
mod outcome;
mod state;
mod text;
mod voice;

use std::num::NonZeroU64;

use anyhow::anyhow;
use loop_agents::chat::Effort;
use loop_core::{Grant, Progress, StepRecord, StopReason};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

pub(crate) use self::{
    file::{Rights, TaskFile},
    outcome::Outcome,
    state::StateFiles,
    text::TaskText,
    voice::{Voice, counted},
};

/// As what a task is kept, where other runs have the path of their manifest.
pub(crate) const KEPT_AS: &str = "loop task";

/// The folder that is ours in the folder of the work.
pub(crate) const FOLDER: &str = ".loop";

/// How many loops there are, if nobody says.
pub(crate) const DEFAULT_LOOPS: NonZeroU64 = NonZeroU64::new(5).expect("not 0");

/// Who works off which task, and with what. What goes on after it was cut off goes on with this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Assignment {
    /// The task's file, in the folder of the work and without links.
    pub(crate) file: String,
    pub(crate) executor: Who,
    pub(crate) reviewer: Who,
    pub(crate) loops: NonZeroU64,
    pub(crate) rounds: NonZeroU64,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "by_name",
        deserialize_with = "named"
    )]
    pub(crate) reasoning: Option<Effort>,
    /// What the task file allowed when the run began.
    pub(crate) rights: Rights,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Who {
    /// The model of this name.
    Model(String),
    /// A shell command.
    Command(String),
}

impl Assignment {
    /// What the run is called in lists: as its file, without its ending.
    pub(crate) fn name(&self) -> &str {
        let name = self.file.rsplit('/').next().unwrap_or(&self.file);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// How many loops there are in all, with those that were granted since the run began.
    pub(crate) fn loops_in_all<'a>(&self, granted: impl IntoIterator<Item = &'a Grant>) -> u64 {
        granted.into_iter().fold(self.loops.get(), |loops, grant| loops.saturating_add(grant.iterations))
    }

    /// How many loops a run that has come so far gets, if it is to have as many as are `wanted` in all.
    ///
    /// # Errors
    /// It would have fewer, or none is left.
    pub(crate) fn more_loops(&self, run: &Progress, wanted: Option<NonZeroU64>) -> anyhow::Result<u64> {
        let had = self.loops_in_all(run.granted());
        let is_exhausted =
            run.ending().is_some_and(|ending| ending.reason() == Some(&StopReason::MaxIterations));
        match wanted.map(NonZeroU64::get) {
            Some(wanted) if wanted < had => Err(anyhow!(
                "the run has {had} loops in all already: `--loops` can give it more, and not fewer"
            )),
            Some(wanted) if wanted > had => Ok(wanted - had),
            _ if is_exhausted => Err(anyhow!(
                "the run has used up its loops ({had}): `--resume --loops {}` gives it five more",
                had.saturating_add(5)
            )),
            _ => Ok(0),
        }
    }

    /// One loop, if the last one of a run was called off while it worked: nobody has got anything for it.
    pub(crate) fn called_off(&self, run: &Progress) -> u64 {
        let is_called_off =
            run.ending().is_some_and(|ending| ending.reason() == Some(&StopReason::Cancelled));
        let is_cut = run.current_step().is_none()
            && run.last_step().map_or(0, StepRecord::iteration) < run.iterations();
        u64::from(is_called_off && is_cut && run.iterations() >= self.loops_in_all(run.granted()))
    }

    /// How often a reviewing model may call tools: half as often as one that works, and six times at least.
    pub(crate) fn review_rounds(&self) -> u64 {
        (self.rounds.get() / 2).max(6)
    }
}

impl Who {
    /// For a line that says who does what.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Model(name) | Self::Command(name) => name,
        }
    }
}

#[expect(clippy::ref_option, reason = "serde hands over a reference")]
fn by_name<S: Serializer>(effort: &Option<Effort>, serializer: S) -> Result<S::Ok, S::Error> {
    effort.map(Effort::name).serialize(serializer)
}

fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Effort>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    name.map(|name| name.parse().map_err(D::Error::custom)).transpose()
}
