//! Repeats: a prompt or a command on an interval, as a loop without a check whose count is its goal.

mod rhythm;
mod until;
mod words;

use std::{num::NonZeroU64, time::Duration};

use loop_agents::output::PatternError;
use loop_core::{Bounded, Iteration, Loop, Step};
use loop_guardrails::ConsecutiveFailures;
use serde::{Deserialize, Serialize};

use loop_manifest::model::Conversation;

pub use self::{
    rhythm::{DEFAULT_COUNT, MAX_COUNT, RhythmError, count, interval},
    until::{EndedBy, Ends, Until, failure},
    words::{RepetitionLines, left, over, plan},
};

/// Describes what is repeated, how often, and when it ends. A run keeps it as JSON, to be resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Repetition {
    /// The time from the end of one iteration to the start of the next.
    pub interval: Duration,
    /// What is repeated.
    #[serde(rename = "what")]
    pub work: RepeatedWork,
    /// What ends it. A repetition without a count and without a time has no end of its own.
    pub ends: Ends,
    /// The most iterations in a row that may fail; `None` for any number.
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
        /// What is said to the model.
        prompt: String,
        /// The model, and its tools.
        conversation: Conversation,
        /// Each turn begins with an empty history.
        fresh: bool,
    },
}

/// The words that leave a session. They end a loop, and no model is told them.
const EXIT_WORDS: [&str; 3] = ["/exit", "/quit", "/bye"];

impl RepeatedWork {
    /// Returns the command line or the prompt.
    pub fn text(&self) -> &str {
        let (Self::Command(text) | Self::Prompt { prompt: text, .. }) = self;
        text
    }

    /// Returns the word of a prompt that would leave a session, whatever follows it.
    pub fn exit_word(&self) -> Option<&'static str> {
        let word = self.first_word()?;
        EXIT_WORDS.into_iter().find(|exit| *exit == word)
    }

    /// Returns whether it is a loop itself.
    pub fn is_loop(&self) -> bool {
        self.first_word().is_some_and(|word| word == "/loop")
    }

    fn first_word(&self) -> Option<String> {
        let Self::Prompt { prompt, .. } = self else { return None };
        prompt.split_whitespace().next().map(str::to_lowercase)
    }
}

impl Repetition {
    /// Repeats this work until one of these ends it. Any number of iterations may fail.
    pub const fn new(interval: Duration, work: RepeatedWork, ends: Ends) -> Self {
        Self { interval, work, ends, errors: None }
    }

    /// Sets the most iterations in a row that may fail; `None` for any number.
    #[must_use]
    pub fn errors(self, errors: Option<NonZeroU64>) -> Self {
        Self { errors, ..self }
    }

    /// Returns the condition that ends it.
    ///
    /// # Errors
    /// A regular expression is wrong.
    pub fn until(&self) -> Result<Until, PatternError> {
        Until::new(self.ends.clone(), self.interval)
    }

    /// Makes the loop that does `once` again and again until then.
    pub fn compose<I>(&self, once: I, until: Until) -> Loop<I, Step<I::Output>, Bounded>
    where
        I: Iteration,
    {
        let repeated = Loop::new(once).until(until).pace(self.interval);
        // The condition counts finished iterations. This bound also counts those that were cut.
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
