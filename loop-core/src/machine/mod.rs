//! The kernel: a pure state machine that every loop runs on.
//!
//! It has no clock, does no I/O, does not know your types and never waits. A driver passes it an [`Input`] with its run
//! time, and the machine returns the next [`Action`]. Its state is [`Progress`], which is the fold of the [`Event`]s
//! that it writes: one for every accepted input, and one for every action except [`Settle`](Action::Settle).

mod action_id;
mod answers;
mod decide;
mod input;
mod limits;
mod snapshot;

use std::{fmt, mem, vec};

pub use self::{
    action_id::{ActionId, RefusedAnswer},
    input::{Action, Input, InputEffect},
};

use crate::{
    Ending, Event, EventKind, Grant, Guardrail, HistoryError, Pace, Progress, RunTime, event::Notes,
    progress::Phase, run_time::whole_micros,
};

/// Maximum attempts per iteration, including those in which the run died.
pub const MAX_ATTEMPTS: u32 = 3;

/// Maximum deferrals of the same work, counted separately for an iteration and its evaluation. Without it, an agent
/// whose rate limit never lifts could keep a bounded run going forever.
pub const MAX_DEFERRALS: u32 = 1_000;

/// The pure state machine under every loop.
///
/// ```
/// use std::time::Duration;
/// use loop_core::{Action, Input, Machine, MaxIterations, RunTime, StopReason, WorkResult};
///
/// let mut machine = Machine::new(vec![Box::new(MaxIterations::new(1))], Box::new(Duration::ZERO), false);
/// let at = RunTime::from_micros;
/// assert_eq!(machine.handle(at(0), Input::Started)?, Some(Action::Iterate { iteration: 1, attempt: 1 }));
/// let (id, _) = machine.outstanding().ok_or("no action")?;
/// let done = Input::Iterated { id, result: WorkResult::Done(()), notes: None };
/// assert_eq!(machine.handle(at(9), done)?, Some(Action::Settle));
/// let (id, _) = machine.outstanding().ok_or("no action")?;
/// let Some(Action::Finish(ending)) = machine.handle(at(9), Input::Settled { id, met: false, by: None })? else {
///     return Err("the run goes on".into());
/// };
/// assert_eq!(ending.reason(), Some(&StopReason::MaxIterations));
/// assert_eq!(machine.take_events().count(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Machine {
    guardrails: Vec<Box<dyn Guardrail>>,
    pace: Box<dyn Pace>,
    evaluated: bool,
    evaluates_first: bool,
    progress: Progress,
    grant: Option<Box<Grant>>,
    events: Vec<Event>,
}

impl Machine {
    /// Creates the machine of a new run. Set `evaluated` if an evaluator judges the outputs. If several guardrails halt
    /// the run, the ending names the first one in `guardrails`.
    pub fn new(guardrails: Vec<Box<dyn Guardrail>>, pace: Box<dyn Pace>, evaluated: bool) -> Self {
        Self {
            guardrails,
            pace,
            evaluated,
            evaluates_first: false,
            progress: Progress::default(),
            grant: None,
            events: Vec::new(),
        }
    }

    /// Makes a new run begin with an evaluation, whose step has the index 0. A run without an evaluator ignores it, and
    /// so does a restored run: its events tell how it began.
    pub const fn evaluate_first(&mut self) {
        self.evaluates_first = self.evaluated;
    }

    /// Adds a guardrail after the others. It sees only later events.
    pub(crate) fn guard(&mut self, guardrail: Box<dyn Guardrail>) {
        self.guardrails.push(guardrail);
    }

    /// Folds the events of an earlier run into this machine and its parts. [`Input::Resumed`] then continues the run.
    ///
    /// # Errors
    /// Returns a [`HistoryError`] at the first event that cannot follow those before it. The machine has then folded
    /// only the earlier events.
    pub fn restore<'a>(&mut self, events: impl IntoIterator<Item = &'a Event>) -> Result<(), HistoryError> {
        for event in events {
            let resumes = matches!(event.kind, EventKind::RunResumed {});
            let ended = self.progress.ending().filter(|_| resumes).cloned();
            self.progress.apply(event)?;
            self.guardrails.iter_mut().for_each(|guardrail| guardrail.observe(event));
            self.reopened(ended);
        }
        Ok(())
    }

    /// Returns whether there is a grant for a run that resumes.
    pub(crate) const fn has_grant(&self) -> bool {
        self.grant.is_some()
    }

    /// Adds this grant to the limits of the run when it [resumes](Input::Resumed). A new run ignores it.
    pub fn grant(&mut self, grant: Grant) {
        // Rounded as in the record, so that an event is the same before and after it is serialized.
        let time = whole_micros(grant.time);
        self.grant = Some(Box::new(Grant { time, ..grant }));
    }

    /// Returns the state of the run.
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns the state of a run that is over, and leaves an empty one.
    pub(crate) fn take_progress(&mut self) -> Progress {
        mem::take(&mut self.progress)
    }

    /// Removes and returns the events since the last call, oldest first.
    pub fn take_events(&mut self) -> vec::Drain<'_, Event> {
        self.events.drain(..)
    }

    /// Drops events that nobody takes.
    pub(crate) fn forget_events(&mut self) {
        self.events.clear();
    }

    /// Returns the events that nobody has [taken](Self::take_events) yet, oldest first.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Handles an input at a run time and returns the next action. `None` means that the previous action is still
    /// outstanding.
    ///
    /// Time does not run backwards: if `at` is earlier than the last time, the machine uses the last time. It ignores
    /// facts that do not matter now, such as a deadline that passed too late, and writes no event for them.
    ///
    /// # Errors
    /// [`RefusedAnswer`] if the input is an answer to another action than the outstanding one. The run is then as it
    /// was before. A driver may drop such an answer: it came twice, or too late.
    pub fn handle(&mut self, at: RunTime, input: Input) -> Result<Option<Action>, RefusedAnswer> {
        Ok(match self.tell(at, input)? {
            InputEffect::Unchanged => None,
            InputEffect::Interrupt(cause) => Some(Action::Interrupt { cause }),
            InputEffect::Due => self.decide(at),
        })
    }

    /// Handles an input without starting anything. A driver that has to wait for something else first does so between
    /// this call and [`decide`](Self::decide).
    ///
    /// # Errors
    /// Like [`handle`](Self::handle).
    pub fn tell(&mut self, at: RunTime, input: Input) -> Result<InputEffect, RefusedAnswer> {
        if let Some(id) = input.id() {
            self.check_answer(&input, id)?;
        }
        Ok(match input {
            Input::Iterated { result, notes, .. } => self.iterated(at, result, notes),
            Input::Evaluated { result, notes, .. } => self.evaluated(at, result, notes),
            Input::Settled { met, by, .. } => self.settled(at, met, by),
            Input::Answered { answer, .. } => self.answered(at, answer),
            Input::Waited { .. } => self.waited(at),
            other => self.fact_from_outside(at, other),
        })
    }

    /// Handles an input that answers no action.
    pub(crate) fn fact_from_outside(&mut self, at: RunTime, input: Input) -> InputEffect {
        let phase = self.progress.phase;
        match input {
            _ if phase == Phase::New => self.begin(at, &input),
            Input::Resumed => self.resume(at),
            _ if phase == Phase::Ended => InputEffect::Unchanged,
            Input::Reported { usage } => self.limit(at, EventKind::UsageReported { usage }),
            Input::DeadlinePassed if matches!(phase, Phase::Working(_) | Phase::Waiting(_)) => {
                self.limit(at, EventKind::DeadlinePassed {})
            }
            Input::Cancelled => self.request_end(at, EventKind::CancelRequested {}, Ending::cancelled()),
            Input::Halted { halt } => {
                let requested = EventKind::HaltRequested { halt: Box::new(halt.clone()) };
                self.request_end(at, requested, Ending::halted(halt))
            }
            _ => InputEffect::Unchanged,
        }
    }

    /// Handles the first input of a new run.
    fn begin(&mut self, at: RunTime, input: &Input) -> InputEffect {
        let Self { evaluated, evaluates_first, .. } = *self;
        let started = EventKind::RunStarted { evaluated, evaluates_first };
        match input {
            Input::Started => self.fact(at, started),
            Input::Cancelled => {
                self.emit(at, started);
                self.request_end(at, EventKind::CancelRequested {}, Ending::cancelled())
            }
            _ => InputEffect::Unchanged,
        }
    }

    /// Records an event after which the machine has to decide what comes next.
    #[inline]
    fn fact(&mut self, at: RunTime, kind: EventKind) -> InputEffect {
        self.emit(at, kind);
        InputEffect::Due
    }

    /// Records the end of interrupted work. It counts as cut even if it succeeded in its grace time, because it crossed
    /// a limit on the way.
    #[cold]
    fn cut(&mut self, at: RunTime, notes: Option<Box<Notes>>) -> InputEffect {
        self.fact(at, EventKind::WorkCut { notes })
    }

    /// Records an event that may have crossed a limit. Cuts work or ends a wait if so, and is an ordinary fact
    /// otherwise.
    fn limit(&mut self, at: RunTime, kind: EventKind) -> InputEffect {
        self.emit(at, kind);
        let Some(ending) = self.crossed() else { return InputEffect::Unchanged };
        match self.progress.phase {
            Phase::Working(_) if !self.progress.is_interrupted() => self.interrupt(ending),
            Phase::Waiting(_) => {
                self.finish(ending);
                InputEffect::Due
            }
            _ => InputEffect::Unchanged,
        }
    }

    /// Handles a request to end the run, in any phase.
    fn request_end(&mut self, at: RunTime, requested: EventKind, ending: Ending) -> InputEffect {
        let interrupted = self.progress.is_interrupted();
        self.emit(at, requested);
        match self.progress.phase {
            Phase::Working(_) if interrupted => InputEffect::Unchanged,
            Phase::Working(_) => self.interrupt(ending),
            // The step is done, and the stop condition is about to decide.
            Phase::Settling => InputEffect::Unchanged,
            _ => InputEffect::Due,
        }
    }

    /// Resumes a run, unless it met its goal.
    fn resume(&mut self, at: RunTime) -> InputEffect {
        let ended = self.progress.ending().cloned();
        if ended.as_ref().is_some_and(Ending::is_success) {
            return InputEffect::Due;
        }
        self.emit(at, EventKind::RunResumed {});
        self.reopened(ended);
        if let Some(grant) = self.grant.take() {
            self.emit(at, EventKind::Granted { grant });
        }
        InputEffect::Due
    }

    fn interrupt(&mut self, cause: Ending) -> InputEffect {
        let cause = Box::new(cause);
        self.emit(self.progress.now(), EventKind::InterruptRequested { cause: cause.clone() });
        InputEffect::Interrupt(cause)
    }

    /// Records an event, at the last event's time if `at` is earlier.
    // Inlined, so that the fold of a known kind of event skips its match.
    #[inline(always)]
    fn emit(&mut self, at: RunTime, kind: EventKind) {
        let Self { progress, guardrails, events, .. } = self;
        let (sequence, at) = (progress.sequence + 1, at.max(progress.now()));
        progress.fold(sequence, at, &kind);
        let event = events.push_mut(Event { sequence, at, kind });
        guardrails.iter_mut().for_each(|guardrail| guardrail.observe(event));
    }

    /// Tells the guardrails that the run continues after this ending.
    fn reopened(&mut self, ended: Option<Ending>) {
        if let Some(ending) = ended {
            self.guardrails.iter_mut().for_each(|guardrail| guardrail.reopened(&ending));
        }
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.guardrails.iter().map(Guardrail::name).collect();
        f.debug_struct("Machine")
            .field("guardrails", &names)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}
