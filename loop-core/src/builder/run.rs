//! The ways to run a loop.

use tokio::sync::mpsc;

use super::{BuildError, IsBounded, Loop, LoopStep};
use crate::{
    Iteration, OnLag, Report,
    driver::{Driver, ReaderQueue, RunHandle, RunStream},
    work::Outer,
};

// Each method has the bound on `B`. A bound on the whole block would hide the methods of an unbounded loop, and the
// compiler could not name the missing bound.
impl<I, S, B> Loop<I, S, B>
where
    I: Iteration,
    S: LoopStep<Output = I::Output>,
{
    /// Runs the loop to its end.
    ///
    /// # Errors
    /// A [`BuildError`] before anything has run. The [`Report`] holds the run's ending.
    ///
    /// # Panics
    /// If a part panics. Also if the run needs time outside a tokio runtime with its timer enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends the run at once: it drops the work in progress without grace time.
    pub async fn run(self) -> Result<Report<I::Output>, BuildError>
    where
        B: IsBounded,
    {
        Ok(self.driver(ReaderQueue::default(), None)?.drive().await)
    }

    /// Runs the loop while you poll the stream.
    ///
    /// ```
    /// use futures::StreamExt;
    /// use loop_core::{EventKind, IterationContext, Loop, Step, Update, condition_fn, iteration_fn};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), loop_core::BuildError> {
    /// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    /// let done = condition_fn(|step: &Step<u64>, _| step.output() == Some(&2));
    /// let mut run = Loop::new(agent).until(done).at_most(5).stream()?;
    /// let mut settled = 0;
    /// while let Some(update) = run.next().await {
    ///     match update {
    ///         Update::Event(event) => settled += u64::from(matches!(event.kind, EventKind::StepSettled { .. })),
    ///         Update::Report(report) => assert!(report.is_success()),
    ///     }
    /// }
    /// assert_eq!(settled, 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A [`BuildError`] before anything has run.
    ///
    /// # Panics
    /// Polling panics if a part panics. Also if the run needs time outside a tokio runtime with its timer enabled.
    ///
    /// # Cancel safety
    /// Dropping the future of the stream's next update loses nothing. Dropping the stream ends the run at once: it
    /// drops the work in progress without grace time.
    pub fn stream(self) -> Result<RunStream<I::Output>, BuildError>
    where
        I: 'static,
        B: IsBounded,
    {
        let (sender, events) = mpsc::channel(1);
        let reader = ReaderQueue::new(sender, OnLag::Hold);
        Ok(RunStream::new(self.driver(reader, None)?.drive(), events))
    }

    /// Runs the loop in its own task.
    ///
    /// ```
    /// use loop_core::{IterationContext, Loop, Step, condition_fn, iteration_fn};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), loop_core::BuildError> {
    /// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    /// let done = condition_fn(|step: &Step<u64>, _| step.output() == Some(&2));
    /// let run = Loop::new(agent).until(done).at_most(5).spawn()?;
    /// // Do other work while it runs.
    /// assert_eq!(run.join().await.iterations(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A [`BuildError`] before anything has run.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    ///
    /// # Cancel safety
    /// Dropping the handle cancels the run: the driver interrupts the work and drops it after its grace time. Dropping
    /// the future of the next update loses nothing.
    pub fn spawn(self) -> Result<RunHandle<I::Output>, BuildError>
    where
        I: 'static,
        B: IsBounded,
    {
        let (sender, events) = mpsc::channel(self.channel.clamp(1, tokio::sync::Semaphore::MAX_PERMITS));
        let reader = ReaderQueue::new(sender, self.on_lag);
        // Dropping the handle must cancel only this run, not everything that uses the user's token.
        let cancel = self.cancel.child_token();
        let driver = Self { cancel: cancel.clone(), ..self }.driver(reader, None)?;
        Ok(RunHandle::new(driver.drive(), events, cancel))
    }

    pub(super) fn driver(self, reader: ReaderQueue, outer: Option<&Outer>) -> Result<Driver<I>, BuildError> {
        Ok(Driver::new(self.parts(outer)?, reader, outer.is_some()))
    }
}
