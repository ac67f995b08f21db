//! Composing a loop.

mod error;
mod goal;
mod halts;
mod history;
#[cfg(feature = "tokio")]
mod lanes;
#[cfg(feature = "tokio")]
mod nested;
mod parts;
#[cfg(feature = "tokio")]
mod run;
mod type_state;

use std::{fmt, marker::PhantomData, time::Duration};

#[cfg(feature = "tokio")]
pub use self::lanes::{LaneReports, Lanes, best_of, race};
pub use self::{
    error::BuildError,
    type_state::{Bounded, IsBounded, LoopStep, Unbounded},
};
use self::{goal::TypedCondition, history::HistorySource};
use crate::{
    Ask, CancellationToken, Evaluator, Guardrail, Iteration, JudgedStep, MaxElapsed, MaxIterations, Observer,
    OnLag, Pace, SharedBudget, Step, StopCondition, SuspendedTime, end_signals::HaltFuture, run::Goal,
};

/// How long work may continue after a report that crosses a limit: 50 ms. Change it with [`Loop::overrun`].
pub const DEFAULT_OVERRUN: Duration = Duration::from_millis(50);

/// The builder of a loop.
///
/// `S` is its step type, and `B` tracks whether it has a bound.
///
/// # Default
/// No evaluator, no delay between iterations, no journal, nobody to ask, 10 s of grace for interrupted work, and no
/// goal. Set a goal with [`until`](Self::until): a loop without a goal cannot be built.
#[must_use = "a loop does nothing until it is run"]
pub struct Loop<I: Iteration, S = Step<<I as Iteration>::Output>, B = Unbounded> {
    iteration: I,
    evaluator: Option<Box<dyn Evaluator<I::Output>>>,
    goal: Option<Box<dyn Goal<I::Output>>>,
    /// The goal was set before the evaluator, so it cannot look at the verdicts.
    goal_is_blind: bool,
    bounds: Vec<Box<dyn Guardrail>>,
    zero_bound: bool,
    guardrails: Vec<Box<dyn Guardrail>>,
    pace: Box<dyn Pace>,
    ask: Option<Box<dyn Ask>>,
    observers: Vec<Box<dyn Observer>>,
    cancel: CancellationToken,
    halts: Vec<HaltFuture>,
    budgets: Vec<SharedBudget>,
    grace: Duration,
    overrun: Duration,
    channel: usize,
    on_lag: OnLag,
    suspended_time: SuspendedTime,
    /// The output that is evaluated before the first iteration.
    initial: Option<I::Output>,
    history: HistorySource<I::Output>,
    types: PhantomData<fn(S, B)>,
}

impl<I: Iteration> Loop<I> {
    /// Creates a loop over this iteration.
    pub fn new(iteration: I) -> Self {
        Self {
            iteration,
            evaluator: None,
            goal: None,
            goal_is_blind: false,
            bounds: Vec::new(),
            zero_bound: false,
            guardrails: Vec::new(),
            pace: Box::new(Duration::ZERO),
            ask: None,
            observers: Vec::new(),
            cancel: CancellationToken::new(),
            halts: Vec::new(),
            budgets: Vec::new(),
            grace: Duration::from_secs(10),
            overrun: DEFAULT_OVERRUN,
            channel: 64,
            on_lag: OnLag::Hold,
            suspended_time: SuspendedTime::new(),
            initial: None,
            history: HistorySource::none(),
            types: PhantomData,
        }
    }
}

impl<I: Iteration, B> Loop<I, Step<I::Output>, B> {
    /// Sets the evaluator, which judges every output. Call this before [`until`](Self::until).
    pub fn evaluate(
        mut self,
        evaluator: impl Evaluator<I::Output> + 'static,
    ) -> Loop<I, JudgedStep<I::Output>, B> {
        self.evaluator = Some(Box::new(evaluator));
        self.goal_is_blind = self.goal.is_some();
        self.retyped()
    }
}

impl<I: Iteration, B> Loop<I, JudgedStep<I::Output>, B> {
    /// Evaluates this output before the first iteration, in a step with the index 0. If it meets the goal, the run ends
    /// without any iteration. Otherwise the first iteration finds it in
    /// [`previous`](crate::IterationContext::previous), with its verdict. The evaluation counts for the limits of the
    /// run, but not as an iteration. When you resume the run, pass the same output again: a journal does not store it.
    ///
    /// ```
    /// use loop_core::{EvaluationContext, IterationContext, Loop, Verdict, evaluator_fn, evaluator_passed, iteration_fn};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), loop_core::BuildError> {
    /// let double = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.last_output().map_or(1, |last| last * 2)));
    /// let check = evaluator_fn(async |cx: EvaluationContext<u64>| {
    ///     Ok(if *cx.output() >= 20 { Verdict::pass() } else { Verdict::fail() })
    /// });
    /// let run = Loop::new(double).evaluate(check).evaluate_first(5).until(evaluator_passed()).at_most(9);
    /// let report = run.run().await?;
    /// assert_eq!((report.iterations(), report.output()), (2, Some(&20)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn evaluate_first(mut self, output: I::Output) -> Self {
        self.initial = Some(output);
        self
    }
}

impl<I, S, B> Loop<I, S, B>
where
    I: Iteration,
    S: LoopStep<Output = I::Output> + 'static,
{
    /// Sets the condition that decides when the goal is met. A second call replaces the first. To combine conditions,
    /// use [`Condition`](crate::Condition).
    pub fn until(mut self, condition: impl StopCondition<S> + 'static) -> Self {
        self.goal = Some(Box::new(TypedCondition::<_, S>::new(condition)));
        self.goal_is_blind = false;
        self
    }

    /// Bounds the loop to at most this many iterations.
    pub fn at_most(mut self, iterations: u64) -> Loop<I, S, Bounded> {
        self.zero_bound |= iterations == 0;
        self.bounds.push(Box::new(MaxIterations::new(iterations)));
        self.retyped()
    }

    /// Bounds the loop to at most this much run time, waits included.
    pub fn at_most_for(mut self, time: Duration) -> Loop<I, S, Bounded> {
        self.zero_bound |= time.is_zero();
        self.bounds.push(Box::new(MaxElapsed::new(time)));
        self.retyped()
    }

    /// Adds a guardrail after the earlier ones. The bounds come before all of them.
    pub fn guard(mut self, guardrail: impl Guardrail + 'static) -> Self {
        self.guardrails.push(Box::new(guardrail));
        self
    }

    /// Sets the delay between iterations: a [`Duration`], or a [`Pace`] of your own.
    pub fn pace(mut self, pace: impl Pace + 'static) -> Self {
        self.pace = Box::new(pace);
        self
    }

    /// Sets the handler that answers questions.
    pub fn on_ask(mut self, ask: impl Ask + 'static) -> Self {
        self.ask = Some(Box::new(ask));
        self
    }

    /// Adds an observer of the run's events.
    pub fn observe(mut self, observer: impl Observer + 'static) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Ends the run when this token is cancelled. Dropping a spawned run does not cancel your token.
    pub fn cancel_on(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// Sets how long interrupted work may take to end before the driver drops it. If the work has its own grace time,
    /// such as that of a shell agent for its command, keep that shorter: dropped work cannot end cleanly.
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets how long work may continue after a usage report that crosses a limit. Many agents report their cost in
    /// their last line: if the work ends within this time, its output counts and may meet the goal. The next report
    /// interrupts it at once. Work therefore exceeds a limit by at most one report plus its unreported spending in this
    /// time.
    ///
    /// # Default
    /// [`DEFAULT_OVERRUN`].
    pub const fn overrun(mut self, overrun: Duration) -> Self {
        self.overrun = overrun;
        self
    }

    /// Sets how many events a [spawned](Self::spawn) run may be ahead of its reader; at least one.
    ///
    /// # Default
    /// 64.
    pub const fn channel(mut self, events: usize) -> Self {
        self.channel = events;
        self
    }

    /// Sets what a [spawned](Self::spawn) run does when its reader is that many events behind.
    ///
    /// # Default
    /// [`OnLag::Hold`].
    pub const fn on_lag(mut self, on_lag: OnLag) -> Self {
        self.on_lag = on_lag;
        self
    }

    /// Excludes the time that you add to this handle from the run time.
    pub fn suspended_time(mut self, suspended_time: SuspendedTime) -> Self {
        self.suspended_time = suspended_time;
        self
    }

    fn retyped<S2, B2>(self) -> Loop<I, S2, B2> {
        Loop {
            iteration: self.iteration,
            evaluator: self.evaluator,
            goal: self.goal,
            goal_is_blind: self.goal_is_blind,
            bounds: self.bounds,
            zero_bound: self.zero_bound,
            guardrails: self.guardrails,
            pace: self.pace,
            ask: self.ask,
            observers: self.observers,
            cancel: self.cancel,
            halts: self.halts,
            budgets: self.budgets,
            grace: self.grace,
            overrun: self.overrun,
            channel: self.channel,
            on_lag: self.on_lag,
            suspended_time: self.suspended_time,
            initial: self.initial,
            history: self.history,
            types: PhantomData,
        }
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
