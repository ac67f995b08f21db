//! The connection between a driver and its work: the work sends usage and other notes, and the driver sends the
//! interrupt.

mod error;
mod notice;
mod outer;

use std::{
    future::Future,
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use self::notice::Notice;
pub(crate) use self::outer::{Outer, OuterLimits};
pub use self::{
    error::{WorkError, with_causes},
    outer::MAX_DEPTH,
};
use crate::{CancellationToken, Cost, CostQuality, Mark, Usage, Usd, event::Notes};

#[derive(Debug, Default)]
struct Shared {
    notes: Mutex<Notes>,
    /// Whether there may be anything in `notes`. Most work notes nothing, and then takes no lock.
    has_notes: AtomicBool,
    /// The current iteration, or the last one.
    iteration: AtomicU64,
    changed: Notice,
    interrupted: CancellationToken,
    /// The sum of everything that was reported.
    total: Total,
    /// The work that this run is a part of, if it runs within another.
    outer: Option<Meter>,
    /// The number of runs that it runs within.
    depth: u8,
}

impl Shared {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        // Nothing that panics runs under this lock, and notes of a panicked task are still true.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the notes for adding to them.
    fn notes_mut(&self) -> MutexGuard<'_, Notes> {
        let notes = self.notes();
        self.has_notes.store(true, Ordering::Release);
        notes
    }

    #[inline]
    fn has_notes(&self) -> bool {
        self.has_notes.load(Ordering::Acquire)
    }
}

/// The driver's end of the connection: collects the notes of a run's work, and interrupts it.
///
/// You need it to write a driver, or to test an iteration or an evaluator by itself, because it creates their contexts.
/// Use one for a whole run: an interrupt ends the run, and usage that a task reports after the end of its iteration
/// still has to count.
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
    /// Creates the connection for one run.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates the connection for a run within the work of another. The usage of its work counts for both at once.
    pub(crate) fn within(outer: &WorkHandle) -> Self {
        let depth = outer.depth() + 1;
        Self(Arc::new(Shared { outer: Some(outer.meter()), depth, ..Shared::default() }))
    }

    /// Asks the work in progress to end.
    pub fn interrupt(&self) {
        self.0.interrupted.cancel();
    }

    /// Removes and returns the notes since the last call.
    pub fn take_notes(&self) -> Notes {
        if !self.0.has_notes() {
            return Notes::default();
        }
        let mut notes = self.0.notes();
        // Under the lock, so that the next note sets the flag again.
        self.0.has_notes.store(false, Ordering::Release);
        mem::take(&mut *notes)
    }

    /// Like [`take_notes`](Self::take_notes), boxed for an event. Most work notes nothing, and then this is quick.
    #[inline]
    pub(crate) fn take_boxed_notes(&self) -> Option<Box<Notes>> {
        if self.has_notes() { self.take_notes().boxed() } else { None }
    }

    /// Removes and returns only the usage, for a report while the work continues.
    pub fn take_usage(&self) -> Usage {
        if self.0.has_notes() { mem::take(&mut self.0.notes().usage) } else { Usage::unknown() }
    }

    /// Returns whether there may be notes.
    #[inline]
    pub(crate) fn has_notes(&self) -> bool {
        self.0.has_notes()
    }

    /// Returns the usage that nobody has taken yet.
    pub fn usage(&self) -> Usage {
        self.0.notes().usage
    }

    /// Resolves when the work has reported usage since the last time that this resolved.
    ///
    /// # Cancel safety
    /// Cancel safe: the next call sees the report.
    pub fn reported(&self) -> impl Future<Output = ()> + Send + '_ {
        self.0.changed.noticed()
    }

    /// Returns the work's end of the connection for this iteration. Notes for another iteration are dropped, except its
    /// usage: a task that outlives its iteration must not make the next one fail.
    pub(crate) fn handle(&self, iteration: u64) -> WorkHandle {
        let last = self.0.iteration.swap(iteration, Ordering::AcqRel);
        if last != iteration && self.0.has_notes() {
            let mut notes = self.0.notes();
            *notes = Notes { usage: notes.usage, ..Notes::default() };
        }
        WorkHandle { shared: Arc::clone(&self.0), iteration, before: self.0.total.load() }
    }
}

/// A sum of usage that can be read without a lock.
#[derive(Debug, Default)]
struct Total {
    nanos: AtomicU64,
    tokens: AtomicU64,
}

impl Total {
    fn add(&self, usage: &Usage) {
        let add = |sum: &AtomicU64, more: u64| {
            // This cannot fail, because the function always returns a new value.
            let _ =
                sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |sum| Some(sum.saturating_add(more)));
        };
        add(&self.nanos, usage.cost.map_or(0, |cost| cost.usd.as_nanos()));
        add(&self.tokens, usage.tokens().unwrap_or(0));
    }

    fn load(&self) -> (u64, u64) {
        (self.nanos.load(Ordering::Relaxed), self.tokens.load(Ordering::Relaxed))
    }
}

/// The work's end of [`Work`], inside each context.
#[derive(Debug, Clone)]
pub(crate) struct WorkHandle {
    shared: Arc<Shared>,
    iteration: u64,
    /// The total when the work began.
    before: (u64, u64),
}

impl WorkHandle {
    pub(crate) fn mark(&self, name: &str, hash: u64) {
        self.note(|notes| notes.marks.push(Mark { name: name.into(), hash }));
    }

    pub(crate) fn fault(&self, message: String) {
        self.note(|notes| notes.fault = Some(message.into()));
    }

    /// Notes something, unless the iteration is over.
    fn note(&self, note: impl FnOnce(&mut Notes)) {
        let mut notes = self.shared.notes_mut();
        // Under the lock, under which the notes of earlier iterations are dropped.
        if self.shared.iteration.load(Ordering::Acquire) == self.iteration {
            note(&mut notes);
        }
    }

    pub(crate) fn meter(&self) -> Meter {
        Meter(self.clone())
    }

    pub(crate) async fn interrupted(&self) {
        self.shared.interrupted.cancelled().await;
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.shared.interrupted.is_cancelled()
    }

    /// Returns the cost and the tokens that were reported since the work began.
    pub(crate) fn spent(&self) -> Usage {
        let (now, before) = (self.shared.total.load(), self.before);
        let cost = Cost::known(Usd::nanos(now.0.saturating_sub(before.0)));
        Usage::unknown().with_cost(cost).with_input_tokens(now.1.saturating_sub(before.1))
    }

    /// Returns the token that is cancelled when the work has to end.
    pub(crate) fn interrupt_token(&self) -> &CancellationToken {
        &self.shared.interrupted
    }

    /// Returns the number of runs that this work's run runs within.
    pub(crate) fn depth(&self) -> u8 {
        self.shared.depth
    }
}

/// Adds the methods to a context that delegate to its [`WorkHandle`].
macro_rules! work_handle_methods {
    ($context:ident, $work:literal) => {
        impl<O> $context<O> {
            /// Returns the meter for reporting usage.
            pub fn meter(&self) -> $crate::Meter {
                self.handle.meter()
            }

            #[doc = concat!("Notes a fingerprint of something that this ", $work, " leaves behind.")]
            /// See [`Progress::unchanged`](crate::Progress::unchanged).
            pub fn mark(&self, name: &str, hash: u64) {
                self.handle.mark(name, hash);
            }

            #[doc = concat!("Resolves when the ", $work, " has to end.")]
            pub async fn cancelled(&self) {
                self.handle.interrupted().await;
            }

            #[doc = concat!("Returns whether the ", $work, " has to end.")]
            pub fn is_cancelled(&self) -> bool {
                self.handle.is_interrupted()
            }
        }
    };
}
pub(crate) use work_handle_methods;

/// Receives reports of usage from running work.
///
/// A report that crosses a guardrail's limit may interrupt the work. Clones report to the same run, even after their
/// work is over.
#[derive(Debug, Clone)]
pub struct Meter(WorkHandle);

impl Meter {
    /// Reports usage in addition to earlier reports.
    pub fn add(&self, usage: Usage) {
        if !usage.is_unknown() {
            self.0.shared.total.add(&usage);
            self.0.shared.notes_mut().usage += usage;
            self.0.shared.changed.notify();
            if let Some(outer) = &self.0.shared.outer {
                outer.add(usage);
            }
        }
    }

    /// Revises the quality of the cost that the iteration has reported: an agent may learn at its end that an estimate
    /// was exact. Takes effect when the iteration ends. The cost of an evaluation does not change.
    pub fn revise(&self, quality: CostQuality) {
        self.0.note(|notes| notes.cost_quality = Some(quality));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EvaluationContext, IterationContext};

    #[test]
    fn after_the_end_of_a_step_only_usage_counts() {
        let work = Work::new();
        let cx = IterationContext::<u64>::new(&work, 1);
        let note = || {
            cx.mark("work_tree", 7);
            cx.fault("it hangs");
            cx.meter().add(Usage::unknown().with_tokens(1, 1));
        };
        note();
        let judging = EvaluationContext::new(&work, 1, Arc::new(0_u64));
        let notes = work.take_notes();
        assert_eq!((notes.marks.len(), notes.fault.is_some(), notes.usage.tokens()), (1, true, Some(2)));
        drop(judging);
        note();
        let next = IterationContext::<u64>::new(&work, 2);
        assert_eq!(work.take_notes(), Notes::default().with_usage(Usage::unknown().with_tokens(1, 1)));
        drop(next);
    }
}
