//! Passes what happened to the machine: results, cancellations and late usage.

use super::RunState;
use crate::{InputEffect, Machine, RunTime, Verdict, WorkError, WorkResult};

impl<O> RunState<O> {
    pub(super) fn iterated(&mut self, result: Result<O, WorkError>) {
        let (output, result) = WorkResult::from(result).split();
        self.run.set_output(output);
        let notes = self.run.work.take_boxed_notes();
        // The report that used up a shared budget may be the last of work that has succeeded.
        if matches!(result, WorkResult::Done(())) && self.run.end.is_only_exhausted() {
            self.answer_finished(|machine, at| machine.iterated(at, result, notes));
            self.run.tell_end(self.run.progress().now());
        } else {
            self.answer(|machine, at| machine.iterated(at, result, notes));
        }
    }

    pub(super) fn evaluated(&mut self, result: Result<Verdict, WorkError>) {
        let (result, notes) = (WorkResult::from(result), self.run.work.take_boxed_notes());
        self.answer_finished(|machine, at| machine.evaluated(at, result, notes));
    }

    /// Passes the result of the outstanding action to the machine. A cancellation goes first, so that nothing starts
    /// after it. Late usage goes first as well, so that none is lost at the end.
    pub(super) fn answer(&mut self, result: impl FnOnce(&mut Machine, RunTime) -> InputEffect) {
        let at = self.clock.now();
        self.run.tell_usage(at);
        // A cancelled wait or question needs no answer.
        if !matches!(self.run.tell_end(at), InputEffect::Due) {
            result(&mut self.run.machine, at);
        }
    }

    /// Passes the result of an evaluation to the machine. Only the end of the step follows, and a cancellation must not
    /// cut finished work, so a cancellation comes later.
    pub(super) fn answer_finished(&mut self, result: impl FnOnce(&mut Machine, RunTime) -> InputEffect) {
        let at = self.clock.now();
        self.run.tell_usage(at);
        result(&mut self.run.machine, at);
    }

    /// Tells the machine about usage that arrived while no work was running. Reads the clock only if there is such usage.
    pub(super) fn tell_usage(&mut self) {
        if self.run.work.has_notes() {
            self.run.tell_usage(self.clock.now());
        }
    }
}
