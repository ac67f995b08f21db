//! The tokio driver: does what the machine asks for, and tells it what came of it.

mod attend;
mod clock;
mod keep;
mod next;
mod outlet;
mod spawn;
mod stream;
mod wait;

use std::{sync::Arc, task::Poll, time::Duration};

pub use spawn::Running;
pub use stream::{RunStream, Update};

use self::clock::Clock;
pub use self::{clock::TimeOff, outlet::OnLag};
pub(crate) use self::{
    keep::Keeper,
    outlet::{Goal, Outlet, Reader},
};
use crate::{
    Action, Ask, CancellationToken, Ceiling, Ending, EvaluationContext, Evaluator, Input, Iteration,
    IterationContext, Machine, Phase, Question, Report, RunTime, Step, StepRecord, WorkResult, machine::Told,
    report::Steps, work::Work,
};

/// Other tasks get their turn on the thread at least once in so many steps of ready work. Not in each:
/// that would be a sixth of the kernel's own time, and such a step takes less than a microsecond.
const TURN_STEPS: u32 = 16;

/// They get it after this much run time in any case: steps of ready work may also be slow.
const TURN_TIME: Duration = Duration::from_micros(100);

/// A run with its parts, ready to be driven.
pub(crate) struct Driver<I: Iteration> {
    pub(crate) iteration: I,
    pub(crate) evaluator: Option<Box<dyn Evaluator<I::Output>>>,
    pub(crate) ask: Option<Box<dyn Ask>>,
    pub(crate) run: Run<I::Output>,
}

/// The part of a driver that work in progress does not borrow.
pub(crate) struct Run<O> {
    machine: Machine,
    outlet: Outlet<O>,
    signals: Signals,
    times: Times,
    /// The machine has been told of the cancellation.
    cancelled: bool,
    /// Steps and put-offs since other tasks last had their turn on this thread.
    turn: u32,
    /// The run time at which they get it in any case.
    turn_ends: RunTime,
    /// The limits for the work that begins now, as the guardrails report them.
    left: Ceiling,
    /// The output of the step that is not settled yet.
    output: Option<Arc<O>>,
    steps: Steps<O>,
}

/// The times that a run gives to work that has to end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// After an interrupt, before it is dropped.
    pub(crate) grace: Duration,
    /// After a report that crosses a limit, before it is interrupted.
    pub(crate) overrun: Duration,
}

/// What can happen to a run from outside.
struct Signals {
    cancel: CancellationToken,
    clock: Clock,
    work: Work,
}

impl<I: Iteration> Driver<I> {
    pub(crate) async fn drive(mut self) -> Report<I::Output> {
        self.run.begin();
        loop {
            match self.run.next().await {
                Action::Iterate { iteration, attempt } => self.iterate(iteration, attempt).await,
                Action::Evaluate => self.evaluate().await,
                Action::Settle => {
                    if self.run.is_turn_over() {
                        yield_to_runtime().await;
                    }
                    self.run.settle();
                }
                Action::Wait(duration) => self.run.wait(duration).await,
                Action::Ask(question) => self.run.ask(self.ask.as_mut(), &question).await,
                Action::Interrupt { .. } => unreachable!("interrupts are dealt with while work is attended"),
                Action::Finish(ending) => return self.run.report(*ending).await,
            }
        }
    }

    async fn iterate(&mut self, iteration: u64, attempt: u32) {
        let run = &mut self.run;
        let cx = IterationContext::new(&run.signals.work, iteration)
            .with_attempt(attempt)
            .with_left(run.left)
            .with_guidance(run.machine.progress().shared_guidance())
            .with_steps(run.steps.last.clone(), run.steps.last_output.clone());
        let result = match run.attend(|| self.iteration.run(cx)).await {
            Ok(output) => {
                run.output = Some(Arc::new(output));
                WorkResult::Done(())
            }
            Err(error) => error.into(),
        };
        let notes = run.signals.work.take_boxed_notes();
        run.answer(Input::Iterated { result, notes });
    }

    async fn evaluate(&mut self) {
        let run = &mut self.run;
        let (Some(evaluator), Some(output)) = (&mut self.evaluator, &run.output) else {
            unreachable!("the builder lets no run begin that would be evaluated without its parts")
        };
        let iteration = run.machine.progress().current_step().map_or(0, StepRecord::iteration);
        let cx = EvaluationContext::new(&run.signals.work, iteration, Arc::clone(output))
            .with_left(run.left)
            .with_previous(run.steps.last.clone());
        let result = match run.attend(|| evaluator.as_mut().evaluate(cx)).await {
            Ok(verdict) => WorkResult::Done(verdict),
            Err(error) => error.into(),
        };
        let notes = run.signals.work.take_boxed_notes();
        run.answer(Input::Evaluated { result, notes });
    }
}

impl<O> Run<O> {
    pub(crate) fn new(
        machine: Machine,
        outlet: Outlet<O>,
        cancel: CancellationToken,
        times: Times,
        time_off: TimeOff,
        last_output: Option<O>,
    ) -> Self {
        let progress = machine.progress();
        let clock = Clock::starting_at(progress.now(), time_off);
        let output = last_output.map(Arc::new);
        // The output that was kept is that of the step which is not settled, if it made one; else it is the last
        // one that there is, of the step before or of an earlier one.
        let (output, last_output) = match progress.needs_output() {
            true => (output, None),
            false => (None, output),
        };
        let steps = Steps::restored(progress, last_output);
        let signals = Signals { cancel, clock, work: Work::new() };
        let turn_ends = machine.progress().now().after(TURN_TIME);
        let left = Ceiling::NONE;
        Self { machine, outlet, signals, times, cancelled: false, turn: 0, turn_ends, left, output, steps }
    }

    fn begin(&mut self) {
        self.signals.clock.start();
        let progress = self.machine.progress();
        // A run that had ended and is cancelled before it is resumed stays as it ended.
        if progress.ending().is_none() || !self.signals.cancel.is_cancelled() {
            let begin = if progress.phase() == Phase::New { Input::Started } else { Input::Resumed };
            self.machine.tell(self.signals.clock.now(), begin);
            // Only then: a cancellation would cut the work that the run died in, and use up its iteration.
            self.tell_cancel();
        }
    }

    /// Tells the machine what answers its outstanding action. A cancellation is told first, so that
    /// nothing starts after it, and so is usage that came late, so that none is lost at the end.
    fn answer(&mut self, input: Input) {
        let at = self.signals.clock.now();
        self.tell_usage();
        // Nothing starts after an evaluation but the end of its step, and work that is over is not cut.
        let starts = !matches!(input, Input::Evaluated { .. });
        // A wait or a question that was called off needs no answer.
        if !(starts && matches!(self.tell_cancel(), Told::Due)) {
            self.machine.tell(at, input);
        }
    }

    /// Tells the machine once that the run was cancelled, if it was.
    fn tell_cancel(&mut self) -> Told {
        // An ended run that is about to go on would not hear of it, and it is told once.
        let over = || self.machine.progress().phase() == Phase::Ended;
        if !self.signals.cancel.is_cancelled() || self.cancelled || over() {
            return Told::Unchanged;
        }
        self.cancelled = true;
        self.machine.tell(self.signals.clock.now(), Input::Cancelled)
    }

    /// Tells the machine of usage that came when no work was running. What comes while it runs is
    /// told by who attends it, or belongs to its end.
    fn tell_usage(&mut self) {
        if let Phase::Working(_) = self.machine.progress().phase() {
            return;
        }
        if let Some(usage) = self.signals.work.take_news() {
            self.machine.tell(self.signals.clock.now(), Input::Reported { usage });
        }
    }

    /// Ends a step: asks the condition, with the step's own events folded.
    fn settle(&mut self) {
        // The condition sees a step, a progress and events that say the same.
        self.tell_usage();
        self.take_events();
        let Some(record) = self.machine.progress().current_step().cloned() else {
            unreachable!("the machine settles the step that it has begun")
        };
        let step = Arc::new(Step::new(record, self.output.take()));
        let by = self.outlet.goal.decided_by(&step, self.machine.progress());
        self.answer(Input::Settled { met: by.is_some(), by });
        // Usage that came while the condition was asked is the step's: the next iteration finds the step
        // that a restored run finds.
        let progress = self.machine.progress();
        let step = match progress.last_step() {
            Some(record) if record.usage() != step.usage() => {
                Arc::new(Step::new(record.clone(), step.shared_output()))
            }
            _ => step,
        };
        self.steps.settled(step, progress);
    }

    /// Whether others have to run now, after one more step: a loop of ready futures must not keep its thread to
    /// itself.
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
                self.signals.clock.stop();
                let answer = tokio::select! {
                    biased;
                    () = self.signals.cancel.cancelled() => None,
                    answer = ask.ask(question, self.machine.progress()) => answer,
                };
                self.signals.clock.go_on();
                answer
            }
        };
        self.answer(Input::Answered { answer });
    }

    fn take_events(&mut self) {
        self.outlet.take(&mut self.machine, self.output.as_deref());
    }

    async fn report(mut self, ending: Ending) -> Report<O> {
        self.outlet.flush().await;
        let unrecorded = self.outlet.keeper.and_then(Keeper::failure);
        Report::new(ending, self.machine.progress().clone(), self.steps, unrecorded)
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
