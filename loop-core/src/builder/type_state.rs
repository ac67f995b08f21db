//! The type parameters of a loop: the type of its steps, and whether it has a bound.

use std::sync::Arc;

use crate::{JudgedStep, Progress, Step, StopCondition};

/// The step type of a loop: [`Step<O>`], or [`JudgedStep<O>`] with an evaluator. Use it in code that accepts any loop:
///
/// ```
/// use loop_core::{Bounded, BuildError, Iteration, Loop, LoopStep};
///
/// /// How many iterations the loop takes.
/// async fn length<I: Iteration, S: LoopStep<Output = I::Output>>(
///     run: Loop<I, S, Bounded>,
/// ) -> Result<u64, BuildError> {
///     Ok(run.run().await?.iterations())
/// }
/// ```
pub trait LoopStep: sealed::Sealed + Sized {
    /// The output of the loop's iterations.
    type Output: Send + Sync + 'static;

    #[doc(hidden)]
    fn decided_by<C: StopCondition<Self>>(
        step: &Arc<Step<Self::Output>>,
        condition: &C,
        progress: &Progress,
    ) -> Option<Box<str>>;
}

impl<O: Send + Sync + 'static> LoopStep for Step<O> {
    type Output = O;
    fn decided_by<C: StopCondition<Self>>(
        step: &Arc<Self>,
        condition: &C,
        progress: &Progress,
    ) -> Option<Box<str>> {
        decided_by(&**step, condition, progress)
    }
}

impl<O: Send + Sync + 'static> LoopStep for JudgedStep<O> {
    type Output = O;
    fn decided_by<C: StopCondition<Self>>(
        step: &Arc<Step<O>>,
        condition: &C,
        progress: &Progress,
    ) -> Option<Box<str>> {
        decided_by(&Self::new(Arc::clone(step)), condition, progress)
    }
}

/// Returns the name of the condition that decided; `None` if the goal is not met.
fn decided_by<S>(step: &S, condition: &impl StopCondition<S>, progress: &Progress) -> Option<Box<str>> {
    condition.is_met(step, progress).then(|| condition.decided_by(step, progress).into_boxed_str())
}

/// Marks a loop with a bound. Only such loops can run.
///
/// ```compile_fail
/// use loop_core::{IterationContext, Loop, iteration_fn, never};
/// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// let run = Loop::new(agent).until(never()).run();
/// ```
#[diagnostic::on_unimplemented(
    message = "this loop has no bound, so it could run for ever",
    label = "call `.at_most(count)` or `.at_most_for(duration)` before this",
    note = "a limit on cost or tokens is not a bound: an agent may fail to report them"
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
    #[diagnostic::on_unimplemented(message = "only loop-core implements this trait")]
    pub trait Sealed {}
    impl<O> Sealed for crate::Step<O> {}
    impl<O> Sealed for crate::JudgedStep<O> {}
    impl Sealed for super::Unbounded {}
    impl Sealed for super::Bounded {}
}
