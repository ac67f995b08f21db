//! One unit of work.

use std::{fmt, future::Future, marker::PhantomData, sync::Arc};

use async_trait::async_trait;

use crate::{
    Ceiling, IterationError, Step,
    work::{Tether, Work, tethered},
};

/// One unit of work, done again and again: an agent's run, a chat turn, a model's round.
///
/// # Contract
/// - The output is what the evaluator judges and what the next iteration finds as
///   [`previous`](IterationContext::previous).
/// - Report usage while it arises, with [`meter`](IterationContext::meter): a budget can only cut
///   what it hears of.
/// - When [`cancelled`](IterationContext::cancelled) resolves, come to an end: what you return is
///   not judged any more, but what you report still counts. After the driver's grace time the future
///   is dropped. **Dropping it must end what it started.**
/// - An iteration that blocks its thread cannot be cut. Use `tokio::task::spawn_blocking` for that.
///
/// ```
/// use loop_core::{Iteration, IterationContext, IterationError};
///
/// struct Doubler;
///
/// #[loop_core::async_trait]
/// impl Iteration for Doubler {
///     type Output = u64;
///     async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, IterationError> {
///         Ok(cx.last_output().map_or(1, |last| last * 2))
///     }
/// }
/// ```
#[async_trait]
pub trait Iteration: Send {
    /// What an iteration produces.
    type Output: Send + Sync + 'static;

    /// Does one unit of work.
    ///
    /// # Errors
    /// [`IterationError`] says whether the step failed, has to be tried later, or ends the run.
    ///
    /// # Cancel safety
    /// The future is dropped when the run is, or when its grace time is over.
    async fn run(&mut self, cx: IterationContext<Self::Output>) -> Result<Self::Output, IterationError>;
}

#[async_trait]
impl<I: Iteration + ?Sized> Iteration for Box<I> {
    type Output = I::Output;
    async fn run(&mut self, cx: IterationContext<I::Output>) -> Result<I::Output, IterationError> {
        (**self).run(cx).await
    }
}

/// What an iteration is given. Owned, so that it can move into tasks.
#[derive(Debug)]
pub struct IterationContext<O> {
    iteration: u64,
    attempt: u32,
    left: Ceiling,
    guidance: Option<Arc<str>>,
    previous: Option<Arc<Step<O>>>,
    last_output: Option<Arc<O>>,
    tether: Tether,
}

impl<O> IterationContext<O> {
    /// A context for the iteration with this index, from 1. Drivers make them, and tests.
    pub fn new(work: &Work, iteration: u64) -> Self {
        Self::tethered(work.tether(iteration), iteration)
    }

    /// A first attempt, with nothing before it.
    pub(crate) const fn tethered(tether: Tether, iteration: u64) -> Self {
        Self {
            iteration,
            attempt: 1,
            left: Ceiling::NONE,
            guidance: None,
            previous: None,
            last_output: None,
            tether,
        }
    }

    /// A context for work that this iteration consists of, and whose output is of another type. What the work reports
    /// and notes is reported and noted here, and it is interrupted when this iteration is. It finds the step before, with
    /// its verdict, but without an output: see [`map_previous`](Self::map_previous).
    #[must_use]
    pub fn part<P>(&self) -> IterationContext<P> {
        self.map_previous(|_| None)
    }

    /// A [`part`](Self::part) that finds the earlier outputs as well, as far as they can be mapped.
    ///
    /// ```
    /// use loop_core::{Iteration, IterationContext, IterationError};
    ///
    /// /// Writes down the number that another iteration makes of the one before.
    /// struct InWords<I>(I);
    ///
    /// #[loop_core::async_trait]
    /// impl<I: Iteration<Output = u64>> Iteration for InWords<I> {
    ///     type Output = String;
    ///
    ///     async fn run(&mut self, cx: IterationContext<String>) -> Result<String, IterationError> {
    ///         Ok(self.0.run(cx.map_previous(|text| text.parse().ok())).await?.to_string())
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn map_previous<P>(&self, map: impl Fn(&O) -> Option<P>) -> IterationContext<P> {
        let last_output = self.last_output.as_deref().and_then(&map).map(Arc::new);
        let previous = self.previous.as_ref().map(|step| {
            let is_last = step.output().zip(self.last_output()).is_some_and(|(a, b)| std::ptr::eq(a, b));
            let output = match is_last {
                true => last_output.clone(),
                false => step.output().and_then(&map).map(Arc::new),
            };
            Arc::new(Step::new((**step).clone(), output))
        });
        IterationContext {
            iteration: self.iteration,
            attempt: self.attempt,
            left: self.left,
            guidance: self.guidance.clone(),
            previous,
            last_output,
            tether: self.tether.clone(),
        }
    }

    /// With the number of this attempt at the index, from 1.
    #[must_use]
    pub const fn with_attempt(mut self, attempt: u32) -> Self {
        self.attempt = attempt;
        self
    }

    /// With what the guardrails leave.
    #[must_use]
    pub const fn with_left(mut self, left: Ceiling) -> Self {
        self.left = left;
        self
    }

    /// With a person's note.
    #[must_use]
    pub fn with_guidance(mut self, guidance: Option<Arc<str>>) -> Self {
        self.guidance = guidance;
        self
    }

    /// With the step before. Its output, if it has one, is the last one.
    #[must_use]
    pub fn with_previous(mut self, previous: Option<Arc<Step<O>>>) -> Self {
        let output = previous.as_ref().and_then(|step| step.shared_output());
        (self.previous, self.last_output) = (previous, output.or(self.last_output));
        self
    }

    /// With the step before and the last output that there is.
    pub(crate) fn with_steps(mut self, previous: Option<Arc<Step<O>>>, output: Option<Arc<O>>) -> Self {
        (self.previous, self.last_output) = (previous, output);
        self
    }

    /// With the last output that there is, of whatever step.
    #[must_use]
    pub fn with_last_output(mut self, output: Option<Arc<O>>) -> Self {
        self.last_output = output;
        self
    }

    /// The index of this iteration, from 1.
    pub const fn iteration(&self) -> u64 {
        self.iteration
    }

    /// 1, and one more for each time that the run died in this iteration.
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// What the guardrails leave to this iteration, as it begins.
    pub const fn left(&self) -> Ceiling {
        self.left
    }

    /// What a person noted for this iteration when asked.
    pub fn guidance(&self) -> Option<&str> {
        self.guidance.as_deref()
    }

    /// The step before, with its output and verdict; `None` in the first iteration. A step that failed has no output:
    /// see [`last_output`](Self::last_output).
    pub fn previous(&self) -> Option<&Step<O>> {
        self.previous.as_deref()
    }

    /// The last output that there is: that of the step before, or if it failed, of the last one that did not.
    pub fn last_output(&self) -> Option<&O> {
        self.last_output.as_deref()
    }

    /// Notes that something went wrong although the output can be judged: a non-zero exit code, for
    /// example. It counts as a [failure in a row](crate::Progress::consecutive_failures). A fault or a mark that a task
    /// notes after the step is over is dropped.
    pub fn fault(&self, message: impl Into<String>) {
        self.tether.fault(message.into());
    }
}

tethered!(IterationContext, "iteration");

/// An iteration from an async function of the context. The closure keeps nothing from one iteration to the next: for that
/// there is [`iteration_with`].
///
/// ```
/// use loop_core::{IterationContext, iteration_fn};
/// let counter = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// ```
pub fn iteration_fn<F, Fut, O>(run: F) -> IterationFn<F, O>
where
    F: FnMut(IterationContext<O>) -> Fut + Send,
    Fut: Future<Output = Result<O, IterationError>> + Send,
    O: Send + Sync + 'static,
{
    IterationFn { run, output: PhantomData }
}

/// See [`iteration_fn`].
#[derive(Clone)]
pub struct IterationFn<F, O> {
    run: F,
    output: PhantomData<fn() -> O>,
}

impl<F, O> fmt::Debug for IterationFn<F, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IterationFn")
    }
}

#[async_trait]
impl<F, Fut, O> Iteration for IterationFn<F, O>
where
    F: FnMut(IterationContext<O>) -> Fut + Send,
    Fut: Future<Output = Result<O, IterationError>> + Send,
    O: Send + Sync + 'static,
{
    type Output = O;
    async fn run(&mut self, cx: IterationContext<O>) -> Result<O, IterationError> {
        (self.run)(cx).await
    }
}

/// An iteration from some state and an async function of it and the context. All that the function keeps or uses goes
/// into the state.
///
/// ```
/// use loop_core::{IterationContext, iteration_with};
/// let agent = iteration_with(Vec::new(), async |seen: &mut Vec<u64>, cx: IterationContext<usize>| {
///     seen.push(cx.iteration());
///     Ok(seen.len())
/// });
/// ```
pub const fn iteration_with<T, F, O>(state: T, run: F) -> IterationWith<T, F, O>
where
    T: Send,
    F: for<'a> StatefulFn<'a, T, O> + Send,
    O: Send + Sync + 'static,
{
    IterationWith { state, run, output: PhantomData }
}

/// See [`iteration_with`].
#[derive(Clone)]
pub struct IterationWith<T, F, O> {
    state: T,
    run: F,
    output: PhantomData<fn() -> O>,
}

impl<T: fmt::Debug, F, O> fmt::Debug for IterationWith<T, F, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterationWith").field("state", &self.state).finish_non_exhaustive()
    }
}

/// An async function of a state and a context. All functions of that kind are.
#[diagnostic::on_unimplemented(
    message = "this is no iteration over a state",
    label = "expected `async |state: &mut State, cx: IterationContext<Output>| ...`",
    note = "the closure can capture nothing: put what it uses into the state"
)]
pub trait StatefulFn<'a, T: 'a, O>: FnMut(&'a mut T, IterationContext<O>) -> Self::Running {
    /// The future that it returns.
    type Running: Future<Output = Result<O, IterationError>> + Send + 'a;
}

impl<'a, T, O, F, Fut> StatefulFn<'a, T, O> for F
where
    T: 'a,
    F: FnMut(&'a mut T, IterationContext<O>) -> Fut,
    Fut: Future<Output = Result<O, IterationError>> + Send + 'a,
{
    type Running = Fut;
}

#[async_trait]
impl<T, F, O> Iteration for IterationWith<T, F, O>
where
    T: Send,
    F: for<'a> StatefulFn<'a, T, O> + Send,
    O: Send + Sync + 'static,
{
    type Output = O;
    async fn run(&mut self, cx: IterationContext<O>) -> Result<O, IterationError> {
        (self.run)(&mut self.state, cx).await
    }
}

const _: fn(&dyn Iteration<Output = ()>) = |_| {};
