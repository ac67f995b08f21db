//! Evaluators, which judge an output.

use std::{fmt, future::Future, marker::PhantomData, sync::Arc};

use async_trait::async_trait;

use crate::{
    Ceiling, EvaluatorError, IterationContext, Step, Verdict,
    work::{Work, WorkHandle, work_handle_methods},
};

/// Judges an output.
///
/// # Contract
/// - A failing verdict is a result, not an error. An error means that there is no verdict.
/// - The run asks it once for each iteration that succeeded, and not after a failed one. It may also ask
///   [before the first iteration](crate::Loop::evaluate_first).
/// - Judges cost money too: report their usage with [`meter`](EvaluationContext::meter). The guardrails' ceilings and
///   the rules for interrupts apply as they do to iterations.
///
/// ```
/// use loop_core::{EvaluationContext, Evaluator, EvaluatorError, Verdict};
///
/// struct LongEnough;
///
/// #[loop_core::async_trait]
/// impl Evaluator<String> for LongEnough {
///     async fn evaluate(&mut self, cx: EvaluationContext<String>) -> Result<Verdict, EvaluatorError> {
///         Ok(match cx.output().len() {
///             0..100 => Verdict::fail().with_feedback("write at least 100 bytes"),
///             _ => Verdict::pass(),
///         })
///     }
/// }
/// ```
#[async_trait]
pub trait Evaluator<O>: Send {
    /// Judges one output.
    ///
    /// # Errors
    /// [`EvaluatorError`] tells the loop whether the step failed, must be judged later, or ends the run.
    ///
    /// # Cancel safety
    /// The driver drops the future when the run itself is dropped, or when the grace time after an interrupt is over.
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, EvaluatorError>;
}

#[async_trait]
impl<O: Send + Sync + 'static, E: Evaluator<O> + ?Sized> Evaluator<O> for Box<E> {
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, EvaluatorError> {
        (**self).evaluate(cx).await
    }
}

/// The input of an evaluator. It owns its data, so that it can move into tasks.
#[derive(Debug)]
pub struct EvaluationContext<O> {
    iteration: u64,
    output: Arc<O>,
    left: Ceiling,
    previous: Option<Arc<Step<O>>>,
    handle: WorkHandle,
}

/// For an evaluator that asks others: all of them judge the same output and report to the same meter.
impl<O> Clone for EvaluationContext<O> {
    fn clone(&self) -> Self {
        Self {
            iteration: self.iteration,
            output: Arc::clone(&self.output),
            left: self.left,
            previous: self.previous.clone(),
            handle: self.handle.clone(),
        }
    }
}

impl<O> EvaluationContext<O> {
    /// Creates a context for judging the output of the iteration with this index. For drivers and tests.
    pub fn new(work: &Work, iteration: u64, output: Arc<O>) -> Self {
        Self { iteration, output, left: Ceiling::NONE, previous: None, handle: work.handle(iteration) }
    }

    /// Sets the limits that the guardrails leave for this evaluation.
    #[must_use]
    pub const fn with_left(mut self, left: Ceiling) -> Self {
        self.left = left;
        self
    }

    /// Sets the step before the judged one.
    #[must_use]
    pub fn with_previous(mut self, previous: Option<Arc<Step<O>>>) -> Self {
        self.previous = previous;
        self
    }

    /// Creates a context for an agent that judges. Its usage and notes count for this evaluation, and an interrupt of
    /// this evaluation reaches the agent as well.
    ///
    /// ```
    /// use loop_core::{EvaluationContext, Iteration, Verdict, evaluator_fn, iteration_fn};
    /// let judge = evaluator_fn(async |cx: EvaluationContext<String>| {
    ///     let mut agent = iteration_fn(async |_| Ok(2_u64));
    ///     Ok(if agent.run(cx.part()).await? > 1 { Verdict::pass() } else { Verdict::fail() })
    /// });
    /// # drop(judge);
    /// ```
    #[must_use]
    pub fn part<P>(&self) -> IterationContext<P> {
        IterationContext::first_attempt(self.handle.clone(), self.iteration).with_left(self.left)
    }

    /// Returns the index of the judged iteration, from 1. It is 0 for the output that a loop
    /// [evaluates first](crate::Loop::evaluate_first).
    pub const fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Returns the output to judge.
    pub fn output(&self) -> &O {
        &self.output
    }

    /// Returns the output to judge as a shared pointer.
    pub fn shared_output(&self) -> Arc<O> {
        Arc::clone(&self.output)
    }

    /// Returns the limits that the guardrails left for this evaluation when it began. Of money and tokens, it is at most
    /// what the [shared budgets](crate::SharedBudget) have left now.
    pub fn left(&self) -> Ceiling {
        self.left.min(self.handle.shared_left())
    }

    /// Returns the step before the judged one.
    pub fn previous(&self) -> Option<&Step<O>> {
        self.previous.as_deref()
    }
}

work_handle_methods!(EvaluationContext, "evaluation");

/// Creates an evaluator from an async function of the context.
///
/// ```
/// use loop_core::{EvaluationContext, Verdict, evaluator_fn};
/// let even = evaluator_fn(async |cx: EvaluationContext<u64>| {
///     Ok(if cx.output() % 2 == 0 { Verdict::pass() } else { Verdict::fail() })
/// });
/// ```
pub fn evaluator_fn<F, Fut, O>(evaluate: F) -> EvaluatorFn<F, O>
where
    F: FnMut(EvaluationContext<O>) -> Fut + Send,
    Fut: Future<Output = Result<Verdict, EvaluatorError>> + Send,
    O: Send + Sync + 'static,
{
    EvaluatorFn { evaluate, output: PhantomData }
}

/// The evaluator that [`evaluator_fn`] returns.
#[derive(Clone)]
pub struct EvaluatorFn<F, O> {
    evaluate: F,
    output: PhantomData<fn(O)>,
}

impl<F, O> fmt::Debug for EvaluatorFn<F, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EvaluatorFn")
    }
}

#[async_trait]
impl<F, Fut, O> Evaluator<O> for EvaluatorFn<F, O>
where
    F: FnMut(EvaluationContext<O>) -> Fut + Send,
    Fut: Future<Output = Result<Verdict, EvaluatorError>> + Send,
    O: Send + Sync + 'static,
{
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, EvaluatorError> {
        (self.evaluate)(cx).await
    }
}

const _: fn(&dyn Evaluator<()>) = |_| {};
