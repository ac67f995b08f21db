//! Passes what happened to the machine: results, cancellations and late usage.

use std::sync::Arc;

use super::RunState;
use crate::{Input, Machine, Phase, RunTime, Verdict, WorkError, WorkResult, machine::InputEffect};

impl<O> RunState<O> {
    pub(super) fn iterated(&mut self, result: Result<O, WorkError>) {
        let result = match result {
            Ok(output) => {
                self.output = Some(Arc::new(output));
                WorkResult::Done(())
            }
            Err(error) => error.into(),
        };
        let notes = self.signals.work.take_boxed_notes();
        // The report that used up a shared budget may be the last of work that has succeeded.
        if matches!(result, WorkResult::Done(())) && self.signals.end.is_only_exhausted() {
            self.answer_finished(|machine, at| machine.iterated(at, result, notes));
            self.tell_cancel();
        } else {
            self.answer(|machine, at| machine.iterated(at, result, notes));
        }
    }

    pub(super) fn evaluated(&mut self, result: Result<Verdict, WorkError>) {
        let result = match result {
            Ok(verdict) => WorkResult::Done(verdict),
            Err(error) => error.into(),
        };
        let notes = self.signals.work.take_boxed_notes();
        self.answer_finished(|machine, at| machine.evaluated(at, result, notes));
    }

    /// Passes the result of the outstanding action to the machine. A cancellation goes first, so that nothing starts
    /// after it. Late usage goes first as well, so that none is lost at the end.
    pub(super) fn answer(&mut self, result: impl FnOnce(&mut Machine, RunTime) -> InputEffect) {
        let at = self.signals.clock.now();
        self.tell_usage();
        // A cancelled wait or question needs no answer.
        if !matches!(self.tell_cancel(), InputEffect::Due) {
            result(&mut self.machine, at);
        }
    }

    /// Passes the result of an evaluation to the machine. Only the end of the step follows, and a cancellation must not
    /// cut finished work, so a cancellation comes later.
    pub(super) fn answer_finished(&mut self, result: impl FnOnce(&mut Machine, RunTime) -> InputEffect) {
        let at = self.signals.clock.now();
        self.tell_usage();
        result(&mut self.machine, at);
    }

    /// Tells the machine once that the run has to end, if it has. An ended run ignores cancellations.
    pub(super) fn tell_cancel(&mut self) -> InputEffect {
        // An ended run that is about to resume would miss the cancellation, and the machine hears of it only once.
        let over = self.machine.progress().phase() == Phase::Ended;
        if self.cancelled || over || !self.signals.end.is_requested() {
            return InputEffect::Unchanged;
        }
        self.cancelled = true;
        self.machine.tell(self.signals.clock.now(), self.signals.end.input())
    }

    /// Passes usage to the machine that arrived while no work was running. Usage from running work goes through
    /// `supervise_work`, or belongs to the end of the work.
    #[inline]
    pub(super) fn tell_usage(&mut self) {
        if self.signals.work.has_notes() {
            self.tell_noted_usage();
        }
    }

    #[cold]
    fn tell_noted_usage(&mut self) {
        if let Phase::Working(_) = self.machine.progress().phase() {
            return;
        }
        let usage = self.signals.work.take_usage();
        if !usage.is_unknown() {
            self.machine.tell(self.signals.clock.now(), Input::Reported { usage });
        }
    }
}
