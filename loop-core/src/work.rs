//! What a driver and the work it runs share: usage and other notes upwards, the interrupt downwards.

use std::{
    future::Future,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{
    BoxError, Halt, Mark, Usage,
    event::{Notes, WorkResult},
};

#[derive(Debug, Default)]
struct Shared {
    notes: Mutex<Notes>,
    changed: Notify,
    interrupted: CancellationToken,
}

impl Shared {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        // Nothing that panics runs under this lock, and notes of a panicked task are still true.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A driver's end: collects what the work of a run notes, and interrupts it.
///
/// Who writes a driver needs it, and who tests an iteration or an evaluator by itself: their contexts
/// are made from it. One serves a whole run, since an interrupt ends the run, and since usage that a task reports
/// after its iteration is over still has to count.
///
/// ```
/// use loop_core::{Iteration, IterationContext, Usage, Work, iteration_fn};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), loop_core::WorkError> {
/// let mut agent = iteration_fn(async |cx: IterationContext<u64>| {
///     cx.meter().add(Usage::unknown().with_tokens(30, 12));
///     Ok(cx.iteration() * 2)
/// });
/// let work = Work::new();
/// let output = agent.run(IterationContext::new(&work, 7)).await?;
/// assert_eq!((output, work.take_notes().usage.tokens()), (14, Some(42)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Work(Arc<Shared>);

impl Work {
    /// For one run.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells the work under way to come to its end.
    pub fn interrupt(&self) {
        self.0.interrupted.cancel();
    }

    /// Takes what was noted since the last call.
    pub fn take_notes(&self) -> Notes {
        mem::take(&mut *self.0.notes())
    }

    /// Takes the usage alone, for a report while the work goes on.
    pub fn take_usage(&self) -> Usage {
        mem::take(&mut self.0.notes().usage)
    }

    /// The usage noted since it was last taken.
    pub fn usage(&self) -> Usage {
        self.0.notes().usage
    }

    /// Resolves when usage was reported since the last time it did.
    ///
    /// # Cancel safety
    /// Cancel safe: a report is seen by the next call.
    pub fn reported(&self) -> impl Future<Output = ()> + Send + '_ {
        self.0.changed.notified()
    }

    /// The work's end.
    pub(crate) fn tether(&self) -> Tether {
        Tether(Arc::clone(&self.0))
    }
}

/// The work's end of [`Work`], inside each context.
#[derive(Debug, Clone)]
pub(crate) struct Tether(Arc<Shared>);

impl Tether {
    pub(crate) fn mark(&self, name: &str, hash: u64) {
        self.0.notes().marks.push(Mark { name: name.into(), hash });
    }

    pub(crate) fn fault(&self, message: String) {
        self.0.notes().fault = Some(message.into());
    }

    pub(crate) fn meter(&self) -> Meter {
        Meter(Arc::clone(&self.0))
    }

    pub(crate) async fn interrupted(&self) {
        self.0.interrupted.cancelled().await;
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.0.interrupted.is_cancelled()
    }
}

/// Takes reports of what work uses, while it runs.
///
/// A report may interrupt the work, if it crosses what a guardrail allows. Clones report to the same
/// run, also after the work that they were given to is over.
#[derive(Debug, Clone)]
pub struct Meter(Arc<Shared>);

impl Meter {
    /// Reports what was used beyond what was reported before.
    pub fn add(&self, usage: Usage) {
        if !usage.is_unknown() {
            self.0.notes().usage += usage;
            self.0.changed.notify_one();
        }
    }
}

/// Why an iteration has no output, or an evaluation no verdict.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// It went wrong: the step is a failed one, and the loop goes on.
    #[error("{0}")]
    Failed(#[source] BoxError),
    /// Not now, but later: a rate limit, for example. The same work is tried again then, and no
    /// iteration is used up.
    #[error("has to wait for {after:?}")]
    Later {
        /// How long to wait before the next try.
        after: Duration,
    },
    /// The run has to end. Nothing is evaluated after it.
    #[error("{0}")]
    Halt(Halt),
}

impl WorkError {
    /// A failed step, from any error or text.
    pub fn failed(source: impl Into<BoxError>) -> Self {
        Self::Failed(source.into())
    }
}

impl From<Halt> for WorkError {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

/// What the machine is told: the error as data.
impl<T> From<WorkError> for WorkResult<T> {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Failed(source) => Self::Failed(source.to_string().into()),
            WorkError::Later { after } => Self::Later { after },
            WorkError::Halt(halt) => Self::Halted(halt),
        }
    }
}
