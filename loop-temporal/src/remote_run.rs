//! A run whose work happens elsewhere, and whose outputs are JSON.

use std::{
    any::Any,
    pin::pin,
    task::{Context, Waker},
};

use loop_core::{
    Action, ActionId, BoxError, Event, Input, Phase, Progress, Run, RunTime, StepRecord, Usage, Verdict,
    Versioned, WorkResult,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Cut, RunState, StepAnswer, StepKind, Work};

/// A [`Run`] without the type of its outputs: the workflow drives it.
pub trait RemoteRun: Any {
    /// Starts a new run, or resumes a restored one.
    fn begin(&mut self, at: RunTime);

    /// Returns the action to carry out.
    fn outstanding(&self) -> Option<(ActionId, Action)>;

    /// Returns the state of the run.
    fn progress(&self) -> &Progress;

    /// Handles what is due at this time: a deadline, a request to end, the end of a wait.
    fn look(&mut self, at: RunTime);

    /// Returns when to [look](Self::look) again.
    fn wakes_at(&self) -> Option<RunTime>;

    /// Handles an input that is no result of a step. A refused answer changes nothing: it came twice, or too late.
    fn handle(&mut self, at: RunTime, input: Input);

    /// Handles usage of the outstanding step.
    fn report(&mut self, at: RunTime, usage: Usage);

    /// Describes the work of the outstanding step for a worker.
    ///
    /// # Errors
    /// An output cannot be written as JSON.
    fn work(&self) -> Result<Option<Work>, BoxError>;

    /// Returns the state of the run before an iteration or after its end. `None` if a part of it has no snapshot.
    ///
    /// # Errors
    /// The output cannot be written as JSON.
    fn state(&mut self) -> Result<Option<RunState>, BoxError>;

    /// Handles the result of the outstanding step.
    ///
    /// # Errors
    /// The result has another type.
    fn answer(&mut self, at: RunTime, id: ActionId, answer: StepAnswer) -> Result<(), BoxError>;

    /// Asks the stop condition about the step.
    fn settle(&mut self, at: RunTime);

    /// Returns the new events.
    fn take_events(&mut self) -> Vec<Event>;
}

impl<O> RemoteRun for Run<O>
where
    O: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    fn begin(&mut self, at: RunTime) {
        Self::begin(self, at);
    }

    fn outstanding(&self) -> Option<(ActionId, Action)> {
        Self::outstanding(self)
    }

    fn progress(&self) -> &Progress {
        Self::progress(self)
    }

    fn look(&mut self, at: RunTime) {
        let mut cx = Context::from_waker(Waker::noop());
        // The work itself is elsewhere, so its end is not to be seen here.
        let _ = self.poll(at, &mut cx, pin!(std::future::pending::<()>()));
    }

    fn wakes_at(&self) -> Option<RunTime> {
        // The worker ends interrupted work after its grace time, and the workflow waits for that end.
        Self::wakes_at(self).filter(|_| !self.progress().is_interrupted())
    }

    fn handle(&mut self, at: RunTime, input: Input) {
        // A refused answer changes nothing.
        let _ = Self::handle(self, at, input);
    }

    fn report(&mut self, at: RunTime, usage: Usage) {
        self.count(usage);
        let usage = Self::work(self).take_usage();
        RemoteRun::handle(self, at, Input::Reported { usage });
    }

    fn work(&self) -> Result<Option<Work>, BoxError> {
        work_of(self)
    }

    fn state(&mut self) -> Result<Option<RunState>, BoxError> {
        let Ok(snapshot) = self.snapshot() else { return Ok(None) };
        let cx = self.iteration_context(self.progress().iterations(), 1);
        let output = json(self.output().or_else(|| cx.last_output()))?;
        Ok(Some(RunState { snapshot: Versioned::new(snapshot), output }))
    }

    fn answer(&mut self, at: RunTime, id: ActionId, answer: StepAnswer) -> Result<(), BoxError> {
        let deadline = self.machine().deadline();
        let stage = Self::outstanding(self);
        let mut notes = answer.notes.clone();
        self.count(notes.usage);
        notes.usage = Self::work(self).take_usage();
        match answer.cut {
            // The clock of the worker was ahead.
            Some(Cut::Deadline) => {
                let passed = deadline.map_or(at, |deadline| deadline.max(at));
                RemoteRun::handle(self, passed, Input::DeadlinePassed);
            }
            Some(Cut::Usage) => {
                let usage = std::mem::take(&mut notes.usage);
                RemoteRun::handle(self, at, Input::Reported { usage });
            }
            Some(Cut::Cancelled) | None => {}
        }
        let is_check = match stage {
            Some((_, Action::Evaluate)) => true,
            Some((_, Action::Interrupt { .. })) => {
                self.progress().phase() == Phase::Working(loop_core::Stage::Evaluation)
            }
            _ => false,
        };
        // A refused answer changes nothing.
        if is_check {
            let result: WorkResult<Verdict> = answer.typed()?;
            let _ = self.evaluated(at, id, result, notes);
        } else {
            let result: WorkResult<O> = answer.typed()?;
            let _ = self.iterated(at, id, result, notes);
        }
        Ok(())
    }

    fn settle(&mut self, at: RunTime) {
        Self::settle(self, at);
    }

    fn take_events(&mut self) -> Vec<Event> {
        Self::take_events(self).collect()
    }
}

/// The bookkeeping that [`Run`] does for work in its own process.
trait Counting {
    /// Adds usage to the budgets of the run, as a meter of its own work does.
    fn count(&self, usage: Usage);
}

impl<O> Counting for Run<O> {
    fn count(&self, usage: Usage) {
        let iteration = self.outstanding().map_or(0, |(id, _)| id.iteration);
        self.iteration_context(iteration, 1).meter().add(usage);
    }
}

fn json<T: Serialize>(value: Option<&T>) -> Result<Option<Value>, BoxError> {
    Ok(value.map(serde_json::to_value).transpose()?)
}

fn work_of<O: Serialize>(run: &Run<O>) -> Result<Option<Work>, BoxError> {
    match run.outstanding() {
        Some((_, Action::Iterate { iteration, attempt })) => {
            let cx = run.iteration_context(iteration, attempt);
            let is_last = |step: &loop_core::Step<O>| step.output().is_some();
            Ok(Some(Work {
                kind: StepKind::Iterate,
                iteration,
                attempt,
                left: cx.left().into(),
                guidance: cx.guidance().map(Into::into),
                previous: cx.previous().map(|step| StepRecord::clone(step)),
                has_previous_output: cx.previous().is_some_and(is_last),
                output: json(cx.last_output())?,
            }))
        }
        Some((id, Action::Evaluate)) => {
            let Some(cx) = run.evaluation_context() else { return Ok(None) };
            Ok(Some(Work {
                kind: StepKind::Evaluate,
                iteration: cx.iteration(),
                attempt: id.attempt,
                left: cx.left().into(),
                guidance: None,
                previous: cx.previous().map(|step| StepRecord::clone(step)),
                has_previous_output: false,
                output: json(Some(cx.output()))?,
            }))
        }
        _ => Ok(None),
    }
}
