//! The tokio driver: does what the machine asks for, and tells it what came of it.

mod attend;
mod clock;
mod keep;
mod outlet;
mod spawn;
mod stream;
mod wait;

use std::{sync::Arc, task::Poll, time::Duration};

use tokio_util::sync::CancellationToken;

pub use spawn::Running;
pub use stream::{RunStream, Update};

use self::clock::Clock;
pub use self::clock::TimeOff;
pub(crate) use self::{
    keep::Keeper,
    outlet::{Goal, Outlet},
};
use crate::{
    Action, Ask, Ending, EvaluationContext, Evaluator, Input, Iteration, IterationContext, Machine, Phase,
    Question, Report, RunTime, Step, WorkResult, work::Work,
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
    grace: Duration,
    /// The machine has been told of the cancellation.
    cancelled: bool,
    /// Since the machine said what to do, a reader was waited for, so that the run may have been cancelled;
    /// or the journal failed.
    doubtful: bool,
    /// Steps and put-offs since other tasks last had their turn on this thread.
    turn: u32,
    /// The run time of that.
    turn_began: RunTime,
    /// The output of the step that is not settled yet.
    output: Option<Arc<O>>,
    previous: Option<Arc<Step<O>>>,
}

/// What can happen to a run from outside.
struct Signals {
    cancel: CancellationToken,
    clock: Clock,
    work: Work,
}

impl<I: Iteration> Driver<I> {
    pub(crate) async fn drive(mut self) -> Report<I::Output> {
        let mut action = self.run.begin();
        loop {
            if self.run.outlet.keeper.is_some() {
                // Boxed, because a run without a journal would else carry the room for it around.
                Box::pin(self.run.keep(&mut action)).await;
            }
            self.run.publish().await;
            action = match action {
                Action::Iterate { iteration, attempt } => self.iterate(iteration, attempt).await,
                Action::Evaluate => self.evaluate().await,
                Action::Settle => self.run.settle().await,
                Action::Wait(duration) => self.run.wait(duration).await,
                Action::Ask(question) => self.run.ask(self.ask.as_mut(), &question).await,
                Action::Interrupt { .. } => unreachable!("interrupts are dealt with while work is attended"),
                Action::Finish(ending) => return self.run.report(ending).await,
            };
        }
    }

    async fn iterate(&mut self, iteration: u64, attempt: u32) -> Action {
        let run = &mut self.run;
        let cx = IterationContext::new(&run.signals.work, iteration)
            .with_attempt(attempt)
            .with_left(run.machine.left())
            .with_guidance(run.machine.progress().shared_guidance())
            .with_previous(run.previous.clone());
        let result = match run.attend(self.iteration.run(cx)).await {
            Ok(output) => {
                run.output = Some(Arc::new(output));
                WorkResult::Done(())
            }
            Err(error) => error.into(),
        };
        let notes = run.signals.work.take_boxed_notes();
        run.feed(Input::Iterated { result, notes })
    }

    async fn evaluate(&mut self) -> Action {
        let run = &mut self.run;
        let (Some(evaluator), Some(output)) = (&mut self.evaluator, &run.output) else {
            unreachable!("the builder lets no run begin that would be evaluated without its parts")
        };
        let iteration = run.machine.progress().current_step().map_or(0, crate::StepRecord::iteration);
        let cx = EvaluationContext::new(&run.signals.work, iteration, Arc::clone(output))
            .with_left(run.machine.left())
            .with_previous(run.previous.clone());
        let result = match run.attend(evaluator.as_mut().evaluate(cx)).await {
            Ok(verdict) => WorkResult::Done(verdict),
            Err(error) => error.into(),
        };
        let notes = run.signals.work.take_boxed_notes();
        run.feed(Input::Evaluated { result, notes })
    }
}

impl<O> Run<O> {
    pub(crate) fn new(
        machine: Machine,
        outlet: Outlet<O>,
        cancel: CancellationToken,
        grace: Duration,
        time_off: TimeOff,
        last_output: Option<O>,
    ) -> Self {
        let progress = machine.progress();
        let clock = Clock::starting_at(progress.now(), time_off);
        let output = last_output.map(Arc::new);
        let last = progress.last_step().cloned();
        // The output that was kept is that of the step which is not settled, if it made one; else that
        // of the step before, unless it is an earlier one's.
        let (output, previous) = match progress.needs_output() {
            true => (output, last.map(|record| Step::new(record, None))),
            false => (None, last.map(|record| Step::new(record.clone(), output.filter(|_| record.produced)))),
        };
        let previous = previous.map(Arc::new);
        let signals = Signals { cancel, clock, work: Work::new() };
        let turn_began = machine.progress().now();
        Self {
            machine,
            outlet,
            signals,
            grace,
            cancelled: false,
            doubtful: false,
            turn: 0,
            turn_began,
            output,
            previous,
        }
    }

    fn begin(&mut self) -> Action {
        let progress = self.machine.progress();
        match progress.ending() {
            // Cancelled before it is taken up again: nothing starts, and it stays as it ended.
            Some(ending) if self.signals.cancel.is_cancelled() => Action::Finish(ending.clone()),
            None if progress.phase() == Phase::New => self.feed(Input::Started),
            _ => self.feed(Input::Resumed),
        }
    }

    /// Tells the machine what answers its outstanding action. A cancellation is told first, so that
    /// nothing starts after it, and so is usage that came late, so that none is lost at the end.
    fn feed(&mut self, input: Input) -> Action {
        let at = self.signals.clock.now();
        if let Some(finish) = self.tell_usage() {
            return finish;
        }
        // Nothing starts after an evaluation but the end of its step, and work that is over is not cut.
        let starts = !matches!(input, Input::Evaluated { .. });
        if starts && let Some(finish @ Action::Finish(_)) = self.tell_cancel() {
            return finish;
        }
        match self.machine.handle(at, input) {
            Some(action) => action,
            None => unreachable!("this input answers the action that the machine asked for"),
        }
    }

    /// Tells the machine once that the run was cancelled, if it was.
    fn tell_cancel(&mut self) -> Option<Action> {
        // An ended run that is about to go on would not hear of it, and it is told once.
        let over = self.machine.progress().phase() == Phase::Ended;
        if self.cancelled || over || !self.signals.cancel.is_cancelled() {
            return None;
        }
        self.cancelled = true;
        self.machine.handle(self.signals.clock.now(), Input::Cancelled)
    }

    /// Tells the machine of usage that came when no work was running. What comes while it runs is
    /// told by who attends it, or belongs to its end.
    fn tell_usage(&mut self) -> Option<Action> {
        if let Phase::Working(_) = self.machine.progress().phase() {
            return None;
        }
        let usage = self.signals.work.take_usage();
        if usage.is_unknown() {
            return None;
        }
        self.machine.handle(self.signals.clock.now(), Input::Reported { usage })
    }

    /// Ends a step: asks the condition, with the step's own events folded.
    async fn settle(&mut self) -> Action {
        self.give_way().await;
        // The condition sees a step, a progress and events that say the same.
        self.tell_usage();
        self.take_events();
        let Some(record) = self.machine.progress().current_step().cloned() else {
            unreachable!("the machine settles the step that it has begun")
        };
        let step = Arc::new(Step::new(record, self.output.take()));
        let by = self.outlet.goal.decided_by(&step, self.machine.progress());
        let action = self.feed(Input::Settled { met: by.is_some(), by });
        // Usage that came while the condition was asked is the step's: the next iteration finds the step
        // that a restored run finds.
        self.previous = match self.machine.progress().last_step() {
            Some(record) if record.usage() != step.usage() => {
                Some(Arc::new(Step::new(record.clone(), step.shared_output())))
            }
            _ => Some(step),
        };
        action
    }

    /// Lets others run, now and then: a loop of ready futures must not keep its thread to itself.
    async fn give_way(&mut self) {
        self.turn += 1;
        let now = self.machine.progress().now();
        if self.turn == TURN_STEPS || now.since(self.turn_began) >= TURN_TIME {
            yield_to_runtime().await;
            self.turn = 0;
            self.turn_began = now;
        }
    }

    async fn ask(&mut self, ask: Option<&mut Box<dyn Ask>>, question: &Question) -> Action {
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
        self.feed(Input::Answered { answer })
    }

    /// Passes the new events on. A slow reader holds the run up here, between two actions, where no
    /// work is under way; a cancellation gets past it.
    async fn publish(&mut self) {
        self.take_events();
        if self.outlet.is_clear() {
            return;
        }
        self.doubtful = true;
        tokio::select! {
            biased;
            () = self.outlet.flush() => {}
            () = self.signals.cancel.cancelled() => {}
        }
    }

    fn take_events(&mut self) {
        self.outlet.take(&mut self.machine, self.output.as_deref());
    }

    async fn report(mut self, ending: Ending) -> Report<O> {
        self.outlet.flush().await;
        let unrecorded = self.outlet.keeper.and_then(Keeper::failure);
        Report::new(ending, self.machine.progress().clone(), self.previous, unrecorded)
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
