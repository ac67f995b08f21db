//! Which action an answer belongs to.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Action, Input, Machine};
use crate::{Phase, StepRecord, event::Stage};

/// Identifies one action of a run, so that its answer counts exactly once.
///
/// A message queue may deliver an answer twice, and a worker that everybody thought dead may answer late. The machine
/// [refuses](RefusedAnswer) both. [`Machine::outstanding`] returns the id of the action that waits for its answer.
///
/// As JSON: `{"iteration":3,"attempt":1,"event":17}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ActionId {
    /// The index of the iteration that the action belongs to, from 1. 0 for the evaluation before the first iteration.
    pub iteration: u64,
    /// 1, plus one for each time that the run died in this work.
    pub attempt: u32,
    /// The [number](crate::Event::sequence) of the event after which the action is outstanding. It distinguishes work
    /// that was deferred from its next try, and several questions before one iteration.
    pub event: u64,
}

impl fmt::Display for ActionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "iteration {}, attempt {} (event {})", self.iteration, self.attempt, self.event)
    }
}

/// The error for an answer that does not belong to the outstanding action. Nothing has changed: drop the answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the answer `{answer}` to {id} is refused: {why}")]
pub struct RefusedAnswer {
    answer: &'static str,
    id: ActionId,
    why: Refusal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Refusal {
    #[error("no action waits for an answer; start or resume the run first")]
    Nothing,
    #[error("that action has its answer, or the run went on without it; `{0}` of {1} is outstanding")]
    Over(&'static str, ActionId),
    #[error(
        "this run has not begun such an action; `{0}` of {1} is outstanding; is the answer from another run?"
    )]
    Unknown(&'static str, ActionId),
    #[error("that action is `{0}`, which has another kind of answer")]
    Kind(&'static str),
    #[error("it needs the output: call `Run::iterated`, `Run::evaluated` or `Run::settle` instead")]
    Typed,
}

impl RefusedAnswer {
    /// Returns the id in the answer.
    pub const fn id(&self) -> ActionId {
        self.id
    }

    /// An answer that [`Run`](crate::Run) takes through another method.
    pub(crate) const fn typed(input: &Input, id: ActionId) -> Self {
        Self { answer: input.name(), id, why: Refusal::Typed }
    }
}

impl Machine {
    /// Returns the action that the driver has to carry out now, with the id for its answer. Returns `None` before the
    /// run has started, and between two actions.
    ///
    /// A driver that stores the events or a [snapshot](Self::snapshot) before it begins an action may die between the
    /// two. After [`restore`](Self::restore), it can then carry out this action, instead of passing
    /// [`Input::Resumed`], which would count the work as dead. Of a wait, only the rest is left.
    ///
    /// ```
    /// use std::time::Duration;
    /// use loop_core::{Action, Event, Input, Machine, RunTime, WorkResult};
    /// let machine = || Machine::new(Vec::new(), Box::new(Duration::ZERO), false);
    /// let mut run = machine();
    /// run.handle(RunTime::ZERO, Input::Started)?;
    /// let stored: Vec<Event> = run.take_events().collect();
    ///
    /// // The driver dies before the work begins. The next one finds the work, still as the first attempt.
    /// let mut run = machine();
    /// run.restore(&stored)?;
    /// let (id, action) = run.outstanding().ok_or("no action")?;
    /// assert_eq!(action, Action::Iterate { iteration: 1, attempt: 1 });
    ///
    /// let answer = Input::Iterated { id, result: WorkResult::Done(()), notes: None };
    /// assert_eq!(run.handle(RunTime::from_micros(9), answer.clone())?, Some(Action::Settle));
    /// // The answer comes twice.
    /// assert!(run.handle(RunTime::from_micros(9), answer).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn outstanding(&self) -> Option<(ActionId, Action)> {
        let progress = &self.progress;
        let id = progress.action_id()?;
        let action = match progress.phase {
            Phase::New | Phase::Before(_) => return None,
            Phase::Working(_) if progress.is_interrupted() => {
                Action::Interrupt { cause: Box::new(progress.due.clone()?) }
            }
            Phase::Working(Stage::Iteration) => {
                Action::Iterate { iteration: id.iteration, attempt: id.attempt }
            }
            Phase::Working(Stage::Evaluation) => Action::Evaluate,
            Phase::Settling => Action::Settle,
            Phase::Waiting(_) => Action::Wait(progress.wait_left()),
            Phase::Asking => Action::Ask(progress.open_question()?),
            Phase::Ended => Action::Finish(Box::new(progress.ending().cloned()?)),
        };
        Some((id, action))
    }

    /// Checks that this answer belongs to the outstanding action.
    pub(crate) fn check_answer(&self, input: &Input, id: ActionId) -> Result<(), RefusedAnswer> {
        let refused = |why| Err(RefusedAnswer { answer: input.name(), id, why });
        let Some(outstanding) = self.progress.action_id() else { return refused(Refusal::Nothing) };
        let action = self.progress.action_name();
        if outstanding != id {
            return refused(match id.event <= self.progress.sequence {
                true => Refusal::Over(action, outstanding),
                false => Refusal::Unknown(action, outstanding),
            });
        }
        let fits = match input {
            Input::Iterated { .. } => self.progress.phase == Phase::Working(Stage::Iteration),
            Input::Evaluated { .. } => self.progress.phase == Phase::Working(Stage::Evaluation),
            Input::Settled { .. } => self.progress.phase == Phase::Settling,
            Input::Waited { .. } => matches!(self.progress.phase, Phase::Waiting(_)),
            Input::Answered { .. } => self.progress.phase == Phase::Asking,
            _ => true,
        };
        if fits { Ok(()) } else { refused(Refusal::Kind(action)) }
    }
}

impl crate::Progress {
    /// Returns the id of the outstanding action.
    fn action_id(&self) -> Option<ActionId> {
        let iteration = match self.phase {
            Phase::New | Phase::Before(_) => return None,
            Phase::Asking | Phase::Waiting(Stage::Iteration) | Phase::Working(Stage::Iteration) => {
                self.iterations() + 1
            }
            Phase::Waiting(Stage::Evaluation) | Phase::Working(Stage::Evaluation) | Phase::Settling => {
                self.current_step().map_or(0, StepRecord::iteration)
            }
            Phase::Ended => self.iterations(),
        };
        Some(ActionId { iteration, attempt: self.next.deaths + 1, event: self.action })
    }

    /// Returns the name of the outstanding action, as it is in JSON.
    const fn action_name(&self) -> &'static str {
        match self.phase {
            Phase::Working(Stage::Iteration) => "iterate",
            Phase::Working(Stage::Evaluation) => "evaluate",
            Phase::Settling => "settle",
            Phase::Waiting(_) => "wait",
            Phase::Asking => "ask",
            Phase::New | Phase::Before(_) | Phase::Ended => "finish",
        }
    }
}
