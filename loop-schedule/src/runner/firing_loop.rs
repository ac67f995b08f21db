//! The loop in which a runner holds the firing lock and fires the jobs that are due.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use tokio::{
    sync::{Notify, watch},
    task::{Id, JoinError, JoinSet},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use super::{DeliveryContext, Runner, RunnerNotice};
use crate::{DropGuard, EndReason, Fire, JobId, Jobs, JobsChange, Scheduler, SchedulerEvent, StoreError};

/// The runner notices within this time that the machine slept or the clock was set.
const LONGEST_SLEEP: Duration = Duration::from_mins(1);

pub(super) struct FiringLoop {
    runner: Runner,
    scheduler: Scheduler,
    changed: Arc<Notify>,
    /// `None` if the store cannot watch for changes; then we read it each time.
    watch: Option<DropGuard>,
    switched: watch::Receiver<bool>,
    running: JoinSet<Result<(), StoreError>>,
    runs: HashMap<Id, RunningFire>,
    reported: HashSet<String>,
}

struct RunningFire {
    id: JobId,
    number: u64,
    cancel: CancellationToken,
    /// The end of the job, which is reported after its last fire.
    end: Option<SchedulerEvent>,
}

/// The reason why a runner woke.
enum WakeReason {
    InTime,
    StoreChanged,
    RunEnded(Result<(Id, Result<(), StoreError>), JoinError>),
    Answered(JobId, bool),
    Cancelled,
}

impl FiringLoop {
    pub(super) fn new(runner: Runner) -> Self {
        let changed = Arc::new(Notify::new());
        let reported = changed.clone();
        Self {
            scheduler: Scheduler::new(runner.settings.clone()),
            watch: runner.store.watch(Arc::new(move || reported.notify_one())),
            switched: runner.switch.watch(),
            changed,
            runner,
            running: JoinSet::new(),
            runs: HashMap::new(),
            reported: HashSet::new(),
        }
    }

    /// Runs until it is cancelled or, with `once`, until the jobs that are due now have ended.
    pub(super) async fn run(mut self, once: bool, cancel: &CancellationToken) -> Result<(), StoreError> {
        self.tell_unfinished().await?;
        let mut is_stale = true;
        loop {
            if is_stale || self.watch.is_none() {
                self.read().await?;
            }
            self.tick().await?;
            if once && self.running.is_empty() && !self.scheduler.has_pending() {
                return Ok(());
            }
            is_stale = false;
            match self.wait(cancel).await {
                WakeReason::InTime => {}
                WakeReason::StoreChanged => is_stale = true,
                WakeReason::RunEnded(ended) => self.ended(ended).await?,
                WakeReason::Answered(id, fire) => {
                    let events = self.scheduler.answer(id, fire, (self.runner.clock)());
                    self.perform(events).await?;
                }
                WakeReason::Cancelled => return self.end().await,
            }
        }
    }

    /// Reports unfinished fires of other processes. The process that held the firing lock before is gone.
    async fn tell_unfinished(&mut self) -> Result<(), StoreError> {
        let jobs = self.jobs().await?;
        let now = (self.runner.clock)();
        for (record, fire) in jobs.open_fires() {
            let (id, number) = (record.job.id, fire.number);
            self.change(move |jobs| jobs.lost(id, number, now)).await?;
            self.tell(RunnerNotice::Unfinished { job: Arc::new(record.job.clone()), fire: fire.clone() });
        }
        Ok(())
    }

    /// Reads the changes of other processes.
    async fn read(&mut self) -> Result<(), StoreError> {
        let jobs = self.jobs().await?;
        let now = (self.runner.clock)();
        // A job that is over but still in the store runs for the last time, or its fire was lost.
        let live = jobs.records().iter().filter(|record| !record.state.is_over);
        let ids: HashSet<JobId> = live.clone().map(|record| record.job.id).collect();
        let gone: Vec<JobId> = self.scheduler.ids().filter(|id| !ids.contains(id)).collect();
        for id in gone {
            self.scheduler.remove(id);
        }
        for record in live {
            self.scheduler.set(record.job.clone(), &record.state, now);
        }
        Ok(())
    }

    /// Reads all jobs, and reports each warning once.
    async fn jobs(&mut self) -> Result<Jobs, StoreError> {
        let loaded = self.runner.store.jobs().await?;
        Ok(loaded.report(|warning| {
            if self.reported.insert(warning.to_string()) {
                self.runner.delivery.notice(RunnerNotice::Store(warning));
            }
        }))
    }

    /// Handles everything that is due.
    async fn tick(&mut self) -> Result<(), StoreError> {
        if !self.runner.switch.is_on() {
            self.runs.values().for_each(|run| run.cancel.cancel());
            return Ok(());
        }
        let now = (self.runner.clock)();
        self.runner.store.note_check(now);
        let events = self.scheduler.tick(now, self.runner.delivery.is_idle());
        self.perform(events).await
    }

    async fn perform(&mut self, events: Vec<SchedulerEvent>) -> Result<(), StoreError> {
        for event in events {
            match event {
                SchedulerEvent::Fired(fire) => {
                    self.fire(fire).await?;
                    continue;
                }
                SchedulerEvent::Missed { ref job, slots } | SchedulerEvent::Skipped { ref job, slots } => {
                    let id = job.id;
                    self.change(move |jobs| jobs.settle(id, slots.last)).await?;
                }
                SchedulerEvent::Ended { id, why } => {
                    let remove = move |jobs: &mut Jobs| match why {
                        // If the claim failed, the job is not over.
                        EndReason::Fired => jobs.ended(id),
                        EndReason::Missed | EndReason::Declined => jobs.remove(id).is_some(),
                    };
                    self.change(remove).await?;
                    if let Some(run) = self.runs.values_mut().find(|run| run.id == id) {
                        run.end = Some(event);
                        continue;
                    }
                }
                SchedulerEvent::Superseded { ref job } => {
                    let theirs = |run: &&RunningFire| run.id == job.id;
                    self.runs.values().filter(theirs).for_each(|run| run.cancel.cancel());
                }
                _ => {}
            }
            self.tell(RunnerNotice::Event(event));
        }
        Ok(())
    }

    /// Claims a fire, and delivers it if the claim succeeded.
    async fn fire(&mut self, fire: Fire) -> Result<(), StoreError> {
        let now = (self.runner.clock)();
        let claimed = fire.clone();
        if !self.runner.switch.is_on() || !self.change(move |jobs| jobs.claim(&claimed, now)).await? {
            self.scheduler.finished(fire.job.id);
            // The store has newer information about the job.
            self.changed.notify_one();
            self.tell(RunnerNotice::Dropped(fire));
            return Ok(());
        }
        let cancel = CancellationToken::new();
        let (id, number) = (fire.job.id, fire.number);
        let store = self.runner.store.clone();
        let work = DeliveryContext::new(&fire, store, self.runner.clock.clone(), cancel.clone());
        let task = self.running.spawn(work.perform(fire, self.runner.delivery.clone()));
        self.runs.insert(task.id(), RunningFire { id, number, cancel, end: None });
        Ok(())
    }

    async fn ended(
        &mut self,
        ended: Result<(Id, Result<(), StoreError>), JoinError>,
    ) -> Result<(), StoreError> {
        let (task, result) = match ended {
            Ok((task, result)) => (task, Some(result)),
            Err(error) => (error.id(), None),
        };
        let Some(run) = self.runs.remove(&task) else { return Ok(()) };
        self.scheduler.finished(run.id);
        let result = match result {
            Some(result) => result,
            None => {
                let now = (self.runner.clock)();
                self.change(move |jobs| jobs.lost(run.id, run.number, now)).await?;
                self.tell(RunnerNotice::Panicked { id: run.id });
                Ok(())
            }
        };
        if let Some(end) = run.end {
            self.tell(RunnerNotice::Event(end));
        }
        result
    }

    async fn wait(&mut self, cancel: &CancellationToken) -> WakeReason {
        let now = (self.runner.clock)();
        let until = self.scheduler.next_wake().filter(|_| self.runner.switch.is_on());
        let pause =
            until.map_or(LONGEST_SLEEP, |until| until.duration_since(now).try_into().unwrap_or_default());
        tokio::select! {
            () = cancel.cancelled() => WakeReason::Cancelled,
            Some(ended) = self.running.join_next_with_id() => WakeReason::RunEnded(ended),
            Some((id, fire)) = self.runner.answers.1.recv() => WakeReason::Answered(id, fire),
            () = self.changed.notified() => WakeReason::StoreChanged,
            () = self.runner.woken.notified() => WakeReason::InTime,
            _ = self.switched.changed() => WakeReason::InTime,
            () = sleep(pause.min(LONGEST_SLEEP)) => WakeReason::InTime,
        }
    }

    /// Ends the current runs.
    async fn end(&mut self) -> Result<(), StoreError> {
        self.runs.values().for_each(|run| run.cancel.cancel());
        while let Some(ended) = self.running.join_next_with_id().await {
            self.ended(ended).await?;
        }
        Ok(())
    }

    async fn change(
        &self,
        change: impl FnOnce(&mut Jobs) -> bool + Send + 'static,
    ) -> Result<bool, StoreError> {
        let change: JobsChange = Box::new(change);
        self.runner.store.change(change).await
    }

    fn tell(&self, notice: RunnerNotice) {
        self.runner.delivery.notice(notice);
    }
}
