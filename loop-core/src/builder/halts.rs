//! Ending a run from outside, with a reason.

use std::future::Future;

use super::{Loop, LoopStep};
use crate::{Halt, Iteration, SharedBudget};

impl<I, S, B> Loop<I, S, B>
where
    I: Iteration,
    S: LoopStep<Output = I::Output> + 'static,
{
    /// Ends the run when this future is ready, with the [`Halt`] that it returns. Like a cancellation, it interrupts
    /// work in progress and waits, and a finished step is still settled. Of several futures, the first that is ready
    /// ends the run.
    ///
    /// ```
    /// use std::time::Duration;
    /// use loop_core::{Halt, IterationContext, Loop, StopReason, iteration_fn, never};
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), loop_core::BuildError> {
    /// let agent = iteration_fn(async |_: IterationContext<()>| {
    ///     tokio::time::sleep(Duration::from_secs(60)).await;
    ///     Ok(())
    /// });
    /// let office_closes = async {
    ///     tokio::time::sleep(Duration::from_secs(150)).await;
    ///     Halt::new(StopReason::custom("office_closed"), "it is five o'clock")
    /// };
    /// let run = Loop::new(agent).until(never()).at_most(9).halt_on(office_closes).grace(Duration::ZERO);
    /// let report = run.run().await?;
    /// assert_eq!(report.ending().to_string(), "office_closed: it is five o'clock");
    /// assert_eq!(report.elapsed(), Duration::from_secs(150));
    /// # Ok(())
    /// # }
    /// ```
    pub fn halt_on(mut self, future: impl Future<Output = Halt> + Send + 'static) -> Self {
        self.halts.push(Box::pin(future));
        self
    }

    /// Makes this loop a member of the budget. Its usage and its run time count for the budget, and the run ends as
    /// [`SharedBudgetExceeded`](crate::StopReason::SharedBudgetExceeded) when nothing is left. Call this several times
    /// to share several budgets.
    ///
    /// If the run runs within another run that shares the budget, this call changes nothing: its usage counts already.
    pub fn share(mut self, budget: &SharedBudget) -> Self {
        if !self.budgets.iter().any(|known| known.is_same(budget)) {
            self.budgets.push(budget.clone());
        }
        self
    }
}
