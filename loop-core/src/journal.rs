//! Storage for a run's events, so that the run can be resumed after its process died.
//!
//! A loop works for hours and spends money all the time. If its state is only in memory, a power cut loses everything,
//! and you pay for the same work twice. A run's whole state follows from its events, so it is enough to write them down
//! **before anything starts that depends on them**.

use async_trait::async_trait;

use crate::{BoxError, Event};

/// Stores the events of one run, in order, with the output that the run needs to continue.
///
/// The run guarantees to its journal:
/// - It [appends](Self::append) every event once, in order, before the next action begins. While work runs, it appends
///   events as soon as they happen.
/// - It [syncs](Self::sync) the journal before anything that takes time or acts on the world (an iteration, an
///   evaluation, a wait, a question), and at the end. So an output survives a crash during its evaluation, and a
///   settled step stays settled.
/// - If the journal fails, the run starts nothing more and ends as [`Failed`](crate::StopReason::Failed), with the
///   journal's error in its message. It appends nothing after that, so the journal holds a prefix of the events and
///   never has a gap.
///
/// The journal guarantees to the run: after a power cut, [`load`](Self::load) finds every synced event, and some prefix
/// of the events that were appended since.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use loop_core::{BoxError, Event, IterationContext, Journal, Loop, Step, condition_fn, iteration_fn};
///
/// /// Keeps a run in memory, for a test.
/// #[derive(Clone, Default)]
/// struct Memory(Arc<Mutex<(Vec<Event>, Option<u64>)>>);
///
/// #[loop_core::async_trait]
/// impl Journal<u64> for Memory {
///     fn append(&mut self, events: &[Event], output: Option<&u64>) -> Result<(), BoxError> {
///         let mut kept = self.0.lock().map_err(|_| "a test panicked")?;
///         kept.0.extend_from_slice(events);
///         kept.1 = output.copied().or(kept.1);
///         Ok(())
///     }
///     async fn sync(&mut self) -> Result<(), BoxError> {
///         Ok(())
///     }
///     fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<u64>, BoxError> {
///         let kept = self.0.lock().map_err(|_| "a test panicked")?;
///         kept.0.iter().for_each(each);
///         Ok(kept.1)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let agent = || iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// let goal = || condition_fn(|step: &Step<u64>, _| step.output() == Some(&5));
/// let journal = Memory::default();
/// Loop::new(agent()).until(goal()).at_most(3).journal(journal.clone()).run().await?;
/// // Three iterations were too few. They are not done again.
/// let report = Loop::new(agent()).until(goal()).at_most(10).resume_from(journal).run().await?;
/// assert!(report.is_success());
/// assert_eq!(report.iterations(), 5);
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Journal<O>: Send {
    /// Stores the events since the last call. `output` is the output of the iteration whose
    /// [end](crate::EventKind::IterationFinished) is among these events. It is `None` if no iteration ended, or if it
    /// has no output.
    ///
    /// The run calls this on its own task, so it should be quick. Wait for the disk in [`sync`](Self::sync).
    ///
    /// # Errors
    /// Returns an error if it cannot store the events. The run then ends and appends nothing more. People see only the
    /// error's text, so it should say what to do.
    fn append(&mut self, events: &[Event], output: Option<&O>) -> Result<(), BoxError>;

    /// Returns when everything appended so far would survive a power cut.
    ///
    /// # Errors
    /// Fails like [`append`](Self::append).
    ///
    /// # Cancel safety
    /// Dropping the run drops the future. After a cancellation or a passed deadline, the run also drops the future if
    /// it does not resolve within 30 seconds. The run then ends as if writing the journal had failed, and appends
    /// nothing more.
    async fn sync(&mut self) -> Result<(), BoxError>;

    /// Passes each stored event to `each`, oldest first, and returns the last appended output. The run calls this once,
    /// before it begins, and it may block. An empty journal passes no events.
    ///
    /// # Errors
    /// Returns an error if the stored events cannot be read or are damaged.
    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<O>, BoxError>;
}

#[async_trait]
impl<O, J: Journal<O> + ?Sized> Journal<O> for Box<J> {
    fn append(&mut self, events: &[Event], output: Option<&O>) -> Result<(), BoxError> {
        (**self).append(events, output)
    }
    async fn sync(&mut self) -> Result<(), BoxError> {
        (**self).sync().await
    }
    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<O>, BoxError> {
        (**self).load(each)
    }
}

const _: fn(&dyn Journal<()>) = |_| {};
