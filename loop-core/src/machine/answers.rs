//! The answers to actions. Each does nothing if it does not fit the phase.

use super::{InputEffect, Machine};
use crate::{
    Answer, EventKind, RunTime, Verdict, WorkResult,
    event::{Notes, Stage},
    progress::Phase,
};

impl Machine {
    /// Handles [`Input::Iterated`].
    #[inline]
    pub(crate) fn iterated(
        &mut self,
        at: RunTime,
        result: WorkResult<()>,
        notes: Option<Box<Notes>>,
    ) -> InputEffect {
        if self.progress.phase != Phase::Working(Stage::Iteration) {
            return InputEffect::Unchanged;
        }
        if self.progress.is_interrupted() {
            return self.cut(at, notes);
        }
        self.fact(at, EventKind::IterationFinished { result: result.recorded(), notes })
    }

    /// Handles [`Input::Evaluated`].
    #[inline]
    pub(crate) fn evaluated(
        &mut self,
        at: RunTime,
        result: WorkResult<Verdict>,
        notes: Option<Box<Notes>>,
    ) -> InputEffect {
        if self.progress.phase != Phase::Working(Stage::Evaluation) {
            return InputEffect::Unchanged;
        }
        if self.progress.is_interrupted() {
            return self.cut(at, notes);
        }
        self.fact(at, EventKind::EvaluationFinished { result: result.recorded(), notes })
    }

    /// Handles [`Input::Settled`].
    #[inline]
    pub(crate) fn settled(&mut self, at: RunTime, met: bool, by: Option<Box<str>>) -> InputEffect {
        if self.progress.phase != Phase::Settling {
            return InputEffect::Unchanged;
        }
        self.fact(at, EventKind::StepSettled { met, by })
    }

    /// Handles [`Input::Waited`].
    pub(crate) fn waited(&mut self, at: RunTime) -> InputEffect {
        match self.progress.phase {
            Phase::Waiting(_) => self.fact(at, EventKind::WaitFinished {}),
            _ => InputEffect::Unchanged,
        }
    }

    /// Handles [`Input::Answered`].
    pub(crate) fn answered(&mut self, at: RunTime, answer: Option<Answer>) -> InputEffect {
        match self.progress.phase {
            Phase::Asking => self.fact(at, EventKind::QuestionAnswered { answer }),
            _ => InputEffect::Unchanged,
        }
    }
}
