//! The connection between a driver and its work: the work sends usage and other notes, and the driver sends the
//! interrupt.

mod cost_quality;
mod error;
mod meter;
mod notice;
mod outer;
#[cfg(feature = "tokio")]
mod pauses;
#[cfg(not(feature = "tokio"))]
mod pauses {
    //! Another driver knows by itself which time it does not count.

    use crate::SuspendedTime;

    #[derive(Debug, Default)]
    pub(crate) struct Pauses;

    impl Pauses {
        pub(crate) fn new(_: SuspendedTime, _: Option<&Self>) -> Self {
            Self
        }
    }
}
#[cfg(test)]
mod tests;
mod total;

use std::{
    future::Future,
    iter, mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

#[cfg(feature = "tokio")]
pub(crate) use self::pauses::Pause;
use self::{cost_quality::CostQualities, notice::Notice, total::Total};
pub use self::{
    error::{WorkError, with_causes},
    meter::Meter,
    outer::MAX_DEPTH,
};
pub(crate) use self::{
    outer::{Outer, OuterLimits},
    pauses::Pauses,
};
use crate::{
    CancellationToken, Ceiling, Cost, Mark, NotEnoughLeft, Reservation, SharedBudget, SuspendedTime, Usage,
    Usd, event::Notes,
};

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
    /// The time that does not count as run time.
    pauses: Arc<Pauses>,
    /// The budgets of which the run is a member.
    budgets: Vec<SharedBudget>,
    qualities: Mutex<CostQualities>,
}

impl Shared {
    /// Returns this work, the work around it, and so on to the outermost.
    fn and_around(&self) -> impl Iterator<Item = &Self> {
        iter::successors(Some(self), |work| work.outer.as_ref().map(|outer| &*outer.0.shared))
    }

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

    /// Creates the connection for a run that is a member of these budgets, and whose clock does not count this time. If
    /// it runs within the work of another, its usage counts for both at once.
    pub(crate) fn of_run(
        suspended_time: SuspendedTime,
        budgets: Vec<SharedBudget>,
        outer: Option<&WorkHandle>,
    ) -> Self {
        outer.into_iter().for_each(WorkHandle::open_quality);
        let pauses = Pauses::new(suspended_time, outer.map(|outer| &*outer.shared.pauses));
        Self(Arc::new(Shared {
            outer: outer.map(WorkHandle::meter),
            depth: outer.map_or(0, |outer| outer.depth() + 1),
            pauses: Arc::new(pauses),
            budgets,
            ..Shared::default()
        }))
    }

    /// Returns the time that does not count as run time.
    pub(crate) fn pauses(&self) -> Arc<Pauses> {
        Arc::clone(&self.0.pauses)
    }

    /// Stops the clocks of this run and of the runs around it, because a person is being asked.
    #[cfg(feature = "tokio")]
    pub(crate) fn pause(&self) -> Pause {
        Pause::of(self.0.and_around().map(|run| Arc::clone(&run.pauses)).collect())
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

    pub(crate) fn cut_work(&self, work: String) {
        self.note(|notes| notes.cut_work = Some(work.into()));
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

    /// Returns the budgets of this run and of the runs around it.
    pub(crate) fn budgets(&self) -> impl Iterator<Item = &SharedBudget> {
        self.shared.and_around().flat_map(|work| &work.budgets)
    }

    /// Returns the money and the tokens that the shared budgets have left.
    pub(crate) fn shared_left(&self) -> Ceiling {
        self.budgets().fold(Ceiling::NONE, |left, budget| left.min(budget.left_to_spend()))
    }

    pub(crate) fn reserve(&self, estimate: Usage) -> Result<Reservation, NotEnoughLeft> {
        Reservation::of(self.budgets().cloned(), Some(self.meter()), estimate)
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

            /// Reserves the cost and the tokens that a part of this work will use, in all budgets that its run
            /// [shares](crate::Loop::share). Report the usage of that part with
            /// [`settle`](crate::Reservation::settle).
            ///
            /// # Errors
            /// If one of the budgets has less than that left. Nothing is reserved then.
            pub fn reserve(
                &self,
                estimate: $crate::Usage,
            ) -> Result<$crate::Reservation, $crate::NotEnoughLeft> {
                self.handle.reserve(estimate)
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
