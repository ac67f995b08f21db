//! Repeats a prompt or a command, with a pause in between: a loop without a check, whose goal is its count.

mod arguments;
mod end_conditions;
mod messages;

use std::{num::NonZeroU64, time::Duration};

use loop_agents::output::PatternError;
use loop_core::{Bounded, Iteration, Loop, Step};
use loop_guardrails::ConsecutiveFailures;
use serde::{Deserialize, Serialize};

use loop_manifest::model::ConversationOptions;

pub use self::{
    arguments::{DEFAULT_COUNT, MAX_COUNT, RepetitionArgumentError, continued, count, interval},
    end_conditions::{EndConditions, RepetitionCondition, RepetitionEndReason, failure},
    messages::{RepetitionReporter, exit_summary, plan, summary},
};

/// Describes the repeated work, its interval and its end. A run stores it as JSON, so that it can be resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Repetition {
    /// The time from the end of one iteration to the start of the next.
    pub interval: Duration,
    /// The repeated work.
    #[serde(rename = "what")]
    pub work: RepeatedWork,
    /// The end conditions. A repetition without a count and a time limit never ends by itself.
    pub ends: EndConditions,
    /// The maximum number of consecutive failures; `None` means no limit.
    pub errors: Option<NonZeroU64>,
}

/// The work of one iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepeatedWork {
    /// A command line for a shell.
    Command(String),
    /// A turn of a conversation.
    Prompt {
        /// The prompt for the model.
        prompt: String,
        /// The model and its tools.
        conversation: ConversationOptions,
        /// True if each turn begins with an empty history.
        fresh: bool,
    },
}

/// The words that leave a session. They end a loop; the model never sees them.
const EXIT_WORDS: [&str; 3] = ["/exit", "/quit", "/bye"];

impl RepeatedWork {
    /// Returns the command line or the prompt.
    pub fn text(&self) -> &str {
        let (Self::Command(text) | Self::Prompt { prompt: text, .. }) = self;
        text
    }

    /// Returns the exit word that a prompt starts with, whatever follows it.
    pub fn exit_word(&self) -> Option<&'static str> {
        let word = self.first_word()?;
        EXIT_WORDS.into_iter().find(|exit| *exit == word)
    }

    /// Returns whether the work is itself a loop.
    pub fn is_loop(&self) -> bool {
        self.first_word().is_some_and(|word| word == "/loop")
    }

    fn first_word(&self) -> Option<String> {
        let Self::Prompt { prompt, .. } = self else { return None };
        prompt.split_whitespace().next().map(str::to_lowercase)
    }
}

impl Repetition {
    /// Creates a repetition of this work until one of these ends applies. Any number of iterations may fail.
    pub const fn new(interval: Duration, work: RepeatedWork, ends: EndConditions) -> Self {
        Self { interval, work, ends, errors: None }
    }

    /// Sets the maximum number of consecutive failures; `None` means no limit.
    #[must_use]
    pub fn errors(self, errors: Option<NonZeroU64>) -> Self {
        Self { errors, ..self }
    }

    /// Returns the stop condition.
    ///
    /// # Errors
    /// A regular expression is invalid.
    pub fn until(&self) -> Result<RepetitionCondition, PatternError> {
        RepetitionCondition::new(self.ends.clone(), self.interval)
    }

    /// Builds the loop that repeats `once` until the condition holds.
    pub fn compose<I>(&self, once: I, until: RepetitionCondition) -> Loop<I, Step<I::Output>, Bounded>
    where
        I: Iteration,
    {
        // The goal includes that the last iteration did not fail, so the condition also halts.
        let repeated = Loop::new(once).until(until.clone()).guard(until).pace(self.interval);
        // The condition counts finished iterations. This bound also counts interrupted ones.
        let count = self.ends.count.map_or(u64::MAX, NonZeroU64::get);
        let bounded = match self.ends.time {
            Some(time) => repeated.at_most_for(time).at_most(count),
            None => repeated.at_most(count),
        };
        match self.errors {
            Some(errors) => bounded.guard(ConsecutiveFailures::new(errors.get())),
            None => bounded,
        }
    }
}
