//! The runner, on a clock that the tests control, or with stores on the disk.
#![expect(clippy::unwrap_used, reason = "a test whose scenario cannot be made has failed")]

mod disk;
mod killed;
mod lifecycle;
mod year;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use jiff::Timestamp;
use loop_schedule::{
    Delivery, DeliveryContext, Fire, FiringSwitch, Horizon, Job, JobId, JobStore, MemoryStore, Runner,
    RunnerNotice, ScheduleSettings, StoreError, Trigger, Zone, async_trait,
};
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinHandle,
    time::Instant,
};
use tokio_util::sync::CancellationToken;

const START: &str = "2026-03-02T08:00:00Z";

fn start() -> Timestamp {
    START.parse().unwrap()
}

/// Creates a job that fires by an expression, without jitter.
fn cron(bits: u32, expression: &str) -> Job {
    let trigger = Trigger::Cron { expression: expression.parse().unwrap(), zone: Zone::utc() };
    Job::new(JobId::from_bits(bits), trigger, "look", start()).without_jitter()
}

/// Returns the wall clock of tokio's time, which advances by itself when every task waits.
fn virtual_clock() -> impl Fn() -> Timestamp + Send + Sync + 'static {
    let (start, begun) = (start(), Instant::now());
    move || start + begun.elapsed()
}

/// A delivery or a notice.
#[derive(Debug)]
enum TestEvent {
    Fire(Fire),
    Ended { was_cancelled: bool },
    RunnerNotice(RunnerNotice),
}

/// A delivery that tests control.
#[derive(Clone)]
struct TestDelivery {
    heard: mpsc::UnboundedSender<TestEvent>,
    is_busy: Arc<AtomicBool>,
    /// Each run ends when there is a permit, or when it is cancelled.
    ends: Arc<Semaphore>,
    panics: Arc<AtomicBool>,
}

#[async_trait]
impl Delivery for TestDelivery {
    fn is_idle(&self) -> bool {
        !self.is_busy.load(Ordering::Relaxed)
    }

    async fn deliver(&self, fire: Fire, work: DeliveryContext) {
        if !work.started().await.unwrap() {
            return;
        }
        let _ = self.heard.send(TestEvent::Fire(fire));
        assert!(!self.panics.load(Ordering::Relaxed), "a delivery that panics");
        let was_cancelled = tokio::select! {
            biased;
            permit = self.ends.acquire() => {
                permit.unwrap().forget();
                false
            }
            () = work.cancelled().cancelled() => true,
        };
        let _ = self.heard.send(TestEvent::Ended { was_cancelled });
    }

    fn notice(&self, notice: RunnerNotice) {
        let _ = self.heard.send(TestEvent::RunnerNotice(notice));
    }
}

/// A runner in progress.
struct TestRunner {
    delivery: TestDelivery,
    heard: mpsc::UnboundedReceiver<TestEvent>,
    switch: FiringSwitch,
    handle: loop_schedule::RunnerHandle,
    end: CancellationToken,
    task: JoinHandle<Result<(), StoreError>>,
}

impl TestRunner {
    /// Runs these jobs; each run may end `ends` times at once.
    fn new(
        store: impl JobStore,
        settings: ScheduleSettings,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
        ends: usize,
    ) -> Self {
        let (tell, heard) = mpsc::unbounded_channel();
        let ends = Arc::new(Semaphore::new(ends));
        let delivery = TestDelivery { heard: tell, is_busy: Arc::default(), ends, panics: Arc::default() };
        let (switch, end) = (FiringSwitch::default(), CancellationToken::new());
        let runner =
            Runner::new(store, delivery.clone(), clock).with_settings(settings).with_switch(switch.clone());
        let handle = runner.handle();
        let task = tokio::spawn(runner.run(end.clone()));
        Self { delivery, heard, switch, handle, end, task }
    }

    /// Returns the next fire, and skips notices before it.
    async fn fire(&mut self) -> Fire {
        loop {
            if let TestEvent::Fire(fire) = self.heard.recv().await.unwrap() {
                return fire;
            }
        }
    }

    /// Returns the next wanted notice, and skips everything before it.
    async fn notice(&mut self, wanted: impl Fn(&RunnerNotice) -> bool) -> RunnerNotice {
        loop {
            if let TestEvent::RunnerNotice(notice) = self.heard.recv().await.unwrap()
                && wanted(&notice)
            {
                return notice;
            }
        }
    }

    /// Returns whether the next run to end was cancelled.
    async fn run_end(&mut self) -> bool {
        loop {
            if let TestEvent::Ended { was_cancelled } = self.heard.recv().await.unwrap() {
                return was_cancelled;
            }
        }
    }

    async fn end(self) {
        self.end.cancel();
        self.task.await.unwrap().unwrap();
    }
}

fn store_with(jobs: impl IntoIterator<Item = Job>) -> MemoryStore {
    let store = MemoryStore::new();
    for job in jobs {
        store.update(|jobs| jobs.add(job, &ScheduleSettings::classic(), Horizon::Year, start())).unwrap();
    }
    store
}
