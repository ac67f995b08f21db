//! The inputs and actions that the machine and its driver exchange.

use std::time::Duration;

use crate::{
    Answer, Ending, Halt, Question, Usage, Verdict,
    event::{Notes, WorkResult},
};

/// A report of a driver to the machine. Later versions may add inputs that drivers can ignore.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Input {
    /// The run begins.
    Started,
    /// The iteration is over.
    Iterated {
        /// The result.
        result: WorkResult<()>,
        /// Further facts about the work. The usage excludes amounts that were reported before.
        notes: Option<Box<Notes>>,
    },
    /// The evaluation is over.
    Evaluated {
        /// The verdict, or the reason why there is none.
        result: WorkResult<Verdict>,
        /// Further facts about the work. The usage excludes amounts that were reported before.
        notes: Option<Box<Notes>>,
    },
    /// The stop condition was asked.
    Settled {
        /// Whether the goal is met.
        met: bool,
        /// The name of the condition that decided, if the goal is met and the name is known.
        by: Option<Box<str>>,
    },
    /// The wait is over.
    Waited,
    /// The question was answered.
    Answered {
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

/// An action that the machine requests from its driver, one at a time.
///
/// Later versions may add actions. A driver answers an unknown action with [`Input::Halted`]: the run ends, and nothing
/// new begins.
#[derive(Debug, Clone, PartialEq)]
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
    /// Wait. Answer with [`Input::Waited`], or with [`Input::DeadlinePassed`] if that comes first.
    Wait(Duration),
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

/// The consequence of an input.
#[derive(Debug)]
pub(crate) enum InputEffect {
    /// The outstanding action stays the same.
    Unchanged,
    /// The work in progress has to end, and then the run, with this ending.
    Interrupt(Box<Ending>),
    /// Nothing is in progress: call [`decide`](crate::Machine::decide) for the next action.
    Due,
}
