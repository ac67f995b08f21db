//! Limits on a command's time, its silence, and the memory of its processes.

use std::{
    fmt, future, io,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use rustix::process::Pid;
#[cfg(target_os = "linux")]
use rustix::process::{Resource, Rlimit, prlimit};
use tokio::time::{Instant, sleep};

use super::Job;

/// Why we made a command end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutReason {
    /// The caller asked for it.
    Requested,
    /// The command ran longer than this.
    TimeLimit(Duration),
    /// The command printed nothing for this long.
    SilenceLimit(Duration),
}

impl fmt::Display for CutReason {
    /// The text follows "it was ended": "after 10s, its time limit".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested => f.write_str("since it was asked to end"),
            Self::TimeLimit(limit) => write!(f, "after {limit:?}, its time limit"),
            Self::SilenceLimit(limit) => write!(f, "after printing nothing for {limit:?}"),
        }
    }
}

/// A command's own limits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ProcessLimits {
    pub(super) time: Option<Duration>,
    pub(super) silence: Option<Duration>,
    /// The most bytes of memory that each process of the command can write to.
    pub(super) memory: Option<u64>,
}

/// A command's clock. It pauses while the command is stopped.
#[derive(Debug)]
pub(super) struct CommandClock<'a> {
    started: Instant,
    /// How long the job had been stopped before this command.
    stopped_before: Duration,
    job: Option<&'a Job>,
    /// When the command last printed something, in microseconds of its own clock.
    heard: AtomicU64,
}

impl<'a> CommandClock<'a> {
    pub(super) fn start(job: Option<&'a Job>) -> Self {
        let stopped_before = job.map(Job::time_stopped).unwrap_or_default();
        Self { started: Instant::now(), stopped_before, job, heard: AtomicU64::new(0) }
    }

    /// Returns the command's time so far.
    pub(super) fn now(&self) -> Duration {
        let stopped = self.job.map(Job::time_stopped).unwrap_or_default() - self.stopped_before;
        self.started.elapsed().saturating_sub(stopped)
    }

    /// Records that the command has printed something.
    pub(super) fn record_output(&self) {
        self.heard.store(u64::try_from(self.now().as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Resolves when the command exceeds a limit. Wakes once for each moment at which a limit might be reached. Cancel
    /// safe.
    pub(super) async fn crossed(&self, limits: ProcessLimits) -> CutReason {
        loop {
            let now = self.now();
            let heard = Duration::from_micros(self.heard.load(Ordering::Relaxed));
            let time = limits.time.map(|limit| (limit.saturating_sub(now), CutReason::TimeLimit(limit)));
            let silence = limits
                .silence
                .map(|limit| ((heard + limit).saturating_sub(now), CutReason::SilenceLimit(limit)));
            match time.into_iter().chain(silence).min_by_key(|(left, _)| *left) {
                None => return future::pending().await,
                Some((Duration::ZERO, cut)) => return cut,
                Some((left, _)) => self.wait(left).await,
            }
        }
    }

    /// Resolves after this much of the command's time. Cancel safe.
    pub(super) async fn passed(&self, time: Duration) {
        let until = self.now() + time;
        while let Some(left) = until.checked_sub(self.now()).filter(|left| !left.is_zero()) {
            self.wait(left).await;
        }
    }

    /// Waits for this long, and then until the command is not stopped.
    async fn wait(&self, time: Duration) {
        sleep(time).await;
        if let Some(job) = self.job {
            job.running().await;
        }
    }
}

/// Limits the memory that a process, and each process that it starts from now on, can write to. Call it before `process`
/// is reaped, because its number cannot belong to another process until then.
#[cfg(target_os = "linux")]
pub(super) fn limit_memory(process: Pid, bytes: u64) -> io::Result<()> {
    let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
    prlimit(Some(process), Resource::Data, limit)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn limit_memory(_: Pid, _: u64) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::time::{advance, timeout};

    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn on_virtual_time<T>(test: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(test)
    }

    proptest! {
        /// Time in which a job is stopped does not count, wherever it falls.
        #[test]
        fn a_limit_is_crossed_after_its_time_without_the_stops(
            limit in 1u64..100,
            spans in prop::collection::vec((0u64..30, 0u64..1000), 0..6),
        ) {
            on_virtual_time(async move {
                let job = Job::new();
                let clock = CommandClock::start(Some(&job));
                let limits = ProcessLimits { time: Some(seconds(limit)), silence: None, memory: None };
                let mut running = 0;
                let stops = async {
                    for (before, stopped) in spans {
                        sleep(seconds(before)).await;
                        job.stop();
                        sleep(seconds(stopped)).await;
                        job.resume();
                        running += before;
                    }
                };
                let crossed = clock.crossed(limits);
                tokio::join!(stops, async {
                    prop_assert_eq!(crossed.await, CutReason::TimeLimit(seconds(limit)));
                    prop_assert_eq!(clock.now(), seconds(limit));
                    Ok(())
                }).1
            })?;
        }

        /// The longest silence counts.
        #[test]
        fn silence_is_cut_when_it_lasts(limit in 1u64..20, silences in prop::collection::vec(0u64..40, 0..12)) {
            on_virtual_time(async move {
                let clock = CommandClock::start(None);
                // The limit never falls on the moment of a sound.
                let longest = seconds(limit) + Duration::from_millis(500);
                let limits = ProcessLimits { time: None, silence: Some(longest), memory: None };
                let speak = async {
                    for silence in &silences {
                        sleep(seconds(*silence)).await;
                        clock.record_output();
                    }
                    future::pending::<()>().await;
                };
                let cut = tokio::select! { cut = clock.crossed(limits) => cut, () = speak => unreachable!() };
                prop_assert_eq!(cut, CutReason::SilenceLimit(longest));
                let spoken: u64 = silences.iter().take_while(|silence| **silence <= limit).sum();
                prop_assert_eq!(clock.now(), seconds(spoken) + longest);
                Ok(())
            })?;
        }
    }

    #[test]
    fn no_limit_is_never_crossed() {
        on_virtual_time(async {
            let clock = CommandClock::start(None);
            assert!(timeout(seconds(1_000_000), clock.crossed(ProcessLimits::default())).await.is_err());
            advance(seconds(1)).await;
            assert!(clock.now() > seconds(1_000_000));
        });
    }

    #[test]
    fn a_cut_says_why() {
        let texts = [
            CutReason::Requested,
            CutReason::TimeLimit(seconds(10)),
            CutReason::SilenceLimit(Duration::from_millis(1500)),
        ]
        .map(|cut| format!("it was ended {cut}"));
        assert_eq!(
            texts,
            [
                "it was ended since it was asked to end",
                "it was ended after 10s, its time limit",
                "it was ended after printing nothing for 1.5s"
            ]
        );
    }
}
