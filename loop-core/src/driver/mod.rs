//! The tokio driver: performs the actions that the machine asks for, and passes their results back to it.

mod answer;
mod clock;
mod event_sink;
mod journal_writer;
mod nested;
mod next_action;
mod reader_queue;
mod spawn;
mod stream;
mod supervise_work;
mod wait;

use std::{task::Poll, time::Duration};

pub use spawn::RunHandle;
pub use stream::{RunStream, Update};

pub(crate) use self::reader_queue::ReaderQueue;
use self::{
    clock::Clock,
    event_sink::EventSink,
    journal_writer::JournalWriter,
    nested::is_result,
    supervise_work::{cut, poll_once},
};
use crate::{
    Action, Ask, Ceiling, Ending, Evaluator, Iteration, Parts, Phase, Progress, Question, Report, Run,
    RunTime,
};

/// The driver yields to other tasks at least once in this many steps of ready work. Yielding in each step would add a
/// sixth to the kernel's own time, and such a step takes less than a microsecond.
const TURN_STEPS: u32 = 16;

/// The driver also yields after this much run time, because steps of ready work may be slow.
const TURN_TIME: Duration = Duration::from_micros(100);

/// A run with its parts, ready to be driven.
pub(crate) struct Driver<I: Iteration> {
    iteration: I,
    evaluator: Option<Box<dyn Evaluator<I::Output>>>,
    ask: Option<Box<dyn Ask>>,
    state: RunState<I::Output>,
}

/// The part of a driver that work in progress does not borrow.
struct RunState<O> {
    run: Run<O>,
    event_sink: EventSink<O>,
    clock: Clock,
    grace_periods: GracePeriods,
    /// It runs within the work of another run.
    is_nested: bool,
    /// Steps and deferrals since the driver last yielded to other tasks.
    turn: u32,
    /// The run time at which the driver yields in any case.
    turn_ends: RunTime,
    /// The limits that the guardrails report for the work that begins next.
    left: Ceiling,
}

/// How long the driver lets work continue when it has to end.
#[derive(Debug, Clone, Copy)]
struct GracePeriods {
    /// From the interrupt until the driver drops the work.
    grace: Duration,
    /// From a report that crosses a limit until the driver interrupts the work.
    overrun: Duration,
}

/// A point at which a run pauses or ends.
enum Milestone {
    Ended(Ending),
    /// Deferred work can be retried after this time.
    Deferred(Duration),
}

impl<I: Iteration> Driver<I> {
    pub(crate) fn new(parts: Parts<I>, reader: ReaderQueue, is_nested: bool) -> Self {
        let Parts { mut run, iteration, evaluator, ask, journal, grace, overrun, .. } = parts;
        run.end.watch_time();
        let now = run.progress().now();
        let is_resumed = run.progress().phase() != Phase::New;
        let journal = journal.map(|journal| JournalWriter::new(journal, is_resumed));
        let clock = Clock::starting_at(now, run.work.pauses());
        let state = RunState {
            run,
            event_sink: EventSink { journal, reader },
            clock,
            grace_periods: GracePeriods { grace, overrun },
            is_nested,
            turn: 0,
            turn_ends: now.after(TURN_TIME),
            left: Ceiling::NONE,
        };
        Self { iteration, evaluator, ask, state }
    }

    /// Drives the run to its end.
    pub(crate) async fn drive(mut self) -> Report<I::Output> {
        self.state.begin();
        loop {
            match self.advance().await {
                Milestone::Ended(_) => return self.state.report().await,
                Milestone::Deferred(after) => self.state.wait(after).await,
            }
        }
    }

    /// Performs actions until the next milestone.
    async fn advance(&mut self) -> Milestone {
        loop {
            let state = &mut self.state;
            let action = match state.next_action() {
                Some(action) => action,
                // Boxed, so that a run without delays does not carry the space for this future.
                None => Box::pin(state.delayed_action()).await,
            };
            match action {
                Action::Iterate { iteration, attempt } => {
                    let cx = state.run.iteration_context_within(iteration, attempt, state.left);
                    let result = if state.is_interrupted() {
                        Err(cut())
                    } else {
                        let mut work = self.iteration.run(cx);
                        match poll_once(&mut work).await {
                            Poll::Ready(Ok(output)) => Ok(output),
                            first => Box::pin(state.supervise_work(work, first)).await,
                        }
                    };
                    state.iterated(result);
                }
                Action::Evaluate => {
                    let Some(evaluator) = &mut self.evaluator else {
                        unreachable!("the machine evaluates only if the builder found an evaluator")
                    };
                    let Some(cx) = state.run.evaluation_context_within(state.left) else {
                        unreachable!(
                            "the builder lets no run begin that would be evaluated without its output"
                        )
                    };
                    let result = if state.is_interrupted() {
                        Err(cut())
                    } else {
                        let mut work = evaluator.as_mut().evaluate(cx);
                        match poll_once(&mut work).await {
                            Poll::Ready(Ok(verdict)) => Ok(verdict),
                            first => Box::pin(state.supervise_work(work, first)).await,
                        }
                    };
                    state.evaluated(result);
                }
                Action::Settle => {
                    if state.is_turn_over() {
                        yield_to_runtime().await;
                    }
                    state.settle();
                }
                Action::Wait(after) if state.progress().waits_for_deferred() => {
                    return Milestone::Deferred(after);
                }
                Action::Wait(duration) => state.wait(duration).await,
                Action::Ask(question) => state.ask(self.ask.as_mut(), &question).await,
                Action::Interrupt { .. } => unreachable!("`supervise_work` handles interrupts"),
                Action::Finish(ending) => return Milestone::Ended(*ending),
            }
        }
    }
}

impl<O> RunState<O> {
    const fn progress(&self) -> &Progress {
        self.run.progress()
    }

    fn begin(&mut self) {
        self.clock.start(&self.run.end.shares().own);
        if self.is_nested && is_result(self.progress()) && !self.run.machine.has_grant() {
            return;
        }
        self.run.tell_begin(self.clock.now());
    }

    /// Returns whether a cancellation or the deadline came after the machine chose this work, so that it never starts.
    fn is_interrupted(&self) -> bool {
        self.progress().is_interrupted()
    }

    /// Ends a step: asks the condition after it has observed the step's own events.
    fn settle(&mut self) {
        self.tell_usage();
        self.take_events();
        let step = self.run.finished_step();
        let by = self.run.decided_by(&step);
        self.answer(|machine, at| machine.settled(at, by.is_some(), by));
        self.run.settled(step);
    }

    /// Counts one more step and returns whether the driver has to yield now: a loop of ready futures must not
    /// monopolize its thread.
    fn is_turn_over(&mut self) -> bool {
        self.turn += 1;
        let now = self.progress().now();
        let over = self.turn == TURN_STEPS || now >= self.turn_ends;
        if over {
            (self.turn, self.turn_ends) = (0, now.after(TURN_TIME));
        }
        over
    }

    async fn ask(&mut self, ask: Option<&mut Box<dyn Ask>>, question: &Question) {
        let answer = match ask {
            None => None,
            Some(ask) => {
                let _pause = self.run.work.pause();
                tokio::select! {
                    biased;
                    () = self.run.end.requested() => None,
                    answer = ask.ask(question, self.run.machine.progress()) => answer,
                }
            }
        };
        self.answer(|machine, at| machine.answered(at, answer));
    }

    fn take_events(&mut self) {
        self.event_sink.take(&mut self.run);
    }

    async fn report(mut self) -> Report<O> {
        self.event_sink.reader.flush().await;
        let unrecorded = self.event_sink.journal.and_then(JournalWriter::failure);
        let Some(report) = self.run.reported(unrecorded) else {
            unreachable!("a run that is reported has ended")
        };
        report
    }
}

/// Lets the executor run other tasks, whichever executor it is.
async fn yield_to_runtime() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
