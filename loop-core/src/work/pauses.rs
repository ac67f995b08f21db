//! The time that the clock of a run does not count.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

use crate::{RunTime, SharedBudget, SuspendedTime, shared_budget::TimeShare};

/// The time that the clock of a run does not count: the program was suspended, or this run or one within it asked a
/// person.
#[derive(Debug, Default)]
pub(crate) struct Pauses {
    /// The handles of this run and of the runs around it, each of them once.
    suspended: Vec<SuspendedTime>,
    /// The time of the questions that are over, in microseconds. Excludes the suspended time during them.
    asked: AtomicU64,
    is_open: AtomicBool,
    open: Mutex<Open>,
    closed: Notify,
}

/// The questions that are open. Several loops within one iteration may ask at once.
#[derive(Debug, Default)]
struct Open {
    count: u32,
    /// The time at which the first of them began, and the uncounted time until then in microseconds.
    since: Option<(Instant, u64)>,
    /// The budgets for which the time of the run counts.
    budgets: Vec<SharedBudget>,
    /// Its shares of them, while its clock runs.
    shares: Vec<TimeShare>,
}

impl Pauses {
    /// Creates the pauses of a run with its own handle, within a run with the pauses `outer`.
    pub(crate) fn new(suspended: SuspendedTime, outer: Option<&Self>) -> Self {
        let mut all = outer.map_or_else(Vec::new, |outer| outer.suspended.clone());
        // A handle that both runs have would otherwise count twice.
        if !all.iter().any(|known| known.is_same(&suspended)) {
            all.push(suspended);
        }
        Self { suspended: all, ..Self::default() }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Nothing that panics runs under this lock.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the uncounted time until now, in microseconds. Excludes an open question.
    pub(crate) fn uncounted(&self) -> u64 {
        let asked = self.asked.load(Ordering::Relaxed);
        self.suspended.iter().fold(asked, |sum, suspended| sum.saturating_add(suspended.micros()))
    }

    /// Returns the time at which the clock stands, and the uncounted time until then in microseconds.
    pub(crate) fn now(&self) -> (Instant, u64) {
        if self.is_open()
            && let Some(stopped) = self.stopped()
        {
            return stopped;
        }
        (Instant::now(), self.uncounted())
    }

    #[cold]
    fn stopped(&self) -> Option<(Instant, u64)> {
        self.open().since
    }

    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// Resolves when no question is open.
    pub(crate) async fn closed(&self) {
        while self.is_open() {
            let mut closed = std::pin::pin!(self.closed.notified());
            // Before the second look: otherwise an end between the two would wake nobody.
            closed.as_mut().enable();
            if self.is_open() {
                closed.await;
            }
        }
    }

    /// Counts the time of the run for these budgets from now on, and for no others.
    pub(crate) fn share_time(self: &Arc<Self>, budgets: &[SharedBudget]) {
        let mut open = self.open();
        open.shares.clear();
        open.budgets.clear();
        open.budgets.extend(budgets.iter().filter(|budget| budget.has_time_limit()).cloned());
        if open.since.is_none() {
            self.start_shares(&mut open);
        }
    }

    fn start_shares(self: &Arc<Self>, open: &mut Open) {
        let start = |budget: &SharedBudget| TimeShare::start(budget.clone(), Arc::clone(self));
        open.shares = open.budgets.iter().map(start).collect();
    }

    fn begin(&self) {
        let mut open = self.open();
        open.count += 1;
        if open.since.is_none() {
            open.since = Some((Instant::now(), self.uncounted()));
            open.shares.clear();
            self.is_open.store(true, Ordering::Release);
        }
    }

    fn end(self: &Arc<Self>) {
        let mut open = self.open();
        open.count -= 1;
        if open.count > 0 {
            return;
        }
        if let Some((since, uncounted)) = open.since.take() {
            // Suspended time that was reported meanwhile is a part of the pause, and must not count twice.
            let suspended = Duration::from_micros(self.uncounted().saturating_sub(uncounted));
            let asked = RunTime::from(since.elapsed().saturating_sub(suspended)).as_micros();
            self.asked.fetch_add(asked, Ordering::Relaxed);
        }
        self.is_open.store(false, Ordering::Release);
        self.start_shares(&mut open);
        drop(open);
        self.closed.notify_waiters();
    }
}

/// Stops the clocks of a run and of those around it, until it is dropped.
#[derive(Debug)]
pub(crate) struct Pause(Vec<Arc<Pauses>>);

impl Pause {
    pub(super) fn of(runs: Vec<Arc<Pauses>>) -> Self {
        runs.iter().for_each(|run| run.begin());
        Self(runs)
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        self.0.iter().for_each(Pauses::end);
    }
}
