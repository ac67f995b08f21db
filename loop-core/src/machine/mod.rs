//! The kernel: a pure state machine that every loop runs on.
//!
//! It has no clock, does no I/O, knows no types of yours and never waits. A driver tells it what
//! happened ([`Input`]) and at what run time; it answers with what to do next ([`Action`]). What it
//! knows is [`Progress`], and `Progress` is the fold of the [`Event`]s that it writes: one for every
//! input that is taken, and one for every action but [`Settle`](Action::Settle).

mod decide;
mod input;
mod limits;

use std::{fmt, vec};

pub(crate) use input::Told;
pub use input::{Action, Input};

use crate::{
    Ending, Event, EventKind, Grant, Guardrail, HistoryError, Pace, Progress, RunTime,
    event::{Notes, Stage},
    progress::Phase,
    time::whole_micros,
};

/// An index is begun at most so often, counting the times that the run died in it.
pub const MAX_ATTEMPTS: u32 = 3;

/// The same work is put off at most so often, the iteration and its evaluation each: an agent whose
/// rate limit never lifts must not keep a bounded run going for ever.
pub const MAX_DEFERRALS: u32 = 1_000;

/// The pure state machine under every loop.
///
/// ```
/// use std::time::Duration;
/// use loop_core::{Action, Input, Machine, MaxIterations, RunTime, WorkResult, Notes, StopReason};
///
/// let mut machine = Machine::new(vec![Box::new(MaxIterations::new(1))], Box::new(Duration::ZERO), false);
/// let at = RunTime::from_micros;
/// assert_eq!(machine.handle(at(0), Input::Started), Some(Action::Iterate { iteration: 1, attempt: 1 }));
/// let done = Input::Iterated { result: WorkResult::Done(()), notes: None };
/// assert_eq!(machine.handle(at(9), done), Some(Action::Settle));
/// let Some(Action::Finish(ending)) = machine.handle(at(9), Input::Settled { met: false, by: None }) else { panic!() };
/// assert_eq!(ending.reason(), Some(&StopReason::MaxIterations));
/// assert_eq!(machine.take_events().count(), 5);
/// ```
pub struct Machine {
    guardrails: Vec<Box<dyn Guardrail>>,
    pace: Box<dyn Pace>,
    evaluated: bool,
    progress: Progress,
    grant: Option<Box<Grant>>,
    events: Vec<Event>,
}

impl Machine {
    /// A run that has not begun. `evaluated` says whether outputs are judged. The first guardrail in
    /// the order given is named if several halt.
    pub fn new(guardrails: Vec<Box<dyn Guardrail>>, pace: Box<dyn Pace>, evaluated: bool) -> Self {
        Self { guardrails, pace, evaluated, progress: Progress::default(), grant: None, events: Vec::new() }
    }

    /// Folds the events of an earlier run into this machine, parts included. Then
    /// [`Input::Resumed`] makes it go on.
    ///
    /// # Errors
    /// A [`HistoryError`] at the first event that cannot follow those before. They are folded then, and it is not.
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

    /// Adds this to the limits of the run when it [goes on](Input::Resumed). A new run takes none.
    pub fn grant(&mut self, grant: Grant) {
        // As it is recorded: an event is the same before and after it was written down.
        let time = whole_micros(grant.time);
        self.grant = Some(Box::new(Grant { time, ..grant }));
    }

    /// What is known of the run.
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Takes the events that were written since the last call, oldest first.
    pub fn take_events(&mut self) -> vec::Drain<'_, Event> {
        self.events.drain(..)
    }

    /// Lets the events go that nobody takes.
    pub(crate) fn forget_events(&mut self) {
        self.events.clear();
    }

    /// The events that were not taken yet, oldest first.
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    /// Takes what happened at a run time, and says what to do next. `None`: what was asked for before
    /// still stands.
    ///
    /// Time does not run backwards: an earlier time than the last is taken for the last. An input
    /// that does not answer the outstanding action is ignored and writes no event, so a driver may
    /// deliver a timer that fired too late.
    pub fn handle(&mut self, at: RunTime, input: Input) -> Option<Action> {
        match self.tell(at, input) {
            Told::Unchanged => None,
            Told::Interrupt(cause) => Some(Action::Interrupt { cause }),
            Told::Due => self.decide(at),
        }
    }

    /// Takes what happened, and starts nothing. A driver that has to wait before it may go on does so
    /// between this and [`decide`](Self::decide).
    pub(crate) fn tell(&mut self, at: RunTime, input: Input) -> Told {
        let at = at.max(self.progress.now());
        match (self.progress.phase, input) {
            (Phase::New, Input::Started) => {
                self.fact(at, EventKind::RunStarted { evaluated: self.evaluated })
            }
            (Phase::New, Input::Cancelled) => {
                self.emit(at, EventKind::RunStarted { evaluated: self.evaluated });
                self.call_off(at, EventKind::CancelRequested {}, Ending::cancelled())
            }
            (Phase::New, _) => Told::Unchanged,
            (Phase::Ended, Input::Resumed) => self.reopen(at),
            (Phase::Ended, _) => Told::Unchanged,
            (_, Input::Resumed) => self.resume(at),
            (Phase::Asking, Input::Answered { answer }) => {
                self.fact(at, EventKind::QuestionAnswered { answer })
            }
            (Phase::Waiting(_), Input::Waited) => self.fact(at, EventKind::WaitFinished {}),
            (Phase::Settling, Input::Settled { met, by }) => {
                self.fact(at, EventKind::StepSettled { met, by })
            }
            (Phase::Working(Stage::Iteration), Input::Iterated { result, notes }) => {
                self.work_ended(at, notes, |notes| EventKind::IterationFinished {
                    result: result.recorded(),
                    notes,
                })
            }
            (Phase::Working(Stage::Evaluation), Input::Evaluated { result, notes }) => {
                self.work_ended(at, notes, |notes| EventKind::EvaluationFinished {
                    result: result.recorded(),
                    notes,
                })
            }
            (_, Input::Reported { usage }) => self.limit(at, EventKind::UsageReported { usage }),
            (Phase::Working(_) | Phase::Waiting(_), Input::DeadlinePassed) => {
                self.limit(at, EventKind::DeadlinePassed {})
            }
            (_, Input::Cancelled) => self.call_off(at, EventKind::CancelRequested {}, Ending::cancelled()),
            (_, Input::Halted { halt }) => {
                let requested = EventKind::HaltRequested { halt: Box::new(halt.clone()) };
                self.call_off(at, requested, Ending::halted(halt))
            }
            _ => Told::Unchanged,
        }
    }

    /// Something happened, and what comes next is to be decided.
    fn fact(&mut self, at: RunTime, kind: EventKind) -> Told {
        self.emit(at, kind);
        Told::Due
    }

    fn work_ended(
        &mut self,
        at: RunTime,
        notes: Option<Box<Notes>>,
        finished: impl FnOnce(Option<Box<Notes>>) -> EventKind,
    ) -> Told {
        // An interrupted iteration is cut even if it came to a good end in its grace time: what it
        // made was made under a limit that is crossed.
        let kind =
            if self.progress.is_interrupted() { EventKind::WorkCut { notes } } else { finished(notes) };
        self.fact(at, kind)
    }

    /// Something that may have crossed a limit: cuts work, ends a wait, and is a fact at other times.
    fn limit(&mut self, at: RunTime, kind: EventKind) -> Told {
        self.emit(at, kind);
        let Some(ending) = self.crossed() else { return Told::Unchanged };
        match self.progress.phase {
            Phase::Working(_) if !self.progress.is_interrupted() => self.interrupt(ending),
            Phase::Waiting(_) => {
                self.finish(ending);
                Told::Due
            }
            _ => Told::Unchanged,
        }
    }

    /// Somebody wants the run to end so, whatever it is at.
    fn call_off(&mut self, at: RunTime, requested: EventKind, ending: Ending) -> Told {
        let interrupted = self.progress.is_interrupted();
        self.emit(at, requested);
        match self.progress.phase {
            Phase::Working(_) if interrupted => Told::Unchanged,
            Phase::Working(_) => self.interrupt(ending),
            // The step is done; whether it met the goal is about to be known.
            Phase::Settling => Told::Unchanged,
            _ => Told::Due,
        }
    }

    /// A run that met its goal stays ended.
    fn reopen(&mut self, at: RunTime) -> Told {
        match self.progress.ending().is_some_and(Ending::is_success) {
            true => Told::Due,
            false => self.resume(at),
        }
    }

    fn resume(&mut self, at: RunTime) -> Told {
        let ended = self.progress.ending().cloned();
        self.emit(at, EventKind::RunResumed {});
        self.reopened(ended);
        if let Some(grant) = self.grant.take() {
            self.emit(at, EventKind::Granted { grant });
        }
        Told::Due
    }

    fn interrupt(&mut self, cause: Ending) -> Told {
        let cause = Box::new(cause);
        self.emit(self.progress.now(), EventKind::InterruptRequested { cause: cause.clone() });
        Told::Interrupt(cause)
    }

    fn emit(&mut self, at: RunTime, kind: EventKind) {
        let Self { progress, guardrails, events, .. } = self;
        let event = events.push_mut(Event { sequence: progress.sequence + 1, at, kind });
        progress.fold(event);
        guardrails.iter_mut().for_each(|guardrail| guardrail.observe(event));
    }

    /// Tells the guardrails that the run goes on after it had ended so.
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
