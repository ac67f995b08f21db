//! The run time of all members of a budget.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::SharedBudget;
use crate::work::Pauses;

/// Adds up the run times of all members.
#[derive(Debug)]
pub(super) struct TimeAccount {
    limit: Option<Duration>,
    clocks: Mutex<Clocks>,
    /// A clock started or stopped, or a history was counted, so the limit is reached at another time than the waiting members expect.
    changed: Notify,
}

/// The clocks that run.
#[derive(Debug, Default)]
struct Clocks {
    /// The time of all clocks until `at`.
    counted: Duration,
    at: Option<Instant>,
    running: BTreeMap<u64, Running>,
    next: u64,
}

#[derive(Debug)]
struct Running {
    pauses: Arc<Pauses>,
    /// The suspended time that is already subtracted, in microseconds.
    subtracted: u64,
}

impl Clocks {
    fn count(&self) -> u32 {
        u32::try_from(self.running.len()).unwrap_or(u32::MAX)
    }

    /// Counts the time until now.
    fn advance(&mut self) -> Instant {
        let now = Instant::now();
        if let Some(at) = self.at.replace(now) {
            let passed = now.saturating_duration_since(at).saturating_mul(self.count());
            self.counted = self.counted.saturating_add(passed);
        }
        now
    }

    /// Subtracts the suspended time that was reported since the last call.
    fn subtract_suspended(&mut self) {
        let new = self.running.values_mut().map(Running::newly_suspended);
        self.counted = new.fold(self.counted, Duration::saturating_sub);
    }

    fn start(&mut self, pauses: Arc<Pauses>) -> u64 {
        self.advance();
        self.next += 1;
        let subtracted = pauses.uncounted();
        self.running.insert(self.next, Running { pauses, subtracted });
        self.next
    }

    fn stop(&mut self, clock: u64) {
        self.advance();
        if let Some(mut clock) = self.running.remove(&clock) {
            self.counted = self.counted.saturating_sub(clock.newly_suspended());
        }
    }
}

impl Running {
    fn newly_suspended(&mut self) -> Duration {
        let all = self.pauses.uncounted();
        let new = all.saturating_sub(std::mem::replace(&mut self.subtracted, all));
        Duration::from_micros(new)
    }
}

impl TimeAccount {
    pub(super) fn new(limit: Option<Duration>) -> Self {
        Self { limit, clocks: Mutex::default(), changed: Notify::new() }
    }

    fn clocks(&self) -> MutexGuard<'_, Clocks> {
        // Nothing that panics runs under this lock.
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time that is left, if it is limited.
    pub(super) fn left(&self) -> Option<Duration> {
        let limit = self.limit?;
        let mut clocks = self.clocks();
        clocks.advance();
        clocks.subtract_suspended();
        Some(limit.saturating_sub(clocks.counted))
    }

    /// Counts the time of a history. Returns whether nothing is left.
    pub(super) fn add(&self, time: Duration) -> bool {
        let Some(limit) = self.limit else { return false };
        let mut clocks = self.clocks();
        clocks.counted = clocks.counted.saturating_add(time);
        let is_used_up = clocks.counted >= limit;
        drop(clocks);
        self.changed.notify_one();
        is_used_up
    }

    /// Returns the time at which nothing is left if all running clocks go on. Returns `None` if no clock runs.
    fn ends(&self) -> Option<Instant> {
        let limit = self.limit?;
        let mut clocks = self.clocks();
        let now = clocks.advance();
        let each = limit.saturating_sub(clocks.counted).checked_div(clocks.count())?;
        // Rounded up, so that the clocks have used up the limit when it has come.
        now.checked_add(each.saturating_add(Duration::from_nanos(1)))
    }
}

impl SharedBudget {
    /// Wakes all members when their time is used up. Each member that waits for something polls this.
    pub(crate) async fn watch_time(self) {
        let account = &self.0.time;
        while account.left().is_some_and(|left| !left.is_zero()) {
            // One member that knows the right time is enough, so only one is woken when a clock starts or stops.
            let changed = account.changed.notified();
            match account.ends() {
                Some(end) => tokio::select! {
                    () = sleep_until(end) => {}
                    () = changed => {}
                },
                None => changed.await,
            }
        }
        self.0.exhausted.cancel();
    }
}

/// The clock of a member, while it runs.
#[derive(Debug)]
pub(crate) struct TimeShare {
    budget: SharedBudget,
    clock: u64,
}

impl TimeShare {
    pub(crate) fn start(budget: SharedBudget, pauses: Arc<Pauses>) -> Self {
        let account = &budget.0.time;
        let clock = account.clocks().start(pauses);
        account.changed.notify_one();
        Self { budget, clock }
    }
}

impl Drop for TimeShare {
    fn drop(&mut self) {
        let account = &self.budget.0.time;
        account.clocks().stop(self.clock);
        account.changed.notify_one();
    }
}
