//! The runner, on a clock that the tests move, or with stores on the disk.
#![expect(clippy::unwrap_used, reason = "a test whose world cannot be made has failed")]

mod disk;
mod killed;
mod life;
mod year;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use jiff::Timestamp;
use loop_schedule::{
    Delivering, Delivery, Fire, Job, JobId, JobStore, MemoryStore, Notice, Reach, Runner, Settings,
    StoreError, Switch, When, Zone, async_trait,
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

/// A job that fires by an expression, exactly.
fn cron(bits: u32, expression: &str) -> Job {
    let when = When::Cron { expression: expression.parse().unwrap(), zone: Zone::utc() };
    Job::new(JobId::from_bits(bits), when, "look", start()).without_jitter()
}

/// The wall clock of tokio's time, which goes on by itself when everybody waits.
fn virtual_clock() -> impl Fn() -> Timestamp + Send + Sync + 'static {
    let (start, begun) = (start(), Instant::now());
    move || start + begun.elapsed()
}

/// What was delivered, and what was said.
#[derive(Debug)]
enum Heard {
    Fire(Fire),
    Ended { was_cancelled: bool },
    Notice(Notice),
}

/// A delivery that tests steer.
#[derive(Clone)]
struct Steered {
    heard: mpsc::UnboundedSender<Heard>,
    is_busy: Arc<AtomicBool>,
    /// Each run ends when there is a permit, or when it is cancelled.
    ends: Arc<Semaphore>,
    panics: Arc<AtomicBool>,
}

#[async_trait]
impl Delivery for Steered {
    fn is_idle(&self) -> bool {
        !self.is_busy.load(Ordering::Relaxed)
    }

    async fn deliver(&self, fire: Fire, work: Delivering) {
        if !work.started().await.unwrap() {
            return;
        }
        let _ = self.heard.send(Heard::Fire(fire));
        assert!(!self.panics.load(Ordering::Relaxed), "a delivery that panics");
        let was_cancelled = tokio::select! {
            biased;
            permit = self.ends.acquire() => {
                permit.unwrap().forget();
                false
            }
            () = work.cancelled().cancelled() => true,
        };
        let _ = self.heard.send(Heard::Ended { was_cancelled });
    }

    fn notice(&self, notice: Notice) {
        let _ = self.heard.send(Heard::Notice(notice));
    }
}

/// A runner that runs.
struct Running {
    steered: Steered,
    heard: mpsc::UnboundedReceiver<Heard>,
    switch: Switch,
    handle: loop_schedule::RunnerHandle,
    end: CancellationToken,
    task: JoinHandle<Result<(), StoreError>>,
}

impl Running {
    /// Runs these jobs; each run may end `ends` times at once.
    fn new(
        store: impl JobStore,
        settings: Settings,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
        ends: usize,
    ) -> Self {
        let (tell, heard) = mpsc::unbounded_channel();
        let ends = Arc::new(Semaphore::new(ends));
        let steered = Steered { heard: tell, is_busy: Arc::default(), ends, panics: Arc::default() };
        let (switch, end) = (Switch::default(), CancellationToken::new());
        let runner =
            Runner::new(store, steered.clone(), clock).with_settings(settings).with_switch(switch.clone());
        let handle = runner.handle();
        let task = tokio::spawn(runner.run(end.clone()));
        Self { steered, heard, switch, handle, end, task }
    }

    /// The next fire; notices before it are passed over.
    async fn fire(&mut self) -> Fire {
        loop {
            if let Heard::Fire(fire) = self.heard.recv().await.unwrap() {
                return fire;
            }
        }
    }

    /// The next notice that is wanted; everything before it is passed over.
    async fn notice(&mut self, wanted: impl Fn(&Notice) -> bool) -> Notice {
        loop {
            if let Heard::Notice(notice) = self.heard.recv().await.unwrap()
                && wanted(&notice)
            {
                return notice;
            }
        }
    }

    /// Whether the next run to end was cancelled.
    async fn run_end(&mut self) -> bool {
        loop {
            if let Heard::Ended { was_cancelled } = self.heard.recv().await.unwrap() {
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
        store.update(|jobs| jobs.add(job, &Settings::classic(), Reach::Year, start())).unwrap();
    }
    store
}
