//! A run without a driver: the machine, with everything that knows the outputs.

mod answers;
mod poll;

use std::{fmt, mem, sync::Arc, time::Duration, vec};

use crate::{
    Action, ActionId, BoxError, Ceiling, EvaluationContext, Event, Input, InputEffect, IterationContext,
    Machine, Observer, Phase, Progress, Report, RunTime, Snapshot, SnapshotError, Step, StepRecord, Work,
    end_signals::EndSignals, report::Steps, snapshot::PartState,
};

/// A stop condition whose step type was erased.
pub(crate) trait Goal<O>: Send {
    /// Returns the name of the condition that decided, if the goal is met.
    fn decided_by(&self, step: &Arc<Step<O>>, progress: &Progress) -> Option<Box<str>>;
    fn observe(&mut self, event: &Event);
    fn name(&self) -> String;
    fn snapshot(&self) -> Result<String, SnapshotError>;
    fn restore(&mut self, state: &str) -> Result<(), BoxError>;
}

/// A run for a driver of your own: the [`Machine`], with the outputs, the steps, the stop condition and the observers,
/// whose types the machine does not know. [`Loop::into_parts`](crate::Loop::into_parts) creates it.
///
/// It has no clock and never waits. The driver carries out each [`Action`] and passes the answer back:
///
/// | action | the driver |
/// | --- | --- |
/// | [`Iterate`](Action::Iterate) | runs the iteration with [`iteration_context`](Self::iteration_context); then [`iterated`](Self::iterated) |
/// | [`Evaluate`](Action::Evaluate) | runs the evaluator with [`evaluation_context`](Self::evaluation_context); then [`evaluated`](Self::evaluated) |
/// | [`Settle`](Action::Settle) | calls [`settle`](Self::settle) |
/// | [`Wait`](Action::Wait) | waits; then [`handle`](Self::handle) with [`Input::Waited`] |
/// | [`Ask`](Action::Ask) | asks, while run time stops; then [`handle`](Self::handle) with [`Input::Answered`] |
/// | [`Finish`](Action::Finish) | calls [`into_report`](Self::into_report) |
///
/// [`poll`](Self::poll) polls the work of an action and handles what happens meanwhile, interrupts included. A driver
/// that runs work elsewhere passes such inputs to [`handle`](Self::handle). The driver stores the new
/// [events](Self::events) before it begins an action, if it stores them at all.
pub struct Run<O> {
    pub(crate) machine: Machine,
    pub(crate) goal: Box<dyn Goal<O>>,
    observers: Vec<Box<dyn Observer>>,
    /// The number of pending events that the condition and the observers have seen.
    observed: usize,
    pub(crate) end: EndSignals,
    pub(crate) work: Work,
    grace: Duration,
    overrun: Duration,
    /// The end of the grace time of interrupted work.
    dropped_at: Option<RunTime>,
    /// The time until which a report over a limit waits for the end of its work.
    held_until: Option<RunTime>,
    /// The output of the unsettled step.
    output: Option<Arc<O>>,
    steps: Steps<O>,
    /// Its budgets and the work around it know how it ended.
    has_left: bool,
}

impl<O> Run<O> {
    pub(crate) fn new(
        machine: Machine,
        goal: Box<dyn Goal<O>>,
        observers: Vec<Box<dyn Observer>>,
        (end, work, grace, overrun): (EndSignals, Work, Duration, Duration),
        last_output: Option<O>,
    ) -> Self {
        let progress = machine.progress();
        let output = last_output.map(Arc::new);
        // The output belongs to the unsettled step if that step still needs it, or if the run is new and evaluates it
        // first. Otherwise it is the last output of an earlier step.
        let (output, last_output) = match progress.phase() == Phase::New || progress.needs_output() {
            true => (output, None),
            false => (None, output),
        };
        let steps = Steps::restored(progress, last_output);
        Self {
            machine,
            goal,
            observers,
            observed: 0,
            end,
            work,
            grace,
            overrun,
            dropped_at: None,
            held_until: None,
            output,
            steps,
            has_left: false,
        }
    }

    /// Returns the machine.
    pub const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the state of the run.
    pub const fn progress(&self) -> &Progress {
        self.machine.progress()
    }

    /// Returns the driver's side of the work.
    pub const fn work(&self) -> &Work {
        &self.work
    }

    /// Returns the output of the step that is not settled.
    pub fn output(&self) -> Option<&O> {
        self.output.as_deref()
    }

    /// Returns the action that the driver has to carry out now, with the id for its answer: see
    /// [`Machine::outstanding`].
    pub fn outstanding(&self) -> Option<(ActionId, Action)> {
        self.machine.outstanding()
    }

    /// Returns the state of the run, of its guardrails and of its condition:
    /// [`Loop::resume_snapshot`](crate::Loop::resume_snapshot) restores it. The output of the unsettled step is not a
    /// part of it.
    ///
    /// # Errors
    /// [`SnapshotError`] if a part has no snapshot. The error names the part.
    pub fn snapshot(&mut self) -> Result<Snapshot, SnapshotError> {
        self.observe_events();
        let state = PartState { name: self.goal.name(), state: self.goal.snapshot()? };
        Ok(Snapshot { condition: Some(state), ..self.machine.snapshot()? })
    }

    /// Starts a new run, or resumes a restored one, and returns the first action. Resuming counts work that was in
    /// progress as dead.
    pub fn begin(&mut self, at: RunTime) -> Option<Action> {
        self.tell_begin(at);
        self.decide(at)
    }

    pub(crate) fn tell_begin(&mut self, at: RunTime) {
        let is_new = self.progress().phase() == Phase::New;
        // If an ended run is cancelled before it is resumed, it keeps its ending.
        if self.progress().ending().is_none() || !self.end.is_requested() {
            let begin = if is_new { Input::Started } else { Input::Resumed };
            self.machine.fact_from_outside(at, begin);
            // Only now: before, a cancellation would cut the work that the run died in, and use up its iteration.
            self.tell_end(at);
        }
    }

    pub(crate) fn decide(&mut self, at: RunTime) -> Option<Action> {
        self.machine.decide(at)
    }

    /// Tells the machine once that the run has to end, if it has. An ended run ignores cancellations.
    pub(crate) fn tell_end(&mut self, at: RunTime) -> InputEffect {
        // An ended run that is about to resume would miss the cancellation, and the machine hears of it only once.
        let over = self.progress().phase() == Phase::Ended;
        if self.end.is_told || over || !self.end.is_requested() {
            return InputEffect::Unchanged;
        }
        self.end.is_told = true;
        self.machine.fact_from_outside(at, self.end.input())
    }

    /// Passes usage to the machine that arrived while no work was running. Usage of running work belongs to the
    /// [reports](Work::reported) and the end of that work.
    #[inline]
    pub(crate) fn tell_usage(&mut self, at: RunTime) -> InputEffect {
        if self.work.has_notes() { self.tell_noted_usage(at) } else { InputEffect::Unchanged }
    }

    #[cold]
    fn tell_noted_usage(&mut self, at: RunTime) -> InputEffect {
        if let Phase::Working(_) = self.progress().phase() {
            return InputEffect::Unchanged;
        }
        let usage = self.work.take_usage();
        match usage.is_unknown() {
            true => InputEffect::Unchanged,
            false => self.machine.fact_from_outside(at, Input::Reported { usage }),
        }
    }

    /// Creates the context for an iteration: the numbers are those of [`Action::Iterate`].
    pub fn iteration_context(&self, iteration: u64, attempt: u32) -> IterationContext<O> {
        self.iteration_context_within(iteration, attempt, self.machine.left())
    }

    pub(crate) fn iteration_context_within(
        &self,
        iteration: u64,
        attempt: u32,
        left: Ceiling,
    ) -> IterationContext<O> {
        IterationContext::new(&self.work, iteration)
            .with_attempt(attempt)
            .with_left(left)
            .with_guidance(self.progress().shared_guidance())
            .with_steps(self.steps.last.clone(), self.steps.last_output.clone())
    }

    /// Creates the context for the evaluator. Returns `None` if there is no output to judge, so that
    /// [`Evaluate`](Action::Evaluate) is not outstanding.
    pub fn evaluation_context(&self) -> Option<EvaluationContext<O>> {
        self.evaluation_context_within(self.machine.left())
    }

    pub(crate) fn evaluation_context_within(&self, left: Ceiling) -> Option<EvaluationContext<O>> {
        let output = Arc::clone(self.output.as_ref()?);
        let iteration = self.progress().current_step().map_or(0, StepRecord::iteration);
        let cx = EvaluationContext::new(&self.work, iteration, output);
        Some(cx.with_left(left).with_previous(self.steps.last.clone()))
    }

    /// Makes the iteration's output, if it has one, that of the unsettled step.
    pub(crate) fn set_output(&mut self, output: Option<O>) {
        self.output = output.map(Arc::new);
    }

    /// Returns the step that is to be settled, after the condition has seen its events.
    pub(crate) fn finished_step(&mut self) -> Arc<Step<O>> {
        let Some(record) = self.progress().current_step() else {
            unreachable!("the machine settles the step that it has begun")
        };
        let record = record.clone();
        Arc::new(Step::new(record, self.output.take()))
    }

    /// Returns the name of the condition that decided, if the goal is met.
    pub(crate) fn decided_by(&self, step: &Arc<Step<O>>) -> Option<Box<str>> {
        self.goal.decided_by(step, self.machine.progress())
    }

    /// Records the step that the machine has just settled.
    pub(crate) fn settled(&mut self, step: Arc<Step<O>>) {
        // Usage that arrived while the condition was asked belongs to this step: the next iteration must find the same
        // step as a restored run would.
        let progress = self.machine.progress();
        let step = match progress.last_step() {
            Some(record) if record.usage() != step.usage() => {
                Arc::new(Step::new(record.clone(), step.shared_output()))
            }
            _ => step,
        };
        self.steps.settled(step, progress);
    }

    /// Returns the events that nobody has [taken](Self::take_events) yet, oldest first.
    pub fn events(&self) -> &[Event] {
        self.machine.events()
    }

    /// Shows the new events to the condition and the observers, and returns them, oldest first. A driver that stores
    /// events stores [`events`](Self::events) first, so that no observer is ahead of the store.
    pub fn take_events(&mut self) -> vec::Drain<'_, Event> {
        self.observe_events();
        self.observed = 0;
        self.machine.take_events()
    }

    /// Shows the new events to the condition and the observers, and drops them.
    pub(crate) fn forget_events(&mut self) {
        self.observe_events();
        self.observed = 0;
        self.machine.forget_events();
    }

    /// Shows the events to the condition and the observers that they have not seen.
    fn observe_events(&mut self) {
        let Self { machine, goal, observers, observed, .. } = self;
        for event in &machine.events()[*observed..] {
            goal.observe(event);
            for observer in &mut *observers {
                observer.on_event(event, machine.progress());
            }
        }
        *observed = machine.events().len();
    }

    /// Returns whether there are observers. They run on the run's own task, and may be slow.
    pub(crate) const fn is_observed(&self) -> bool {
        !self.observers.is_empty()
    }

    /// Returns the report of a run that is over, and `None` if it is not.
    pub fn into_report(mut self) -> Option<Report<O>> {
        self.forget_events();
        self.reported(None)
    }

    pub(crate) fn reported(mut self, unrecorded: Option<String>) -> Option<Report<O>> {
        let ending = self.progress().ending()?.clone();
        self.leave();
        let mut steps = mem::take(&mut self.steps);
        // A resumed run judges this output, so it must not get an earlier one in its place.
        if self.progress().needs_output() {
            steps.last_output = self.output.take().or(steps.last_output);
        }
        let progress = self.machine.take_progress();
        Some(Report::new(ending, progress, steps, unrecorded))
    }

    /// Tells those around this run how it ended, once.
    fn leave(&mut self) {
        if !mem::replace(&mut self.has_left, true) {
            self.end.leave(self.machine.progress());
            self.work.close_quality(self.machine.progress());
        }
    }
}

impl<O> Drop for Run<O> {
    fn drop(&mut self) {
        self.leave();
    }
}

impl<O> fmt::Debug for Run<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("machine", &self.machine).finish_non_exhaustive()
    }
}
