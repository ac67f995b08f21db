//! The tokio driver: performs the actions that the machine asks for, and passes their results back to it.

mod answer;
mod clock;
mod end_signals;
mod event_sink;
mod journal_writer;
mod nested;
mod next_action;
mod reader_queue;
mod shares;
mod spawn;
mod stream;
mod supervise_work;
mod wait;

use std::{mem, sync::Arc, task::Poll, time::Duration};

pub use spawn::RunHandle;
pub use stream::{RunStream, Update};

use self::{
    clock::Clock,
    nested::is_result,
    supervise_work::{cut, poll_once},
};
pub use self::{clock::SuspendedTime, reader_queue::OnLag};
pub(crate) use self::{
    end_signals::{EndSignals, HaltFuture},
    event_sink::{EventSink, Goal},
    journal_writer::JournalWriter,
    reader_queue::ReaderQueue,
    shares::Shares,
};
use crate::{
    Action, Ask, Ceiling, Ending, EvaluationContext, Evaluator, Input, Iteration, IterationContext, Machine,
    Phase, Question, Report, RunTime, Step, StepRecord,
    report::Steps,
    work::{Outer, Work},
};

/// The driver yields to other tasks at least once in this many steps of ready work. Yielding in each step would add a
/// sixth to the kernel's own time, and such a step takes less than a microsecond.
const TURN_STEPS: u32 = 16;

/// The driver also yields after this much run time, because steps of ready work may be slow.
const TURN_TIME: Duration = Duration::from_micros(100);

/// A run with its parts, ready to be driven.
pub(crate) struct Driver<I: Iteration> {
    pub(crate) iteration: I,
    pub(crate) evaluator: Option<Box<dyn Evaluator<I::Output>>>,
    pub(crate) ask: Option<Box<dyn Ask>>,
    pub(crate) run: RunState<I::Output>,
}

/// The part of a driver that work in progress does not borrow.
pub(crate) struct RunState<O> {
    machine: Machine,
    event_sink: EventSink<O>,
    signals: Signals,
    grace_periods: GracePeriods,
    /// The machine knows about the request to end.
    cancelled: bool,
    /// It runs within the work of another run.
    is_nested: bool,
    /// Steps and deferrals since the driver last yielded to other tasks.
    turn: u32,
    /// The run time at which the driver yields in any case.
    turn_ends: RunTime,
    /// The limits that the guardrails report for the work that begins next.
    left: Ceiling,
    /// The output of the unsettled step.
    output: Option<Arc<O>>,
    steps: Steps<O>,
}

/// How long the driver lets work continue when it has to end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GracePeriods {
    /// From the interrupt until the driver drops the work.
    pub(crate) grace: Duration,
    /// From a report that crosses a limit until the driver interrupts the work.
    pub(crate) overrun: Duration,
}

/// The signals that reach a run from outside.
struct Signals {
    end: EndSignals,
    clock: Clock,
    work: Work,
}

/// A point at which a run pauses or ends.
enum Milestone {
    Ended(Ending),
    /// Deferred work can be retried after this time.
    Deferred(Duration),
}

impl<I: Iteration> Driver<I> {
    /// Drives the run to its end.
    pub(crate) async fn drive(mut self) -> Report<I::Output> {
        self.run.begin();
        loop {
            match self.advance().await {
                Milestone::Ended(ending) => return self.run.report(ending).await,
                Milestone::Deferred(after) => self.run.wait(after).await,
            }
        }
    }

    /// Performs actions until the next milestone.
    async fn advance(&mut self) -> Milestone {
        loop {
            let run = &mut self.run;
            let action = match run.next_action() {
                Some(action) => action,
                // Boxed, so that a run without delays does not carry the space for this future.
                None => Box::pin(run.delayed_action()).await,
            };
            match action {
                Action::Iterate { iteration, attempt } => {
                    let cx = run.iteration_context(iteration, attempt);
                    let result = if run.is_interrupted() {
                        Err(cut())
                    } else {
                        let mut work = self.iteration.run(cx);
                        match poll_once(&mut work).await {
                            Poll::Ready(Ok(output)) => Ok(output),
                            first => Box::pin(run.supervise_work(work, first)).await,
                        }
                    };
                    run.iterated(result);
                }
                Action::Evaluate => {
                    let Some(evaluator) = &mut self.evaluator else {
                        unreachable!("the machine evaluates only if the builder found an evaluator")
                    };
                    let cx = run.evaluation_context();
                    let result = if run.is_interrupted() {
                        Err(cut())
                    } else {
                        let mut work = evaluator.as_mut().evaluate(cx);
                        match poll_once(&mut work).await {
                            Poll::Ready(Ok(verdict)) => Ok(verdict),
                            first => Box::pin(run.supervise_work(work, first)).await,
                        }
                    };
                    run.evaluated(result);
                }
                Action::Settle => {
                    if run.is_turn_over() {
                        yield_to_runtime().await;
                    }
                    run.settle();
                }
                Action::Wait(after) if run.machine.progress().waits_for_deferred() => {
                    return Milestone::Deferred(after);
                }
                Action::Wait(duration) => run.wait(duration).await,
                Action::Ask(question) => run.ask(self.ask.as_mut(), &question).await,
                Action::Interrupt { .. } => unreachable!("`supervise_work` handles interrupts"),
                Action::Finish(ending) => return Milestone::Ended(*ending),
            }
        }
    }
}

impl<O> RunState<O> {
    pub(crate) fn new(
        machine: Machine,
        event_sink: EventSink<O>,
        end: EndSignals,
        grace_periods: GracePeriods,
        suspended_time: SuspendedTime,
        last_output: Option<O>,
        outer: Option<&Outer>,
    ) -> Self {
        let progress = machine.progress();
        let budgets = end.shares().own.clone();
        let work = Work::of_run(suspended_time, budgets, outer.map(|outer| &outer.handle));
        let clock = Clock::starting_at(progress.now(), work.pauses());
        let output = last_output.map(Arc::new);
        // The output belongs to the unsettled step if that step still needs it, or if the run is new and evaluates it
        // first. Otherwise it is the last output of an earlier step.
        let (output, last_output) = match progress.phase() == Phase::New || progress.needs_output() {
            true => (output, None),
            false => (None, output),
        };
        let steps = Steps::restored(progress, last_output);
        let signals = Signals { end, clock, work };
        let turn_ends = machine.progress().now().after(TURN_TIME);
        let left = Ceiling::NONE;
        Self {
            machine,
            event_sink,
            signals,
            grace_periods,
            cancelled: false,
            is_nested: outer.is_some(),
            turn: 0,
            turn_ends,
            left,
            output,
            steps,
        }
    }

    fn begin(&mut self) {
        self.signals.clock.start(&self.signals.end.shares().own);
        if self.is_nested && is_result(self.machine.progress()) {
            return;
        }
        // If an ended run is cancelled before it is resumed, it keeps its ending.
        if self.machine.progress().ending().is_none() || !self.signals.end.is_requested() {
            let begin =
                if self.machine.progress().phase() == Phase::New { Input::Started } else { Input::Resumed };
            self.machine.tell(self.signals.clock.now(), begin);
            // Only after `begin`: before, a cancellation would cut the work that the run died in, and use up its
            // iteration.
            self.tell_cancel();
        }
    }

    /// Returns whether a cancellation or the deadline came after the machine chose this work, so that it never starts.
    fn is_interrupted(&self) -> bool {
        self.machine.progress().is_interrupted()
    }

    fn iteration_context(&self, iteration: u64, attempt: u32) -> IterationContext<O> {
        IterationContext::new(&self.signals.work, iteration)
            .with_attempt(attempt)
            .with_left(self.left)
            .with_guidance(self.machine.progress().shared_guidance())
            .with_steps(self.steps.last.clone(), self.steps.last_output.clone())
    }

    fn evaluation_context(&self) -> EvaluationContext<O> {
        let Some(output) = &self.output else {
            unreachable!("the builder lets no run begin that would be evaluated without its output")
        };
        let iteration = self.machine.progress().current_step().map_or(0, StepRecord::iteration);
        EvaluationContext::new(&self.signals.work, iteration, Arc::clone(output))
            .with_left(self.left)
            .with_previous(self.steps.last.clone())
    }

    /// Ends a step: asks the condition after it has observed the step's own events.
    fn settle(&mut self) {
        // The step, the progress and the events that the condition sees have to agree.
        self.tell_usage();
        self.take_events();
        let Some(record) = self.machine.progress().current_step() else {
            unreachable!("the machine settles the step that it has begun")
        };
        let step = Arc::new(Step::new(record.clone(), self.output.take()));
        let by = self.event_sink.goal.decided_by(&step, self.machine.progress());
        self.answer(|machine, at| machine.settled(at, by.is_some(), by));
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

    /// Counts one more step and returns whether the driver has to yield now: a loop of ready futures must not
    /// monopolize its thread.
    fn is_turn_over(&mut self) -> bool {
        self.turn += 1;
        let now = self.machine.progress().now();
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
                let _pause = self.signals.work.pause();
                tokio::select! {
                    biased;
                    () = self.signals.end.requested() => None,
                    answer = ask.ask(question, self.machine.progress()) => answer,
                }
            }
        };
        self.answer(|machine, at| machine.tell(at, Input::Answered { answer }));
    }

    fn take_events(&mut self) {
        self.event_sink.take(&mut self.machine, self.output.as_deref());
    }

    async fn report(mut self, ending: Ending) -> Report<O> {
        self.event_sink.reader.flush().await;
        let unrecorded = self.event_sink.journal.take().and_then(JournalWriter::failure);
        let steps = mem::take(&mut self.steps);
        Report::new(ending, self.machine.progress().clone(), steps, unrecorded)
    }
}

impl<O> Drop for RunState<O> {
    fn drop(&mut self) {
        self.signals.end.shares().leave(self.machine.progress());
        self.signals.work.close_quality(self.machine.progress());
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
