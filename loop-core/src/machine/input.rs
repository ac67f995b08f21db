//! The words between the machine and its driver.

use std::time::Duration;

use crate::{
    Answer, Ending, Halt, Question, Usage, Verdict,
    event::{Notes, WorkResult},
};

/// A report of a driver to the machine. Later versions may add inputs that drivers can ignore.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Input {
    /// Begin.
    Started,
    /// The iteration is over.
    Iterated {
        /// How it ended.
        result: WorkResult<()>,
        /// What else it says; its usage is what was not reported before.
        notes: Option<Box<Notes>>,
    },
    /// The evaluation is over.
    Evaluated {
        /// The verdict, or why there is none.
        result: WorkResult<Verdict>,
        /// What else it says; its usage is what was not reported before.
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
    /// Something was used, while work runs or after it.
    Reported {
        /// How much, beyond what was told before.
        usage: Usage,
    },
    /// The time in [`Machine::deadline`](crate::Machine::deadline) has come.
    DeadlinePassed,
    /// Somebody wants the run to end.
    Cancelled,
    /// The driver cannot go on. As [`Cancelled`](Self::Cancelled): nothing starts after it, and a step
    /// that is done is settled.
    Halted {
        /// Why.
        halt: Halt,
    },
    /// Go on with a run that was [restored](crate::Machine::restore).
    Resumed,
}

/// What the machine asks its driver to do. It asks for one thing at a time.
///
/// Later versions may add actions. A driver answers an action that it does not know with [`Input::Halted`]: the run ends,
/// and nothing new begins.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Run the iteration. Answer with [`Input::Iterated`].
    Iterate {
        /// Its index, from 1.
        iteration: u64,
        /// 1, and one more for each time that the run died in it.
        attempt: u32,
    },
    /// Judge the iteration's output. Answer with [`Input::Evaluated`].
    Evaluate,
    /// Ask the stop condition about the step, which is
    /// [`Progress::current_step`](crate::Progress::current_step) now. Answer with [`Input::Settled`].
    Settle,
    /// Wait. Answer with [`Input::Waited`], or with [`Input::DeadlinePassed`] if that comes first.
    Wait(Duration),
    /// Ask a person. Run time stands still meanwhile. Answer with [`Input::Answered`].
    Ask(Box<Question>),
    /// Tell the work in progress to end, and end it if it does not. Answer as its end is answered.
    Interrupt {
        /// How the run will end for it.
        cause: Box<Ending>,
    },
    /// The run is over.
    Finish(Box<Ending>),
}

/// The consequence of an input.
#[derive(Debug)]
pub(crate) enum Told {
    /// The outstanding action still stands.
    Unchanged,
    /// The work in progress has to end, and the run ends for this.
    Interrupt(Box<Ending>),
    /// Nothing is in progress: [`decide`](crate::Machine::decide) says what comes next.
    Due,
}
