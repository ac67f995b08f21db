//! The numbers that hold for all jobs.

use std::time::Duration;

use jiff::SignedDuration;

use crate::{CatchUp, Jitter};

/// The numbers that hold for all jobs of a schedule.
///
/// # Default
/// [`Settings::classic`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// How many jobs there may be. Default: 50.
    pub max_jobs: usize,
    /// How many bytes a prompt may have. Default: 65,536.
    pub max_prompt_bytes: usize,
    /// How long a job that comes around lives: the first slot this long after its creation is its last.
    /// `None` is for ever. Default: 3 days, or 7.
    pub expiry: Option<Duration>,
    /// How far fires are moved from their slots.
    pub jitter: Jitter,
    /// From when on a slot that nobody was awake for counts as missed, and not only as late. Default: 2
    /// minutes.
    pub grace: Duration,
    /// How old the last of some missed slots may be to be caught up with. `None`, the default, is any age.
    pub catch_up_window: Option<Duration>,
    /// How far apart the jobs begin that are caught up with together. Default: 10 seconds.
    pub stagger: Duration,
    /// How many jobs may run at once. Default: 1, since two agents in one folder undo each other's work.
    pub max_running: usize,
    /// How long a due fire may wait until that is told. Default: 1 minute.
    pub overdue_after: Duration,
}

impl Settings {
    /// Three days, and jitter of a tenth of the interval, up to 15 minutes.
    pub fn classic() -> Self {
        Self {
            max_jobs: 50,
            max_prompt_bytes: 65_536,
            expiry: Some(Duration::from_hours(3 * 24)),
            jitter: Jitter::CLASSIC,
            grace: Duration::from_mins(2),
            catch_up_window: None,
            stagger: Duration::from_secs(10),
            max_running: 1,
            overdue_after: Duration::from_mins(1),
        }
    }

    /// Seven days, and jitter of half the interval, up to 30 minutes.
    pub fn current() -> Self {
        Self { expiry: Some(Duration::from_hours(7 * 24)), jitter: Jitter::CURRENT, ..Self::classic() }
    }

    /// Sets how long a job that comes around lives. Zero is for ever.
    #[must_use]
    pub fn with_expiry(mut self, expiry: Duration) -> Self {
        self.expiry = Some(expiry).filter(|expiry| !expiry.is_zero());
        self
    }

    /// Sets how far fires are moved from their slots.
    #[must_use]
    pub fn with_jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = jitter;
        self
    }

    /// Sets how many jobs there may be.
    #[must_use]
    pub fn with_max_jobs(mut self, max_jobs: usize) -> Self {
        self.max_jobs = max_jobs;
        self
    }

    /// Sets how many jobs may run at once.
    #[must_use]
    pub fn with_max_running(mut self, max_running: usize) -> Self {
        self.max_running = max_running;
        self
    }

    /// Sets how old missed slots may be to be caught up with.
    #[must_use]
    pub fn with_catch_up_window(mut self, window: Duration) -> Self {
        self.catch_up_window = Some(window);
        self
    }

    /// What becomes of slots the last of which was missed so long ago.
    pub(crate) fn catch_up_of(&self, wanted: CatchUp, age: SignedDuration) -> CatchUp {
        let is_too_old = self.catch_up_window.is_some_and(|window| age.unsigned_abs() > window);
        if is_too_old { CatchUp::None } else { wanted }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::classic()
    }
}
