//! One unit of work.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{
    Ceiling, IterationError, Step,
    work::{Outer, Work, WorkHandle, work_handle_methods},
};

/// A unit of work that the loop repeats: an agent's run, a chat turn, a model's round.
///
/// # Contract
/// - The evaluator judges the output, and the next iteration finds it in
///   [`previous`](IterationContext::previous).
/// - Report usage as it arises, with [`meter`](IterationContext::meter): a budget cannot cut work whose usage it does
///   not know.
/// - When [`cancelled`](IterationContext::cancelled) resolves, return soon. Nobody judges the output any more, but the
///   usage that you report still counts. After its grace time the driver drops the future.
///   **Dropping it must end everything that it started.**
/// - The driver cannot cut an iteration that blocks its thread. Use `tokio::task::spawn_blocking` for blocking work.
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
    /// The output of an iteration.
    type Output: Send + Sync + 'static;

    /// Does one unit of work.
    ///
    /// # Errors
    /// [`IterationError`] tells the loop whether the step failed, must be retried later, or ends the run.
    ///
    /// # Cancel safety
    /// The driver drops the future when the run itself is dropped, or when the grace time after an interrupt is over.
    async fn run(&mut self, cx: IterationContext<Self::Output>) -> Result<Self::Output, IterationError>;
}

#[async_trait]
impl<I: Iteration + ?Sized> Iteration for Box<I> {
    type Output = I::Output;
    async fn run(&mut self, cx: IterationContext<I::Output>) -> Result<I::Output, IterationError> {
        (**self).run(cx).await
    }
}

/// The input of an iteration. It owns its data, so that it can move into tasks.
#[derive(Debug)]
pub struct IterationContext<O> {
    iteration: u64,
    attempt: u32,
    left: Ceiling,
    guidance: Option<Arc<str>>,
    previous: Option<Arc<Step<O>>>,
    last_output: Option<Arc<O>>,
    settled: Option<u64>,
    handle: WorkHandle,
}

impl<O> IterationContext<O> {
    /// Creates a context for the iteration with this index, from 1. For drivers and tests.
    pub fn new(work: &Work, iteration: u64) -> Self {
        Self::first_attempt(work.handle(iteration), iteration)
    }

    /// Creates the context of a first attempt without a previous step.
    pub(crate) const fn first_attempt(handle: WorkHandle, iteration: u64) -> Self {
        Self {
            iteration,
            attempt: 1,
            left: Ceiling::NONE,
            guidance: None,
            previous: None,
            last_output: None,
            settled: None,
            handle,
        }
    }

    /// Creates a context for a part of this iteration whose output has another type. Usage and notes of the part count
    /// for this iteration, and an interrupt of this iteration reaches the part as well. The part finds the previous
    /// step with its verdict, but without an output: see [`map_previous`](Self::map_previous).
    #[must_use]
    pub fn part<P>(&self) -> IterationContext<P> {
        self.map_previous(|_| None)
    }

    /// Creates a [`part`](Self::part) that also finds the earlier outputs for which `map` returns `Some`.
    ///
    /// ```
    /// use loop_core::{Iteration, IterationContext, IterationError};
    ///
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
            settled: self.settled,
            handle: self.handle.clone(),
        }
    }

    /// Returns this work, for a run within it.
    pub(crate) fn outer(&self) -> Outer {
        Outer { handle: self.handle.clone(), left: self.left.after(&self.handle.spent()) }
    }

    /// Makes this the context of a part of a pass: see [`Chain`](crate::Chain).
    pub(crate) fn within_pass(mut self, pass: &Self, is_first: bool) -> Self {
        self.iteration = pass.iteration;
        self.guidance = pass.guidance.clone();
        self.settled = pass.settled;
        if is_first {
            (self.previous, self.last_output) = (pass.previous.clone(), pass.last_output.clone());
        }
        self
    }

    /// Sets the number of this attempt at the iteration, from 1.
    #[must_use]
    pub const fn with_attempt(mut self, attempt: u32) -> Self {
        self.attempt = attempt;
        self
    }

    /// Sets the limits that the guardrails leave for this iteration.
    #[must_use]
    pub const fn with_left(mut self, left: Ceiling) -> Self {
        self.left = left;
        self
    }

    /// Sets a person's note.
    #[must_use]
    pub fn with_guidance(mut self, guidance: Option<Arc<str>>) -> Self {
        self.guidance = guidance;
        self
    }

    /// Sets the previous step. Its output, if any, becomes the last output.
    #[must_use]
    pub fn with_previous(mut self, previous: Option<Arc<Step<O>>>) -> Self {
        let output = previous.as_ref().and_then(|step| step.shared_output());
        (self.previous, self.last_output) = (previous, output.or(self.last_output));
        self
    }

    /// Sets the steps of the loop: the previous one and the last output independently of each other.
    pub(crate) fn with_steps(mut self, previous: Option<Arc<Step<O>>>, output: Option<Arc<O>>) -> Self {
        self.settled = Some(previous.as_ref().map_or(0, |step| step.iteration()));
        (self.previous, self.last_output) = (previous, output);
        self
    }

    /// Sets the last output, whichever step produced it.
    #[must_use]
    pub fn with_last_output(mut self, output: Option<Arc<O>>) -> Self {
        self.last_output = output;
        self
    }

    /// Returns the index of this iteration, from 1.
    pub const fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Returns the index of the last settled step of the loop, if a loop made this context.
    pub(crate) const fn settled(&self) -> Option<u64> {
        self.settled
    }

    /// Returns the number of this attempt: 1, plus one for each time that the run died in this iteration.
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Returns the limits that the guardrails left for this iteration when it began. Of money and tokens, it is at most
    /// what the [shared budgets](crate::SharedBudget) have left now.
    pub fn left(&self) -> Ceiling {
        self.left.min(self.handle.shared_left())
    }

    /// Returns a person's notes for this iteration.
    pub fn guidance(&self) -> Option<&str> {
        self.guidance.as_deref()
    }

    /// Returns the previous step with its output and verdict. Returns `None` in the first iteration, unless the loop
    /// [evaluates an output first](crate::Loop::evaluate_first). A failed step has no output: see
    /// [`last_output`](Self::last_output).
    pub fn previous(&self) -> Option<&Step<O>> {
        self.previous.as_deref()
    }

    /// Returns the output of the latest step that produced one. After a failed step this is an earlier step's output.
    pub fn last_output(&self) -> Option<&O> {
        self.last_output.as_deref()
    }

    /// Notes a problem with an output that the evaluator can still judge, such as an exit code. The step counts as a
    /// [consecutive failure](crate::Progress::consecutive_failures). Notes after the end of the step are dropped.
    pub fn fault(&self, message: impl Into<String>) {
        self.handle.fault(message.into());
    }

    /// Notes which work of this iteration was ended before it was done. That is not a failure.
    pub fn cut_work(&self, work: impl Into<String>) {
        self.handle.cut_work(work.into());
    }
}

work_handle_methods!(IterationContext, "iteration");

const _: fn(&dyn Iteration<Output = ()>) = |_| {};
