//! The ways in which a run is read, and not read.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use futures::{Stream, StreamExt};
use loop_core::{
    Bounded, BuildError, Event, EventKind, Loop, LoopStep, OnLag, Report, RunStream, Running, Update,
};
use tokio::time::sleep;

use super::{
    GoalState, Probe, World,
    live::{Parts, virtual_time},
    locked,
};

/// The reader repeats these steps, one before each update.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pauses {
    /// It lets others run so many times, and no time passes.
    pub(crate) turns: Vec<usize>,
    /// Then it sleeps so long.
    pub(crate) sleeps: Vec<Duration>,
}

/// The way in which a run is read.
#[derive(Debug, Clone)]
pub(crate) enum Reading {
    /// And nobody observes it, so that the driver has no reason to look at the clock.
    Nobody,
    Stream(Pauses),
    Spawned {
        pauses: Pauses,
        channel: usize,
        on_lag: OnLag,
    },
    Detached,
}

/// A run that has begun.
pub(super) enum Begun {
    Alone(Pin<Box<dyn Future<Output = Report<u64>> + Send>>),
    Stream(Box<RunStream<u64>>),
    Spawned(Running<u64>),
    Detached,
}

impl Reading {
    pub(super) fn begin<S>(&self, run: Loop<Parts, S, Bounded>) -> Result<Begun, BuildError>
    where
        S: LoopStep<Output = u64> + 'static,
    {
        Ok(match self {
            Self::Nobody => Begun::Alone(Box::pin(async { run.run().await.expect("a new run begins") })),
            Self::Stream(_) => Begun::Stream(Box::new(run.stream()?)),
            Self::Spawned { channel, on_lag, .. } => {
                Begun::Spawned(run.channel(*channel).on_lag(*on_lag).spawn()?)
            }
            Self::Detached => {
                run.spawn()?.detach();
                Begun::Detached
            }
        })
    }

    /// Runs a world, read in this way, and gives what its parts saw and what the reader saw.
    pub(crate) fn run(&self, world: &World) -> (Vec<Event>, Vec<Event>) {
        virtual_time(async {
            let parts = Parts::new(world, &[]);
            let ledger = Arc::clone(&parts.ledger);
            let goal = GoalState::new(&world.goal);
            let (begun, probes) = parts.begin(goal, &[], self).expect("a new run begins");
            let read = match (begun, self) {
                (Begun::Alone(run), _) => {
                    tokio::spawn(run).await.expect("no panic");
                    Vec::new()
                }
                (Begun::Stream(updates), Self::Stream(pauses)) => {
                    tokio::spawn(read(updates, pauses.clone())).await.expect("no panic")
                }
                (Begun::Spawned(updates), Self::Spawned { pauses, .. }) => {
                    read(updates, pauses.clone()).await
                }
                _ => {
                    while !locked(&ledger).over {
                        sleep(Duration::from_secs(1)).await;
                    }
                    Vec::new()
                }
            };
            (seen(&probes), read)
        })
    }
}

/// The events that the first guardrail saw. All guardrails see every event.
fn seen(probes: &[Probe]) -> Vec<Event> {
    let events = locked(&probes[0]).events.clone();
    assert!(matches!(events.last().map(|event| &event.kind), Some(EventKind::RunFinished { .. })));
    events
}

async fn read(mut updates: impl Stream<Item = Update<u64>> + Unpin, pauses: Pauses) -> Vec<Event> {
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
