//! The inputs and actions that the machine and its driver exchange.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ActionId;
use crate::{
    Answer, Ending, Halt, Question, Usage, Verdict,
    event::{Notes, WorkResult},
    run_time::micros,
};

/// A report of a driver to the machine. Later versions may add inputs that drivers can ignore.
///
/// An answer carries the [id](ActionId) of its action: see [`Machine::outstanding`](crate::Machine::outstanding).
///
/// As JSON: `{"iterated":{"id":{"iteration":3,"attempt":1,"event":17},"result":{"done":null},"notes":null}}`, or
/// `"cancelled"`. See [`Versioned`](crate::Versioned).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Input {
    /// The run begins.
    Started,
    /// The iteration is over.
    Iterated {
        /// The action that this answers.
        id: ActionId,
        /// The result.
        result: WorkResult<()>,
        /// Further facts about the work. The usage excludes amounts that were reported before.
        notes: Option<Box<Notes>>,
    },
    /// The evaluation is over.
    Evaluated {
        /// The action that this answers.
        id: ActionId,
        /// The verdict, or the reason why there is none.
        result: WorkResult<Verdict>,
        /// Further facts about the work. The usage excludes amounts that were reported before.
        notes: Option<Box<Notes>>,
    },
    /// The stop condition was asked.
    Settled {
        /// The action that this answers.
        id: ActionId,
        /// Whether the goal is met.
        met: bool,
        /// The name of the condition that decided, if the goal is met and the name is known.
        by: Option<Box<str>>,
    },
    /// The wait is over.
    Waited {
        /// The action that this answers.
        id: ActionId,
    },
    /// The question was answered.
    Answered {
        /// The action that this answers.
        id: ActionId,
        /// The answer; `None` if nobody was there.
        answer: Option<Answer>,
    },
    /// Usage was reported, during work or after it.
    Reported {
        /// The usage since the last report.
        usage: Usage,
    },
    /// The time in [`Machine::deadline`](crate::Machine::deadline) has come.
    DeadlinePassed,
    /// The run was asked to end.
    Cancelled,
    /// The driver cannot continue. Like [`Cancelled`](Self::Cancelled), this starts nothing more, and a finished step
    /// is still settled.
    Halted {
        /// The reason.
        halt: Halt,
    },
    /// The run, which was [restored](crate::Machine::restore), continues.
    Resumed,
}

impl Input {
    /// Returns the id of the action that this answers, if it is an answer.
    pub const fn id(&self) -> Option<ActionId> {
        match self {
            Self::Iterated { id, .. }
            | Self::Evaluated { id, .. }
            | Self::Settled { id, .. }
            | Self::Waited { id }
            | Self::Answered { id, .. } => Some(*id),
            _ => None,
        }
    }

    /// Returns the name of this input, as it is in JSON.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Iterated { .. } => "iterated",
            Self::Evaluated { .. } => "evaluated",
            Self::Settled { .. } => "settled",
            Self::Waited { .. } => "waited",
            Self::Answered { .. } => "answered",
            Self::Reported { .. } => "reported",
            Self::DeadlinePassed => "deadline_passed",
            Self::Cancelled => "cancelled",
            Self::Halted { .. } => "halted",
            Self::Resumed => "resumed",
        }
    }
}

/// An action that the machine requests from its driver, one at a time.
///
/// Later versions may add actions. A driver answers an unknown action with [`Input::Halted`]: the run ends, and nothing
/// new begins.
///
/// As JSON: `{"iterate":{"iteration":3,"attempt":1}}`, `{"wait":1500000}` in microseconds, or `"settle"`. See
/// [`Versioned`](crate::Versioned).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// Run the iteration. Answer with [`Input::Iterated`].
    Iterate {
        /// Its index, from 1.
        iteration: u64,
        /// 1, plus one for each time that the run died in it.
        attempt: u32,
    },
    /// Judge the iteration's output. Answer with [`Input::Evaluated`].
    Evaluate,
    /// Ask the stop condition about the step, which is [`Progress::current_step`](crate::Progress::current_step) now.
    /// Answer with [`Input::Settled`].
    Settle,
    /// Wait. Answer with [`Input::Waited`] (a late one is refused), or with [`Input::DeadlinePassed`] if that comes first.
    Wait(#[serde(with = "micros")] Duration),
    /// Ask a person. Run time stops meanwhile. Answer with [`Input::Answered`].
    Ask(Box<Question>),
    /// Ask the work in progress to end, and drop it if it does not. Answer as for its normal end.
    Interrupt {
        /// The ending that the run will have.
        cause: Box<Ending>,
    },
    /// The run is over.
    Finish(Box<Ending>),
}

/// The consequence of an input, from [`Machine::tell`](crate::Machine::tell).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputEffect {
    /// The outstanding action stays the same.
    Unchanged,
    /// The work in progress has to end, and then the run, with this ending.
    Interrupt(Box<Ending>),
    /// Nothing is in progress: call [`decide`](crate::Machine::decide) for the next action.
    Due,
}
