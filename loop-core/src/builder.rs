//! Composing a loop.

use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    Ask, Evaluator, Event, Guardrail, Iteration, Judged, Machine, MaxElapsed, MaxIterations, Observer, Pace,
    Phase, Progress, Report, Step, StopCondition,
    driver::{Driver, Goal, Outlet, Run, RunStream, Running},
};

/// The step type of a loop: [`Step<O>`], or [`Judged<O>`] with an evaluator.
pub trait LoopStep: sealed::Sealed + Sized {
    /// What the loop's iterations produce.
    type Output: Send + Sync + 'static;

    #[doc(hidden)]
    fn meets<C: StopCondition<Self>>(
        step: &Arc<Step<Self::Output>>,
        condition: &C,
        progress: &Progress,
    ) -> bool;
}

impl<O: Send + Sync + 'static> LoopStep for Step<O> {
    type Output = O;
    fn meets<C: StopCondition<Self>>(step: &Arc<Self>, condition: &C, progress: &Progress) -> bool {
        condition.is_met(step, progress)
    }
}

impl<O: Send + Sync + 'static> LoopStep for Judged<O> {
    type Output = O;
    fn meets<C: StopCondition<Self>>(step: &Arc<Step<O>>, condition: &C, progress: &Progress) -> bool {
        condition.is_met(&Self::new(Arc::clone(step)), progress)
    }
}

/// Says that a loop has a bound. Only loops that do can run.
#[diagnostic::on_unimplemented(
    message = "this loop has no bound, so it could run for ever",
    label = "call `.at_most(count)` or `.at_most_for(duration)` before this",
    note = "a limit on cost or tokens is no bound: an agent may not report them"
)]
pub trait IsBounded: sealed::Sealed {}

/// A loop without a bound. It cannot run.
#[derive(Debug)]
pub struct Unbounded;

/// A loop with a bound.
#[derive(Debug)]
pub struct Bounded;

impl IsBounded for Bounded {}

mod sealed {
    #[diagnostic::on_unimplemented(message = "the loop's types are the kernel's own")]
    pub trait Sealed {}
    impl<O> Sealed for crate::Step<O> {}
    impl<O> Sealed for crate::Judged<O> {}
    impl Sealed for super::Unbounded {}
    impl Sealed for super::Bounded {}
}

/// Why a loop cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Nothing says when the goal is met.
    #[error(
        "the loop has no goal: say with `.until(condition)` when it is done, or use `after(count)` as the condition"
    )]
    NoGoal,
    /// The bound allows nothing.
    #[error("the loop's bound is zero, so it could do nothing: allow at least one iteration, or some time")]
    ZeroBound,
    /// The events are those of another loop.
    #[error("the events to resume from are those of a loop {} an evaluator, and this one is {}",
        if *.recorded { "with" } else { "without" }, if *.recorded { "without" } else { "with" })]
    EvaluatorChanged {
        /// Whether the recorded loop had an evaluator.
        recorded: bool,
    },
    /// The run stopped between an iteration and its evaluation.
    #[error(
        "the run stopped before iteration {iteration} was evaluated: pass its output to `.resume(events, output)`"
    )]
    OutputMissing {
        /// The iteration that was not evaluated.
        iteration: u64,
    },
}

/// A loop in the making.
///
/// `S` is its step type, `B` says whether it has a bound.
///
/// # Default
/// No evaluator, no delay between iterations, nobody to ask, 10 s of grace for interrupted work, and
/// no goal: [`until`](Self::until) sets it, and without it the loop cannot be built.
#[must_use = "a loop does nothing until it is run"]
pub struct Loop<I: Iteration, S = Step<<I as Iteration>::Output>, B = Unbounded> {
    iteration: I,
    evaluator: Option<Box<dyn Evaluator<I::Output>>>,
    goal: Option<Box<dyn Goal<I::Output>>>,
    bounds: Vec<Box<dyn Guardrail>>,
    zero_bound: bool,
    guardrails: Vec<Box<dyn Guardrail>>,
    pace: Box<dyn Pace>,
    ask: Option<Box<dyn Ask>>,
    observers: Vec<Box<dyn Observer>>,
    cancel: CancellationToken,
    grace: Duration,
    resume: Option<(Vec<Event>, Option<I::Output>)>,
    types: PhantomData<fn(S, B)>,
}

impl<I: Iteration> Loop<I> {
    /// A loop over this iteration.
    pub fn new(iteration: I) -> Self {
        Self {
            iteration,
            evaluator: None,
            goal: None,
            bounds: Vec::new(),
            zero_bound: false,
            guardrails: Vec::new(),
            pace: Box::new(Duration::ZERO),
            ask: None,
            observers: Vec::new(),
            cancel: CancellationToken::new(),
            grace: Duration::from_secs(10),
            resume: None,
            types: PhantomData,
        }
    }
}

impl<I: Iteration, B> Loop<I, Step<I::Output>, B> {
    /// Judges every output that an iteration produces. Goes before [`until`](Self::until).
    pub fn evaluate(
        mut self,
        evaluator: impl Evaluator<I::Output> + 'static,
    ) -> Loop<I, Judged<I::Output>, B> {
        self.evaluator = Some(Box::new(evaluator));
        self.retyped()
    }
}

impl<I, S, B> Loop<I, S, B>
where
    I: Iteration,
    S: LoopStep<Output = I::Output> + 'static,
{
    /// Says when the goal is met. A second call replaces the first; combine conditions with
    /// [`When`](crate::When) instead.
    pub fn until(mut self, condition: impl StopCondition<S> + 'static) -> Self {
        self.goal = Some(Box::new(Condition { condition, step: PhantomData::<fn(S)> }));
        self
    }

    /// Bounds the loop: at most so many iterations.
    pub fn at_most(mut self, iterations: u64) -> Loop<I, S, Bounded> {
        self.zero_bound |= iterations == 0;
        self.bounds.push(Box::new(MaxIterations::new(iterations)));
        self.retyped()
    }

    /// Bounds the loop: at most so much run time, waits included.
    pub fn at_most_for(mut self, time: Duration) -> Loop<I, S, Bounded> {
        self.zero_bound |= time.is_zero();
        self.bounds.push(Box::new(MaxElapsed::new(time)));
        self.retyped()
    }

    /// Adds a guardrail, after those given before. The bounds stand before all of them.
    pub fn guard(mut self, guardrail: impl Guardrail + 'static) -> Self {
        self.guardrails.push(Box::new(guardrail));
        self
    }

    /// Sets the delay between iterations: a [`Duration`], or a [`Pace`] of your own.
    pub fn pace(mut self, pace: impl Pace + 'static) -> Self {
        self.pace = Box::new(pace);
        self
    }

    /// Sets who answers questions.
    pub fn on_ask(mut self, ask: impl Ask + 'static) -> Self {
        self.ask = Some(Box::new(ask));
        self
    }

    /// Adds an observer of the run's events.
    pub fn observe(mut self, observer: impl Observer + 'static) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Ends the run when this token is cancelled.
    pub fn cancel_on(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// Sets how long interrupted work may take to come to its end before it is dropped.
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Goes on with the run that wrote these events, with parts that are made as they were then.
    /// `last_output` is the output of the last iteration that succeeded, if it was kept.
    pub fn resume(mut self, events: Vec<Event>, last_output: Option<I::Output>) -> Self {
        self.resume = Some((events, last_output));
        self
    }

    fn retyped<S2, B2>(self) -> Loop<I, S2, B2> {
        Loop {
            iteration: self.iteration,
            evaluator: self.evaluator,
            goal: self.goal,
            bounds: self.bounds,
            zero_bound: self.zero_bound,
            guardrails: self.guardrails,
            pace: self.pace,
            ask: self.ask,
            observers: self.observers,
            cancel: self.cancel,
            grace: self.grace,
            resume: self.resume,
            types: PhantomData,
        }
    }
}

/// How many events a spawned run may be ahead of its reader.
const CHANNEL: usize = 64;

impl<I, S, B> Loop<I, S, B>
where
    I: Iteration,
    S: LoopStep<Output = I::Output>,
    B: IsBounded,
{
    /// Runs the loop to its end.
    ///
    /// # Errors
    /// A [`BuildError`] before anything has run. How the run itself ends is in the [`Report`].
    ///
    /// # Panics
    /// If a part panics; and outside of a tokio runtime with its timer enabled, once time is needed.
    ///
    /// # Cancel safety
    /// Dropping the future ends the run at once: the work under way is dropped, without grace.
    pub async fn run(self) -> Result<Report<I::Output>, BuildError> {
        Ok(self.driver(None)?.drive().await)
    }

    /// Runs the loop while the stream is polled.
    ///
    /// # Errors
    /// A [`BuildError`] before anything has run.
    pub fn stream(self) -> Result<RunStream<I::Output>, BuildError>
    where
        I: 'static,
    {
        let (reader, events) = mpsc::channel(1);
        Ok(RunStream::new(self.driver(Some(reader))?.drive(), events))
    }

    /// Runs the loop as a task of its own.
    ///
    /// # Errors
    /// A [`BuildError`] before anything has run.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn spawn(self) -> Result<Running<I::Output>, BuildError>
    where
        I: 'static,
    {
        let (reader, events) = mpsc::channel(CHANNEL);
        // Dropping the handle cancels this run, and not whatever else the user's token stands for.
        let cancel = self.cancel.child_token();
        let driver = Self { cancel: cancel.clone(), ..self }.driver(Some(reader))?;
        Ok(Running::new(driver.drive(), events, cancel))
    }

    fn driver(self, reader: Option<mpsc::Sender<Event>>) -> Result<Driver<I>, BuildError> {
        if self.zero_bound {
            return Err(BuildError::ZeroBound);
        }
        let mut goal = self.goal.ok_or(BuildError::NoGoal)?;
        let evaluated = self.evaluator.is_some();
        let guardrails = self.bounds.into_iter().chain(self.guardrails).collect();
        let mut machine = Machine::new(guardrails, self.pace, evaluated);
        let (events, output) = self.resume.unwrap_or_default();
        machine.restore(&events);
        for event in &events {
            goal.observe(event);
        }
        check_restored(machine.progress(), evaluated, output.is_some())?;
        let outlet = Outlet::new(goal, self.observers, reader);
        let run = Run::new(machine, outlet, self.cancel, self.grace, output);
        Ok(Driver { iteration: self.iteration, evaluator: self.evaluator, ask: self.ask, run })
    }
}

/// Refuses to go on with a run that these parts cannot continue.
fn check_restored(progress: &Progress, evaluated: bool, has_output: bool) -> Result<(), BuildError> {
    if progress.phase() == Phase::New {
        return Ok(());
    }
    if progress.is_evaluated() != evaluated {
        return Err(BuildError::EvaluatorChanged { recorded: progress.is_evaluated() });
    }
    match progress.current_step() {
        Some(step) if progress.awaits_judgement() && step.failure().is_none() && !has_output => {
            Err(BuildError::OutputMissing { iteration: step.iteration() })
        }
        _ => Ok(()),
    }
}

/// A condition on the loop's steps, as the driver knows it.
struct Condition<C, S> {
    condition: C,
    step: PhantomData<fn(S)>,
}

impl<S: LoopStep, C: StopCondition<S>> Goal<S::Output> for Condition<C, S> {
    fn is_met(&self, step: &Arc<Step<S::Output>>, progress: &Progress) -> bool {
        S::meets(step, &self.condition, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.condition.observe(event);
    }
}

impl<I: Iteration, S, B> fmt::Debug for Loop<I, S, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loop")
            .field("evaluated", &self.evaluator.is_some())
            .field("has_goal", &self.goal.is_some())
            .field("guardrails", &(self.bounds.len() + self.guardrails.len()))
            .finish_non_exhaustive()
    }
}
