//! The answers to actions, and other inputs of a run: what is passed on to the machine, and in which order.

use super::Run;
use crate::{
    Action, ActionId, Input, InputEffect, Notes, Phase, RefusedAnswer, RunTime, Verdict, WorkResult,
};

impl<O> Run<O> {
    /// Handles an input and returns the next action, as [`Machine::handle`](crate::Machine::handle) does. A request to
    /// end the run goes first, so that nothing begins after it, and so does usage that arrived while no work was running.
    /// If one of these ends the action that the input answers, the answer is dropped.
    ///
    /// # Errors
    /// [`RefusedAnswer`] if the input is an answer to another action than the outstanding one, or one that
    /// [`iterated`](Self::iterated), [`evaluated`](Self::evaluated) or [`settle`](Self::settle) takes. Nothing has changed
    /// then.
    pub fn handle(&mut self, at: RunTime, input: Input) -> Result<Option<Action>, RefusedAnswer> {
        if let Input::Iterated { id, .. } | Input::Evaluated { id, .. } | Input::Settled { id, .. } = input {
            return Err(RefusedAnswer::typed(&input, id));
        }
        if let Some(id) = input.id() {
            self.machine.check_answer(&input, id)?;
        }
        let noted = match (self.tell_usage(at), self.tell_end(at)) {
            (noted, InputEffect::Unchanged) => noted,
            (_, ended) => ended,
        };
        let effect = match input {
            Input::Cancelled | Input::Halted { .. } if self.end.is_told => noted,
            // The end of the previous work took what it had reported.
            Input::Reported { usage } if usage.is_unknown() => noted,
            answer if answer.id().is_some() && noted == InputEffect::Due => noted,
            input => match (self.machine.tell(at, input)?, noted) {
                (InputEffect::Unchanged, noted) => noted,
                (effect, _) => effect,
            },
        };
        Ok(self.after(at, effect))
    }

    /// Refuses a wrong answer while the machine is still to hear that the run has to end: it hears of that only once, and
    /// the driver of a refused answer would not hear what follows from it.
    fn refuse_before_end(&mut self, answer: &Input) -> Result<(), RefusedAnswer> {
        match answer.id() {
            Some(id) if !self.end.is_told && self.end.is_requested() => self.machine.check_answer(answer, id),
            _ => Ok(()),
        }
    }

    fn after(&mut self, at: RunTime, effect: InputEffect) -> Option<Action> {
        match effect {
            InputEffect::Unchanged => None,
            InputEffect::Interrupt(cause) => {
                self.work.interrupt();
                self.held_until = None;
                self.dropped_at = Some(at.after(self.grace));
                Some(Action::Interrupt { cause })
            }
            InputEffect::Due => self.decide(at),
        }
    }

    /// Handles the end of an iteration, and returns the next action. `notes` are those of
    /// [`Work::take_notes`](crate::Work::take_notes), or what a worker elsewhere sent.
    ///
    /// # Errors
    /// [`RefusedAnswer`] if `id` is not the id of the outstanding iteration.
    pub fn iterated(
        &mut self,
        at: RunTime,
        id: ActionId,
        result: WorkResult<O>,
        notes: Notes,
    ) -> Result<Option<Action>, RefusedAnswer> {
        let (output, result) = result.split();
        // The report that used up a shared budget may be the last of work that has succeeded.
        let is_kept = output.is_some() && self.end.is_only_exhausted();
        let answer = Input::Iterated { id, result, notes: notes.boxed() };
        if !is_kept {
            self.refuse_before_end(&answer)?;
            self.tell_end(at);
        }
        let effect = self.machine.tell(at, answer)?;
        self.held_until = None;
        self.set_output(output);
        if is_kept {
            self.tell_end(at);
        }
        Ok(self.after(at, effect))
    }

    /// Handles the end of an evaluation, and returns the next action: see [`iterated`](Self::iterated).
    ///
    /// # Errors
    /// [`RefusedAnswer`] if `id` is not the id of the outstanding evaluation.
    pub fn evaluated(
        &mut self,
        at: RunTime,
        id: ActionId,
        result: WorkResult<Verdict>,
        notes: Notes,
    ) -> Result<Option<Action>, RefusedAnswer> {
        let effect = self.machine.tell(at, Input::Evaluated { id, result, notes: notes.boxed() })?;
        self.held_until = None;
        // A cancellation must not cut finished work, so it comes when the step is settled. A deferred check is not finished.
        if self.progress().phase() != Phase::Settling {
            self.tell_end(at);
        }
        Ok(self.after(at, effect))
    }

    /// Asks the stop condition about the step, and returns the next action. Returns `None` if no step is to be settled.
    pub fn settle(&mut self, at: RunTime) -> Option<Action> {
        if self.progress().phase() != Phase::Settling {
            return None;
        }
        self.tell_usage(at);
        self.observe_events();
        let step = self.finished_step();
        let by = self.decided_by(&step);
        self.tell_usage(at);
        self.tell_end(at);
        self.machine.settled(at, by.is_some(), by);
        self.settled(step);
        self.decide(at)
    }
}
