//! Storage for a run's events, so that the run can be resumed after its process died.
//!
//! A loop works for hours and spends money all the time. If its state is only in memory, a power cut loses everything,
//! and you pay for the same work twice. A run's whole state follows from its events, so it is enough to write them down
//! **before anything starts that depends on them**.

use std::{future::Future, pin::Pin};

use crate::{BoxError, Event};

/// The future of [`Journal::sync`]. It does not borrow the journal, so that work runs while the disk is busy.
pub type JournalSync = Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send>>;

/// Stores the events of one run, in order, with the output that the run needs to continue.
///
/// The run guarantees to its journal:
/// - It [appends](Self::append) every event once, in order, before the next action begins. While work runs, it appends
///   events as soon as they happen.
/// - It starts a [sync](Self::sync) before anything that takes time or acts on the world (an iteration, an evaluation,
///   a wait), and continues at once: the work and the sync overlap. It awaits the sync where others could see a
///   difference: before an iteration, if a settled step or an earlier attempt is not synced; before a question; and at
///   the end.
/// - If the journal fails, the run interrupts the work, starts nothing more, and ends as
///   [`Failed`](crate::StopReason::Failed), with the journal's error in its message. It appends nothing after that, so
///   the journal holds a prefix of the events and never has a gap.
///
/// The journal guarantees to the run:
/// - If the process dies, [`load`](Self::load) finds every appended event, unless the journal
///   [buffers](Self::is_buffering) it.
/// - After a power cut, it finds every synced event, and some prefix of the events that were appended since. So a
///   settled step stays settled, and at most one attempt goes uncounted.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use loop_core::{
///     BoxError, Event, IterationContext, Journal, JournalSync, Loop, Step, condition_fn, iteration_fn,
/// };
///
/// /// Keeps a run in memory, for a test.
/// #[derive(Clone, Default)]
/// struct Memory(Arc<Mutex<(Vec<Event>, Option<u64>)>>);
///
/// impl Journal<u64> for Memory {
///     fn append(&mut self, events: &[Event], output: Option<&u64>) -> Result<(), BoxError> {
///         let mut kept = self.0.lock().map_err(|_| "a test panicked")?;
///         kept.0.extend_from_slice(events);
///         kept.1 = output.copied().or(kept.1);
///         Ok(())
///     }
///     fn sync(&mut self) -> JournalSync {
///         Box::pin(async { Ok(()) })
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

    /// Starts to make everything appended so far survive a power cut, and returns a future that resolves when it does.
    /// The run may append more before that. It starts no second sync before the first has resolved.
    ///
    /// The future should make progress without being polled, as the handle of a spawned task does: the run polls it
    /// only while it has nothing better to do.
    ///
    /// # Errors
    /// The future fails like [`append`](Self::append).
    ///
    /// # Cancel safety
    /// Dropping the run drops the future. After a cancellation or a passed deadline, the run also drops the future if
    /// it waits for it longer than 30 seconds. The run then ends as if writing the journal had failed, and appends
    /// nothing more.
    fn sync(&mut self) -> JournalSync;

    /// Returns whether an appended event is only in memory, so that it would be lost with the process. The run then
    /// awaits the next [sync](Self::sync) before it starts anything.
    ///
    /// # Default
    /// False.
    fn is_buffering(&self) -> bool {
        false
    }

    /// Passes each stored event to `each`, oldest first, and returns the last appended output. The run calls this once,
    /// before it begins, and it may block. An empty journal passes no events.
    ///
    /// # Errors
    /// Returns an error if the stored events cannot be read or are damaged.
    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<O>, BoxError>;
}

impl<O, J: Journal<O> + ?Sized> Journal<O> for Box<J> {
    fn append(&mut self, events: &[Event], output: Option<&O>) -> Result<(), BoxError> {
        (**self).append(events, output)
    }
    fn sync(&mut self) -> JournalSync {
        (**self).sync()
    }
    fn is_buffering(&self) -> bool {
        (**self).is_buffering()
    }
    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<O>, BoxError> {
        (**self).load(each)
    }
}

const _: fn(&dyn Journal<()>) = |_| {};
