//! The settings for all jobs.

use std::time::Duration;

use jiff::SignedDuration;

use crate::{CatchUp, Jitter};

/// The settings for all jobs of a schedule.
///
/// # Default
/// The numbers of [`ScheduleSettings::classic`]; intervals are kept as written, and times of day do not expire.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScheduleSettings {
    /// The maximum number of jobs. Default: 50.
    pub max_jobs: usize,
    /// The maximum size of a prompt in bytes. Default: 65,536.
    pub max_prompt_bytes: usize,
    /// The lifetime of a recurring job: its first slot this long after its creation is its last. `None` means forever.
    /// Default: 3 days, or 7.
    pub expiry: Option<Duration>,
    /// Whether an interval becomes the nearest that divides the hour or the day. Times of day stay as they are. Default:
    /// no.
    pub rounds_intervals: bool,
    /// The limits for the offset between fires and their slots.
    pub jitter: Jitter,
    /// A slot this long ago counts as missed and not only as late, if no scheduler was running. Default: 2 minutes.
    pub grace: Duration,
    /// The maximum age of the latest of the missed slots for catching up. `None`, the default, means any age.
    pub catch_up_window: Option<Duration>,
    /// The delay between the starts of jobs that are caught up together. Default: 10 seconds.
    pub stagger: Duration,
    /// The maximum number of running jobs. Default: 1, since two agents in one folder undo each other's work.
    pub max_running: usize,
    /// How long a due fire may wait before that is reported. Default: 1 minute.
    pub overdue_after: Duration,
}

impl ScheduleSettings {
    /// Returns an expiry of three days, jitter of a tenth of the interval, up to 15 minutes, and rounded intervals.
    pub fn classic() -> Self {
        Self {
            max_jobs: 50,
            max_prompt_bytes: 65_536,
            expiry: Some(Duration::from_hours(3 * 24)),
            rounds_intervals: true,
            jitter: Jitter::CLASSIC,
            grace: Duration::from_mins(2),
            catch_up_window: None,
            stagger: Duration::from_secs(10),
            max_running: 1,
            overdue_after: Duration::from_mins(1),
        }
    }

    /// Returns an expiry of seven days, jitter of half the interval, up to 30 minutes, and exact intervals.
    pub fn current() -> Self {
        Self { expiry: Some(Duration::from_hours(7 * 24)), jitter: Jitter::CURRENT, ..Self::default() }
    }

    /// Sets the lifetime of a recurring job. Zero means forever.
    #[must_use]
    pub fn with_expiry(mut self, expiry: Duration) -> Self {
        self.expiry = Some(expiry).filter(|expiry| !expiry.is_zero());
        self
    }

    /// Sets whether intervals are rounded to those that divide the hour or the day.
    #[must_use]
    pub fn with_rounded_intervals(mut self, rounds_intervals: bool) -> Self {
        self.rounds_intervals = rounds_intervals;
        self
    }

    /// Sets the jitter.
    #[must_use]
    pub fn with_jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = jitter;
        self
    }

    /// Sets the maximum number of jobs.
    #[must_use]
    pub fn with_max_jobs(mut self, max_jobs: usize) -> Self {
        self.max_jobs = max_jobs;
        self
    }

    /// Sets the maximum number of running jobs.
    #[must_use]
    pub fn with_max_running(mut self, max_running: usize) -> Self {
        self.max_running = max_running;
        self
    }

    /// Sets the maximum age of missed slots for catching up.
    #[must_use]
    pub fn with_catch_up_window(mut self, window: Duration) -> Self {
        self.catch_up_window = Some(window);
        self
    }

    /// Returns how to handle slots whose latest was missed this long ago.
    pub(crate) fn catch_up_of(&self, wanted: CatchUp, age: SignedDuration) -> CatchUp {
        let is_too_old = self.catch_up_window.is_some_and(|window| age.unsigned_abs() > window);
        if is_too_old { CatchUp::None } else { wanted }
    }
}

impl Default for ScheduleSettings {
    fn default() -> Self {
        Self::classic().with_rounded_intervals(false)
    }
}
