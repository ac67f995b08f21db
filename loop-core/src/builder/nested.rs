//! A loop within the iteration of another.

use super::{BuildError, IsBounded, Loop, LoopStep};
use crate::{Halt, Iteration, IterationContext, Report, StopReason, WorkError, driver::ReaderQueue};

impl<I, S, B> Loop<I, S, B>
where
    I: Iteration,
    S: LoopStep<Output = I::Output>,
{
    /// Runs the loop as a part of the iteration with this context. For a loop within an evaluation, pass
    /// [`EvaluationContext::part`](crate::EvaluationContext::part).
    ///
    /// - **Usage** counts for both loops as soon as it is reported, so the outer loop can interrupt at once.
    /// - **Interrupts** of the outer iteration reach this loop: it ends like a cancelled run.
    /// - **Limits**: [`cx.left()`](IterationContext::left) limits this loop too. If it reaches one of its own limits,
    ///   the report says so, and the outer loop continues.
    /// - **Marks and faults** stay in this loop: the outer loop sees only what the iteration notes itself.
    ///
    /// ```
    /// use loop_core::{IterationContext, Loop, Step, Usage, WorkError, condition_fn, iteration_fn};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), loop_core::BuildError> {
    /// // Each iteration of the outer loop takes up to three tries to find a multiple of its index.
    /// let outer = iteration_fn(async |cx: IterationContext<u64>| {
    ///     let wanted = cx.iteration();
    ///     let tries = iteration_fn(async |cx: IterationContext<u64>| {
    ///         cx.meter().add(Usage::unknown().with_tokens(8, 2));
    ///         Ok(cx.iteration() + 4)
    ///     });
    ///     let found = condition_fn(move |step: &Step<u64>, _| {
    ///         step.output().is_some_and(|output| output.is_multiple_of(wanted))
    ///     });
    ///     let report = Loop::new(tries).until(found).at_most(3).run_within(&cx).await?;
    ///     report.output().copied().ok_or_else(|| WorkError::failed("no output"))
    /// });
    /// let third = condition_fn(|step: &Step<u64>, _| step.iteration() == 3);
    /// let report = Loop::new(outer).until(third).at_most(5).run().await?;
    /// assert_eq!(report.output(), Some(&6));
    /// // One try, two and two.
    /// assert_eq!(report.usage().tokens(), Some(50));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Resuming
    /// To resume this loop together with the outer one, give it its own journal with
    /// [`resume_from`](Self::resume_from), in a place that depends on [`cx.iteration()`](IterationContext::iteration).
    /// If the outer run dies in this iteration, the next attempt continues this loop at its own step. If this loop had
    /// already ended, the attempt gets its report again. With a [`grant`](Self::grant), a loop that ended without
    /// success continues instead.
    ///
    /// # Errors
    /// Return these errors from the iteration, with `?`. Every other end of this loop is a report.
    /// - [`WorkError::Later`] if its work was deferred, and the loop has a journal or has spent and settled nothing
    ///   yet. In other cases the loop itself waits, because beginning again would lose its progress.
    /// - [`WorkError::Halt`] if it was cancelled, reached a limit of the outer loop, got no answer to a question, has
    ///   an agent or evaluator that is unavailable, or [failed](StopReason::Failed). A loop that cannot be built, or
    ///   that is deeper than [`MAX_DEPTH`](crate::MAX_DEPTH), counts as failed.
    ///
    /// # Panics
    /// Like [`run`](Self::run).
    ///
    /// # Cancel safety
    /// Dropping the future drops the work in progress without grace time.
    pub async fn run_within<P>(self, cx: &IterationContext<P>) -> Result<Report<I::Output>, WorkError>
    where
        B: IsBounded,
    {
        let driver =
            self.driver(ReaderQueue::default(), Some(&cx.outer())).map_err(|error| unbuilt(&error))?;
        // Boxed, because a loop in a loop would otherwise make each future larger than the one in it.
        Box::pin(driver.drive_within()).await
    }
}

/// A loop that cannot be built would fail in each iteration again, so it ends the outer run.
pub(super) fn unbuilt(error: &BuildError) -> WorkError {
    Halt::new(StopReason::Failed, format!("a nested loop cannot run: {error}")).into()
}
