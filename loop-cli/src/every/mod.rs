//! Something repeated on an interval: a loop without a check, whose count is its goal.

mod lines;
mod rhythm;
mod until;

use std::{num::NonZeroU64, time::Duration};

use loop_agents::output::PatternError;
use loop_core::{Bounded, Iteration, Loop, Step};
use loop_guardrails::ConsecutiveFailures;
use serde::{Deserialize, Serialize};

use loop_manifest::model::Conversation;

pub(crate) use self::{
    lines::{Lines, left, over, plan},
    rhythm::{RhythmError, count, default_count, interval},
    until::{Ends, Until},
};

/// As what a repetition is kept, where others have the path of their manifest.
pub(crate) const KEPT_AS: &str = "loop every";

/// What is repeated, how often, and when it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Repetition {
    /// The time from the end of one iteration to the start of the next.
    pub(crate) interval: Duration,
    pub(crate) what: What,
    /// When it is over. By its count or its time in any case.
    pub(crate) ends: Ends,
    /// How many iterations may fail in a row.
    pub(crate) errors: Option<NonZeroU64>,
}

/// What is repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// A command line for a shell.
    Command(String),
    /// A turn of a conversation.
    Prompt {
        prompt: String,
        conversation: Conversation,
        /// Each turn begins with the same history, which is none.
        fresh: bool,
    },
}

/// The words that leave a session, which end a loop and are said to nobody.
const EXIT_WORDS: [&str; 3] = ["/exit", "/quit", "/bye"];

impl What {
    /// The line or the prompt.
    pub(crate) fn text(&self) -> &str {
        let (Self::Command(text) | Self::Prompt { prompt: text, .. }) = self;
        text
    }

    /// The word of a prompt that would leave a session, whatever stands behind it.
    pub(crate) fn exit_word(&self) -> Option<&'static str> {
        let word = self.first_word()?;
        EXIT_WORDS.into_iter().find(|exit| *exit == word)
    }

    /// Whether it is a loop itself.
    pub(crate) fn is_loop(&self) -> bool {
        self.first_word().is_some_and(|word| word == "/loop")
    }

    fn first_word(&self) -> Option<String> {
        let Self::Prompt { prompt, .. } = self else { return None };
        prompt.split_whitespace().next().map(str::to_lowercase)
    }
}

impl Repetition {
    /// When it ends.
    ///
    /// # Errors
    /// A regular expression that is none.
    pub(crate) fn until(&self) -> Result<Until, PatternError> {
        Until::new(self.ends.clone(), self.interval)
    }

    /// The loop that does `once` again and again until then.
    pub(crate) fn of<I>(&self, once: I, until: Until) -> Loop<I, Step<I::Output>, Bounded>
    where
        I: Iteration,
    {
        let repeated = Loop::new(once).until(until).pace(self.interval);
        // Whatever happens, there is no more of it than this.
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
