//! The calls of an agent, as they happen.

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::tools::ToolOutcome;

/// The longest list of calls that have begun and not ended. Further calls are not paired with their results.
pub(super) const MAX_OPEN_CALLS: usize = 1000;

/// An event of a call: of one of an agent's tools, of the agent's command itself, of a check, or the agent's reply.
///
/// In contrast to an [`ActionLog`](super::ActionLog), the events are in their order and contain everything that the
/// agent called, also what it only looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum CallEvent<'a> {
    /// A call has begun.
    Began {
        /// The id that its end has as well. An id can be used again after that.
        id: &'a str,
        /// The name of the tool, or `command`, `check` or `reply`.
        call: &'a str,
        /// The arguments: an object for a tool, and the line of a command or a check.
        arguments: &'a Value,
    },
    /// A call has ended.
    Ended {
        /// The id that it began with.
        id: &'a str,
        /// How it ended. A command's exit code alone does not make a tool's call a failed one.
        outcome: ToolOutcome,
        /// The exit code of a command, as a shell would show it, if it is known.
        exit_code: Option<i32>,
        /// Why it failed or was rejected, or the text of a reply. Else empty.
        message: &'a str,
    },
}

impl<'a> CallEvent<'a> {
    /// Creates the event of a call that has begun.
    pub const fn began(id: &'a str, call: &'a str, arguments: &'a Value) -> Self {
        Self::Began { id, call, arguments }
    }

    /// Creates the event of a call that has ended.
    pub const fn ended(id: &'a str, outcome: ToolOutcome, exit_code: Option<i32>, message: &'a str) -> Self {
        Self::Ended { id, outcome, exit_code, message }
    }
}

/// The name under which the listener gets the agent's last words.
pub(super) const REPLY: &str = "reply";

type Listener = dyn Fn(CallEvent<'_>) + Send + Sync;

/// Receives the calls of an agent while it works. Clones call the same function. The agent waits for it.
///
/// # Default
/// Receives nothing.
#[derive(Clone, Default)]
pub struct CallListener(Option<Arc<Listener>>);

impl CallListener {
    /// Creates a listener from a function.
    pub fn new(listener: impl Fn(CallEvent<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    pub(crate) fn began(&self, id: &str, call: &str, arguments: &Value) {
        self.notify(CallEvent::began(id, call, arguments));
    }

    pub(crate) fn ended(&self, id: &str, outcome: ToolOutcome, exit_code: Option<i32>, message: &str) {
        self.notify(CallEvent::ended(id, outcome, exit_code, message));
    }

    /// Reports the agent's last words.
    pub(crate) fn replied(&self, words: &str) {
        self.began("", REPLY, &Value::Null);
        self.ended("", ToolOutcome::Done, None, words);
    }

    fn notify(&self, event: CallEvent<'_>) {
        if let Some(listener) = &self.0 {
            listener(event);
        }
    }
}

impl fmt::Debug for CallListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "CallListener" } else { "no listener" })
    }
}
