//! One unit of work.

use std::{fmt, future::Future, marker::PhantomData, sync::Arc};

use async_trait::async_trait;

use crate::{
    Ceiling, IterationError, Meter, Step,
    work::{Tether, Work},
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
///         Ok(cx.previous().and_then(|step| step.output()).map_or(1, |last| last * 2))
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
    tether: Tether,
}

impl<O> IterationContext<O> {
    /// A context for the iteration with this index, from 1. Drivers make them, and tests.
    pub fn new(work: &Work, iteration: u64) -> Self {
        Self::tethered(work.tether(), iteration)
    }

    /// A first attempt, with nothing before it.
    pub(crate) const fn tethered(tether: Tether, iteration: u64) -> Self {
        Self { iteration, attempt: 1, left: Ceiling::NONE, guidance: None, previous: None, tether }
    }

    /// A context for work that this iteration consists of, and that makes something else: what it reports and notes
    /// is reported and noted here, and what interrupts this interrupts it. There is no step before it.
    ///
    /// ```
    /// use loop_core::{Iteration, IterationContext, IterationError};
    ///
    /// /// Says what another iteration counts.
    /// struct Said<I>(I);
    ///
    /// #[async_trait::async_trait]
    /// impl<I: Iteration<Output = u64>> Iteration for Said<I> {
    ///     type Output = String;
    ///
    ///     async fn run(&mut self, cx: IterationContext<String>) -> Result<String, IterationError> {
    ///         Ok(self.0.run(cx.part()).await?.to_string())
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn part<P>(&self) -> IterationContext<P> {
        IterationContext {
            iteration: self.iteration,
            attempt: self.attempt,
            left: self.left,
            guidance: self.guidance.clone(),
            previous: None,
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

    /// With the step before.
    #[must_use]
    pub fn with_previous(mut self, previous: Option<Arc<Step<O>>>) -> Self {
        self.previous = previous;
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

    /// The step before, with its output and verdict; `None` in the first iteration.
    pub fn previous(&self) -> Option<&Step<O>> {
        self.previous.as_deref()
    }

    /// Takes reports of usage.
    pub fn meter(&self) -> Meter {
        self.tether.meter()
    }

    /// Notes a fingerprint of something that this iteration leaves behind. See
    /// [`Progress::unchanged`](crate::Progress::unchanged).
    pub fn mark(&self, name: &str, hash: u64) {
        self.tether.mark(name, hash);
    }

    /// Notes that something went wrong although the output can be judged: a non-zero exit code, for
    /// example. It counts as a [failure in a row](crate::Progress::consecutive_failures).
    pub fn fault(&self, message: impl Into<String>) {
        self.tether.fault(message.into());
    }

    /// Resolves when the iteration has to come to its end.
    pub async fn cancelled(&self) {
        self.tether.interrupted().await;
    }

    /// Whether the iteration has to come to its end.
    pub fn is_cancelled(&self) -> bool {
        self.tether.is_interrupted()
    }
}

/// An iteration from an async function of the context.
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

const _: fn(&dyn Iteration<Output = ()>) = |_| {};
