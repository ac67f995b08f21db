//! The fires of the folder's stored jobs in an open session.
//!
//! `loop schedule run` fires these jobs. While no process does, an open session fires the jobs that it can carry out
//! itself: plain prompts for the model of the settings. It takes the firing lock only while such a job is due and the
//! session is free, so a runner that starts meanwhile waits for no more than these turns.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use jiff::Timestamp;
use loop_core::with_causes;
use loop_schedule::{
    CancellationToken, ChangeListener, DropGuard, FileStore, FiringSwitch, Job, JobAction, JobRecord,
    JobStore, Jobs, JobsChange, Runner, ScheduleSettings, StoreError, WithWarnings,
};
use tokio::{sync::Notify, task::spawn_blocking, time::sleep};

use super::{scheduler::DueJobDelivery, session_jobs::SessionJobs};
use crate::UserInput;

/// How long the session waits at most before it looks at the jobs again. Other processes change them.
const LOOK: Duration = Duration::from_secs(20);

/// Fires the stored jobs of a session until it ends.
pub(super) struct StoredJobsRunner {
    pub(super) jobs: SessionJobs,
    pub(super) delivery: DueJobDelivery,
    pub(super) switch: FiringSwitch,
    /// True if the session can carry out a prompt. A session without a model cannot.
    pub(super) can_fire: Arc<AtomicBool>,
    /// Signals that this may have changed.
    pub(super) woken: Arc<Notify>,
    pub(super) end: CancellationToken,
}

impl StoredJobsRunner {
    pub(super) async fn run(self) {
        let mut watched = WatchedTime::since(self.jobs.host.now());
        while !self.end.is_cancelled() {
            let pause = self.look(&mut watched).await.unwrap_or_else(|error| {
                self.jobs.project.warn(&with_causes(&error));
                LOOK
            });
            tokio::select! {
                () = self.end.cancelled() => {}
                () = self.woken.notified() => {}
                () = sleep(pause) => {}
            }
        }
    }

    /// Fires what is due, if this session can. Returns when to look again.
    async fn look(&self, watched: &mut WatchedTime) -> Result<Duration, StoreError> {
        let now = self.jobs.host.now();
        let mut settings = self.jobs.settings().clone();
        settings.grace = watched.look(now, settings.grace);
        match self.next_due(&settings, now).await? {
            Some(due) if due > now => Ok(due.duration_since(now).try_into().unwrap_or(LOOK).min(LOOK)),
            Some(_) if self.can_fire.load(Ordering::Relaxed) && self.switch.is_on() => {
                self.fire(settings).await?;
                watched.last = self.jobs.host.now();
                Ok(LOOK)
            }
            _ => Ok(LOOK),
        }
    }

    /// Returns when the next job is due that this session can carry out.
    async fn next_due(
        &self,
        settings: &ScheduleSettings,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, StoreError> {
        let store = self.jobs.project.store().clone();
        let read = spawn_blocking(move || store.read()).await.unwrap_or(Err(StoreError::GivenUp))?;
        let jobs = read.report(|warning| self.jobs.project.warn(&warning.to_string()));
        let records = jobs.records().iter().filter(|record| is_prompt(&record.job));
        Ok(records.filter_map(|record| due(record, settings, now)).min())
    }

    /// Fires the jobs that are due, unless another process fires the jobs of this folder.
    async fn fire(&self, settings: ScheduleSettings) -> Result<(), StoreError> {
        let store = PromptJobs(self.jobs.project.store().clone());
        let runner = Runner::new(store, self.delivery.clone(), self.jobs.host.clock());
        let runner = runner.with_settings(settings).with_switch(self.switch.clone());
        let handle = runner.handle();
        let waking = async {
            loop {
                self.woken.notified().await;
                handle.wake();
            }
        };
        tokio::select! {
            fired = runner.run_once(self.end.clone()) => fired.map(drop),
            () = waking => unreachable!("this never ends"),
        }
    }
}

/// The time for which a session has looked at the jobs without a gap, such as a sleep of the machine. A job that was
/// due in this time had to wait for a free session, and is not missed.
struct WatchedTime {
    since: Timestamp,
    last: Timestamp,
}

impl WatchedTime {
    const fn since(now: Timestamp) -> Self {
        Self { since: now, last: now }
    }

    /// Notes a look. Returns the time after which a slot counts as missed.
    fn look(&mut self, now: Timestamp, grace: Duration) -> Duration {
        let since = |earlier| Duration::try_from(now.duration_since(earlier)).unwrap_or_default();
        if since(self.last) > grace {
            self.since = now;
        }
        self.last = now;
        grace.max(since(self.since))
    }
}

/// Returns when a job fires. A one-shot job that was missed waits for the person's answer.
fn due(record: &JobRecord, settings: &ScheduleSettings, now: Timestamp) -> Option<Timestamp> {
    let status = record.status(settings, now)?;
    if status.is_pending {
        return Some(now);
    }
    let oldest = now.checked_sub(settings.grace).unwrap_or(Timestamp::MIN);
    status.due.filter(|due| record.job.trigger.is_recurring() || *due >= oldest)
}

/// Returns whether a session can carry out a job: a prompt for the model of the settings. Another line could change the
/// rules of the session.
fn is_prompt(job: &Job) -> bool {
    matches!(JobAction::of(job), Ok(JobAction::Model { model: None, .. }))
        && matches!(UserInput::of(&job.prompt), UserInput::Prompt(_))
}

/// The stored jobs that a session can carry out. Changes apply to the whole store.
struct PromptJobs(FileStore);

#[async_trait]
impl JobStore for PromptJobs {
    async fn jobs(&self) -> Result<WithWarnings<Jobs>, StoreError> {
        Ok(self.0.jobs().await?.map(|jobs| jobs.only(is_prompt)))
    }

    async fn change(&self, change: JobsChange) -> Result<bool, StoreError> {
        self.0.change(change).await
    }

    async fn firing_lock(&self) -> Result<DropGuard, StoreError> {
        self.0.firing_lock().await
    }

    async fn try_firing_lock(&self) -> Result<Option<DropGuard>, StoreError> {
        self.0.try_firing_lock().await
    }

    fn watch(&self, tell: ChangeListener) -> Option<DropGuard> {
        self.0.watch(tell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_waits_for_a_long_turn_is_not_missed_and_a_sleep_is_a_gap() {
        let at = |minute: i64| Timestamp::from_second(60 * minute).unwrap();
        let (minutes, grace) = (Duration::from_mins, Duration::from_mins(2));
        let mut watched = WatchedTime::since(at(0));
        assert_eq!(watched.look(at(1), grace), grace);
        for minute in 2..=30 {
            assert_eq!(watched.look(at(minute), grace), minutes(u64::try_from(minute).unwrap()).max(grace));
        }
        assert_eq!(watched.look(at(90), grace), grace, "the machine slept");
        assert_eq!(watched.look(at(91), grace), grace);
        assert_eq!(watched.look(at(20), grace), grace, "the clock was set back");
    }
}
