//! The kernel: a pure state machine that every loop runs on.
//!
//! It has no clock, does no I/O, knows no types of yours and never waits. A driver tells it what
//! happened ([`Input`]) and at what run time; it answers with what to do next ([`Action`]). What it
//! knows is [`Progress`], and `Progress` is the fold of the [`Event`]s that it writes: one for every
//! input that is taken, and one for every action but [`Settle`](Action::Settle).

mod input;

use std::{time::Duration, vec};

pub use input::{Action, Input};

use crate::{
    Ceiling, Decision, Ending, Event, EventKind, Guardrail, Halt, Pace, Progress, Question, RunTime,
    StopReason, Usage,
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
/// let Some(Action::Finish(ending)) = machine.handle(at(9), Input::Settled { met: false }) else { panic!() };
/// assert_eq!(ending.reason(), &StopReason::MaxIterations);
/// assert_eq!(machine.take_events().count(), 5);
/// ```
pub struct Machine {
    guardrails: Vec<Box<dyn Guardrail>>,
    pace: Box<dyn Pace>,
    evaluated: bool,
    progress: Progress,
    events: Vec<Event>,
}

impl Machine {
    /// A run that has not begun. `evaluated` says whether outputs are judged. The first guardrail in
    /// the order given is named if several halt.
    pub fn new(guardrails: Vec<Box<dyn Guardrail>>, pace: Box<dyn Pace>, evaluated: bool) -> Self {
        Self { guardrails, pace, evaluated, progress: Progress::default(), events: Vec::new() }
    }

    /// Folds the events of an earlier run into this machine, parts included. Then
    /// [`Input::Resumed`] makes it go on.
    pub fn restore<'a>(&mut self, events: impl IntoIterator<Item = &'a Event>) {
        for event in events {
            fold(&mut self.progress, &mut self.guardrails, event);
        }
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

    /// What all guardrails together leave to the work that begins now.
    pub fn left(&self) -> Ceiling {
        self.guardrails
            .iter()
            .fold(Ceiling::NONE, |left, guardrail| left.min(guardrail.ceiling(&self.progress)))
    }

    /// The run time at which [`Input::DeadlinePassed`] is due, as far as is known now. Binds while work
    /// runs and during waits.
    pub fn deadline(&self) -> Option<RunTime> {
        self.left().time.map(|left| self.progress.now().after(left))
    }

    /// Whether work would be interrupted if it reported this usage now. A driver may hold such a
    /// report for a moment, to see whether the work comes to its end with it.
    pub fn would_cross(&self, usage: &Usage) -> bool {
        self.guardrails.iter().any(|guardrail| guardrail.ceiling(&self.progress).after(usage).is_exhausted())
    }

    /// Takes what happened at a run time, and says what to do next. `None`: what was asked for before
    /// still stands.
    ///
    /// Time does not run backwards: an earlier time than the last is taken for the last. An input
    /// that does not answer the outstanding action is ignored and writes no event, so a driver may
    /// deliver a timer that fired too late.
    pub fn handle(&mut self, at: RunTime, input: Input) -> Option<Action> {
        let at = at.max(self.progress.now());
        match (self.progress.phase, input) {
            (Phase::New, Input::Started) => {
                self.emit(at, EventKind::RunStarted { evaluated: self.evaluated });
                Some(self.next())
            }
            (Phase::New, Input::Cancelled) => {
                self.emit(at, EventKind::RunStarted { evaluated: self.evaluated });
                self.cancel(at)
            }
            (Phase::New, _) => None,
            (Phase::Ended, Input::Resumed) => self.reopen(at),
            (Phase::Ended, _) => None,
            (_, Input::Resumed) => self.answer(at, EventKind::RunResumed {}),
            (Phase::Asking, Input::Answered { answer }) => {
                self.answer(at, EventKind::QuestionAnswered { answer })
            }
            (Phase::Waiting(_), Input::Waited) => self.answer(at, EventKind::WaitFinished {}),
            (Phase::Settling, Input::Settled { met }) => self.answer(at, EventKind::StepSettled { met }),
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
            (_, Input::Cancelled) => self.cancel(at),
            _ => None,
        }
    }

    fn answer(&mut self, at: RunTime, kind: EventKind) -> Option<Action> {
        self.emit(at, kind);
        Some(self.next())
    }

    fn work_ended(
        &mut self,
        at: RunTime,
        notes: Option<Box<Notes>>,
        finished: impl FnOnce(Option<Box<Notes>>) -> EventKind,
    ) -> Option<Action> {
        // An interrupted iteration is cut even if it came to a good end in its grace time: what it
        // made was made under a limit that is crossed.
        let kind = if self.progress.interrupted { EventKind::WorkCut { notes } } else { finished(notes) };
        self.answer(at, kind)
    }

    /// Something that may have crossed a limit: cuts work, ends a wait, and is a fact at other times.
    fn limit(&mut self, at: RunTime, kind: EventKind) -> Option<Action> {
        self.emit(at, kind);
        match self.progress.phase {
            Phase::Working(_) if !self.progress.interrupted => {
                let cause = self.crossed()?;
                Some(self.interrupt(cause))
            }
            Phase::Waiting(_) => {
                let ending = self.crossed()?;
                Some(self.finish(ending))
            }
            _ => None,
        }
    }

    fn cancel(&mut self, at: RunTime) -> Option<Action> {
        let interrupted = self.progress.interrupted;
        self.emit(at, EventKind::CancelRequested {});
        match self.progress.phase {
            Phase::Working(_) if interrupted => None,
            Phase::Working(_) => Some(self.interrupt(Ending::plain(StopReason::Cancelled))),
            // The step is done; whether it met the goal is about to be known.
            Phase::Settling => None,
            _ => Some(self.next()),
        }
    }

    /// A run that met its goal stays ended.
    fn reopen(&mut self, at: RunTime) -> Option<Action> {
        match self.progress.ending() {
            Some(ending) if ending.is_success() => Some(Action::Finish(ending.clone())),
            _ => self.answer(at, EventKind::RunResumed {}),
        }
    }

    fn next(&mut self) -> Action {
        if self.progress.phase == Phase::Settling {
            return Action::Settle;
        }
        if let Some(ending) = self.progress.due.clone() {
            return self.finish(ending);
        }
        if let Some(ending) = self.exhausted() {
            return self.finish(ending);
        }
        let stage = match self.progress.phase {
            Phase::Before(stage) => stage,
            phase => unreachable!("no action is due while {phase:?}"),
        };
        if let Some(after) = self.progress.retry_after.filter(|after| !after.is_zero()) {
            return self.wait(after, stage);
        }
        match stage {
            Stage::Iteration => self.before_iteration(),
            Stage::Evaluation => {
                self.emit(self.progress.now(), EventKind::EvaluationStarted {});
                Action::Evaluate
            }
        }
    }

    /// The kernel's own limits on one index.
    fn exhausted(&self) -> Option<Ending> {
        let next = &self.progress.next;
        let halt = if next.deaths >= MAX_ATTEMPTS {
            let message = format!("the run died {MAX_ATTEMPTS} times in the same step");
            Halt::new(StopReason::AttemptsExhausted, message)
        } else if next.deferrals >= MAX_DEFERRALS {
            let message = format!("the same work was put off {MAX_DEFERRALS} times");
            let reason = match self.progress.phase {
                Phase::Before(Stage::Evaluation) => StopReason::EvaluatorUnavailable,
                _ => StopReason::AgentUnavailable,
            };
            Halt::new(reason, message)
        } else {
            return None;
        };
        Some(Ending { halt, guardrail: None })
    }

    fn before_iteration(&mut self) -> Action {
        let mut question = None;
        for (index, guardrail) in self.guardrails.iter().enumerate() {
            match guardrail.check(&self.progress) {
                Decision::Continue => {}
                Decision::Halt(halt) => {
                    let guardrail = Some(guardrail.name().to_owned());
                    return self.finish(Ending { halt, guardrail });
                }
                Decision::Ask(asked) => {
                    let name = guardrail.name();
                    if question.is_none() && !self.progress.next.is_acknowledged(index, name) {
                        question = Some((index, name.to_owned(), asked));
                    }
                }
            }
        }
        if let Some((index, guardrail, question)) = question {
            return self.ask(index, guardrail, question);
        }
        if self.progress.iterations() > 0 && !self.progress.next.paced {
            let delay = self.pace.delay(&self.progress);
            if !delay.is_zero() {
                return self.wait(delay, Stage::Iteration);
            }
        }
        let iteration = self.progress.iterations() + 1;
        let attempt = self.progress.next.deaths + 1;
        self.emit(self.progress.now(), EventKind::IterationStarted { iteration, attempt });
        Action::Iterate { iteration, attempt }
    }

    fn ask(&mut self, index: usize, guardrail: String, question: Question) -> Action {
        let asked = EventKind::QuestionAsked { index, guardrail, question: Box::new(question.clone()) };
        self.emit(self.progress.now(), asked);
        Action::Ask(question)
    }

    fn wait(&mut self, duration: Duration, before: Stage) -> Action {
        let duration = whole_micros(duration);
        self.emit(self.progress.now(), EventKind::WaitStarted { duration, before });
        Action::Wait(duration)
    }

    fn interrupt(&mut self, cause: Ending) -> Action {
        self.emit(self.progress.now(), EventKind::InterruptRequested { cause: Box::new(cause.clone()) });
        Action::Interrupt { cause }
    }

    fn finish(&mut self, ending: Ending) -> Action {
        self.emit(self.progress.now(), EventKind::RunFinished { ending: Box::new(ending.clone()) });
        Action::Finish(ending)
    }

    /// The first guardrail that leaves nothing of something, and how the run ends for it.
    fn crossed(&self) -> Option<Ending> {
        self.guardrails.iter().find_map(|guardrail| {
            let left = guardrail.ceiling(&self.progress);
            left.is_exhausted().then(|| Ending {
                halt: match guardrail.check(&self.progress) {
                    Decision::Halt(halt) => halt,
                    _ => Halt::new(left.stop_reason(), ""),
                },
                guardrail: Some(guardrail.name().to_owned()),
            })
        })
    }

    fn emit(&mut self, at: RunTime, kind: EventKind) {
        let event = self.events.push_mut(Event { at, kind });
        fold(&mut self.progress, &mut self.guardrails, event);
    }
}

fn fold(progress: &mut Progress, guardrails: &mut [Box<dyn Guardrail>], event: &Event) {
    progress.apply(event);
    for guardrail in guardrails {
        guardrail.observe(event);
    }
}
