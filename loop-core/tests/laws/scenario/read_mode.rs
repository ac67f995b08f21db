//! The ways in which a run is read or not read.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use futures::{Stream, StreamExt};
use loop_core::{
    Bounded, BuildError, Event, EventKind, Loop, LoopStep, OnLag, Report, RunHandle, RunStream, Update,
};
use tokio::time::sleep;

use super::{
    Disk, GoalState, Probe, Scenario,
    driven_run::{Parts, virtual_time},
    locked,
    report_log::Call,
};

/// The reader repeats these steps, one before each update.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReaderPauses {
    /// The number of times that it yields, while no time passes.
    pub(crate) turns: Vec<usize>,
    /// The time that it then sleeps.
    pub(crate) sleeps: Vec<Duration>,
}

/// The way in which a run is read.
#[derive(Debug, Clone)]
pub(crate) enum ReadMode {
    /// No observers either, so that the driver has no reason to read the clock.
    Nobody,
    Stream(ReaderPauses),
    Spawned {
        pauses: ReaderPauses,
        channel: usize,
        on_lag: OnLag,
    },
    Detached,
}

/// A run that has begun.
pub(super) enum StartedRun {
    Alone(Pin<Box<dyn Future<Output = Report<u64>> + Send>>),
    Stream(Box<RunStream<u64>>),
    Spawned(RunHandle<u64>),
    Detached,
}

impl ReadMode {
    pub(super) fn begin<S>(&self, run: Loop<Parts, S, Bounded>) -> Result<StartedRun, BuildError>
    where
        S: LoopStep<Output = u64> + 'static,
    {
        Ok(match self {
            Self::Nobody => StartedRun::Alone(Box::pin(async { run.run().await.expect("a new run begins") })),
            Self::Stream(_) => StartedRun::Stream(Box::new(run.stream()?)),
            Self::Spawned { channel, on_lag, .. } => {
                StartedRun::Spawned(run.channel(*channel).on_lag(*on_lag).spawn()?)
            }
            Self::Detached => {
                run.spawn()?.detach();
                StartedRun::Detached
            }
        })
    }

    /// Runs a scenario with this reader. Returns the events that its parts saw and those that the reader saw.
    pub(crate) fn run(&self, scenario: &Scenario) -> (Vec<Event>, Vec<Event>) {
        let ReadRun { events, read, .. } = self.run_on(scenario, None);
        (events, read)
    }

    /// Runs a scenario with this reader, and with a journal if there is one.
    pub(crate) fn run_on(&self, scenario: &Scenario, disk: Option<Disk>) -> ReadRun {
        virtual_time(async {
            let parts = Parts::new(scenario, &[]).on(disk);
            let report_log = Arc::clone(&parts.report_log);
            let goal = GoalState::new(&scenario.goal);
            let (begun, probes) = parts.begin(goal, &[], self).expect("a new run begins");
            let read = match (begun, self) {
                (StartedRun::Alone(run), _) => {
                    tokio::spawn(run).await.expect("no panic");
                    Vec::new()
                }
                (StartedRun::Stream(updates), Self::Stream(pauses)) => {
                    tokio::spawn(read(updates, pauses.clone())).await.expect("no panic")
                }
                (StartedRun::Spawned(updates), Self::Spawned { pauses, .. }) => {
                    read(updates, pauses.clone()).await
                }
                _ => {
                    while !locked(&report_log).over {
                        sleep(Duration::from_secs(1)).await;
                    }
                    Vec::new()
                }
            };
            let calls = locked(&report_log).calls.clone();
            ReadRun { events: seen(&probes), read, calls }
        })
    }
}

/// The results of a run that was read.
pub(crate) struct ReadRun {
    /// The events that its parts saw.
    pub(crate) events: Vec<Event>,
    /// The events that the reader saw.
    pub(crate) read: Vec<Event>,
    pub(crate) calls: Vec<Call>,
}

/// Returns the events that the first guardrail saw. All guardrails see every event.
fn seen(probes: &[Probe]) -> Vec<Event> {
    let events = locked(&probes[0]).events.clone();
    assert!(matches!(events.last().map(|event| &event.kind), Some(EventKind::RunFinished { .. })));
    events
}

async fn read(mut updates: impl Stream<Item = Update<u64>> + Unpin, pauses: ReaderPauses) -> Vec<Event> {
    let mut events = Vec::new();
    let mut turns = pauses.turns.into_iter().cycle();
    let mut sleeps = pauses.sleeps.into_iter().cycle();
    while let Some(update) = updates.next().await {
        for _ in 0..turns.next().unwrap_or(0) {
            tokio::task::yield_now().await;
        }
        if let Some(pause) = sleeps.next() {
            sleep(pause).await;
        }
        if let Update::Event(event) = update {
            events.push(event);
        }
    }
    events
}
