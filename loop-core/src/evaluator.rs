//! The check of an output.

use std::{fmt, future::Future, marker::PhantomData, sync::Arc};

use async_trait::async_trait;

use crate::{
    Ceiling, EvaluatorError, IterationContext, Step, Verdict,
    work::{Tether, Work, tethered},
};

/// Judges an output.
///
/// # Contract
/// - A failing verdict is a result, not an error. An error says that there is no verdict.
/// - It is asked once for each iteration that succeeded, and not after one that failed.
/// - Judges cost money too: report it with [`meter`](EvaluationContext::meter). The guardrails'
///   ceilings hold here as they do for iterations, and so do the rules for being cut.
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
    /// [`EvaluatorError`] says whether the step failed, has to be judged later, or ends the run.
    ///
    /// # Cancel safety
    /// The future is dropped when the run is, or when its grace time is over.
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, EvaluatorError>;
}

#[async_trait]
impl<O: Send + Sync + 'static, E: Evaluator<O> + ?Sized> Evaluator<O> for Box<E> {
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, EvaluatorError> {
        (**self).evaluate(cx).await
    }
}

/// What an evaluator is given. Owned, so that it can move into tasks.
#[derive(Debug)]
pub struct EvaluationContext<O> {
    iteration: u64,
    output: Arc<O>,
    left: Ceiling,
    previous: Option<Arc<Step<O>>>,
    tether: Tether,
}

/// For an evaluator that asks others: all of them judge the same output, and report to the same meter.
impl<O> Clone for EvaluationContext<O> {
    fn clone(&self) -> Self {
        Self {
            iteration: self.iteration,
            output: Arc::clone(&self.output),
            left: self.left,
            previous: self.previous.clone(),
            tether: self.tether.clone(),
        }
    }
}

impl<O> EvaluationContext<O> {
    /// A context for judging the output of the iteration with this index. Drivers make them, and tests.
    pub fn new(work: &Work, iteration: u64, output: Arc<O>) -> Self {
        Self { iteration, output, left: Ceiling::NONE, previous: None, tether: work.tether(iteration) }
    }

    /// With what the guardrails leave.
    #[must_use]
    pub const fn with_left(mut self, left: Ceiling) -> Self {
        self.left = left;
        self
    }

    /// With the step before the one that is judged.
    #[must_use]
    pub fn with_previous(mut self, previous: Option<Arc<Step<O>>>) -> Self {
        self.previous = previous;
        self
    }

    /// A context for an agent that judges: what it reports and notes is reported and noted here, and what interrupts
    /// this interrupts it.
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
        IterationContext::tethered(self.tether.clone(), self.iteration).with_left(self.left)
    }

    /// The index of the iteration that is judged, from 1.
    pub const fn iteration(&self) -> u64 {
        self.iteration
    }

    /// What to judge.
    pub fn output(&self) -> &O {
        &self.output
    }

    /// What to judge, shared.
    pub fn shared_output(&self) -> Arc<O> {
        Arc::clone(&self.output)
    }

    /// What the guardrails leave to this evaluation, as it begins.
    pub const fn left(&self) -> Ceiling {
        self.left
    }

    /// The step before the one that is judged.
    pub fn previous(&self) -> Option<&Step<O>> {
        self.previous.as_deref()
    }
}

tethered!(EvaluationContext, "evaluation");

/// An evaluator from an async function of the context.
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

/// See [`evaluator_fn`].
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
