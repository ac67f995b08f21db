//! Where a run's events are kept, so that it can be taken up again after its process died.
//!
//! A loop works for hours and spends money all the while. If all that it knows is in its process's memory, a
//! power cut takes everything: finished work is done again and paid for again. The events are all that a run
//! knows; so it is enough to have them written down **before anything is begun that follows from them**.

use async_trait::async_trait;

use crate::{BoxError, Event};

/// Keeps the events of one run, in order, with the output that the run would need to go on.
///
/// What a run owes its journal:
/// - Every event is [appended](Self::append) once, in order, before the next action begins; while work runs,
///   as soon as it happens.
/// - The journal is [synced](Self::sync) before anything is begun that takes time or acts on the world: an
///   iteration, an evaluation, a wait, a question; and at the end. So what an iteration made survives while
///   it is judged, and a step that is settled stays settled.
/// - If it cannot be written, nothing more is started and the run ends as
///   [`Failed`](crate::StopReason::Failed), with the journal's error in its message. What happens from then on
///   is not appended, so the journal holds a beginning of what happened, and never something with a hole.
///
/// What a journal owes a run: what was synced is found by [`load`](Self::load) after a power cut; of what was
/// appended since, any beginning.
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
    /// Takes what happened since the last call. `output` is what the iteration made whose
    /// [end](crate::EventKind::IterationFinished) is among these events; `None` if none is, or if it made none.
    ///
    /// It is called on the run's own task, so it should be quick: waiting for the disk is
    /// [`sync`](Self::sync)'s.
    ///
    /// # Errors
    /// If the events cannot be kept. The run ends, and nothing is appended after it. The text is all that
    /// people will read of it: it says what to do.
    fn append(&mut self, events: &[Event], output: Option<&O>) -> Result<(), BoxError>;

    /// Returns when all that was appended would survive a power cut.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    ///
    /// # Cancel safety
    /// A run that is dropped drops the future, and so does one that was cancelled or whose deadline has passed, if it
    /// does not resolve within 30 seconds after that. The run then ends as if the journal could not be written: nothing
    /// is appended after that.
    async fn sync(&mut self) -> Result<(), BoxError>;

    /// Shows each event that is kept, oldest first, and returns the last output that was appended. Called
    /// once, before the run begins; it may block. An empty journal shows nothing.
    ///
    /// # Errors
    /// If what is kept cannot be read, or is damaged.
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
