//! Wherever a run of a chain dies, and however often, a resumed run starts at the part that was cut: a part that was
//! done does not run again, and the result equals that of an uninterrupted run.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use loop_core::{
    BoxError, CancellationToken, Chain, EvaluationContext, Event, EventKind, IterationContext, Journal,
    JournalSync, Loop, Report, Step, StopReason, Verdict, WorkResult, condition_fn, evaluator_fn,
    iteration_fn,
};
use proptest::{collection::vec, prelude::*};
use tokio::time::{sleep, timeout};

use crate::scenario::{holds, locked, virtual_time};

/// A journal in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<(Vec<Event>, Option<u64>)>>);

impl Journal<u64> for Memory {
    fn append(&mut self, events: &[Event], output: Option<&u64>) -> Result<(), BoxError> {
        let mut stored = locked(&self.0);
        stored.0.extend_from_slice(events);
        stored.1 = output.copied().or(stored.1);
        Ok(())
    }
    fn sync(&mut self) -> JournalSync {
        Box::pin(async { Ok(()) })
    }
    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<u64>, BoxError> {
        let stored = locked(&self.0);
        stored.0.iter().for_each(each);
        Ok(stored.1)
    }
}

/// One part: its time, and the time of its gate, if it has one.
type Part = (u64, Option<u64>);

/// Everything that survives a death.
#[derive(Clone, Default)]
struct World {
    outer: Memory,
    passes: Arc<Mutex<Vec<Memory>>>,
    /// The parts that began, and those that ended, by pass and place.
    begun: Arc<Mutex<Vec<(u64, usize)>>>,
    ended: Arc<Mutex<Vec<(u64, usize)>>>,
}

impl World {
    fn journal(&self, pass: u64) -> Memory {
        let mut passes = locked(&self.passes);
        let count = passes.len().max(pass as usize + 1);
        passes.resize_with(count, Memory::default);
        passes[pass as usize].clone()
    }

    async fn run(&self, parts: &[Part], passes: u64) -> Report<u64> {
        let done = condition_fn(move |step: &Step<u64>, _| step.iteration() == passes);
        let run = Loop::new(self.chain(parts)).until(done).at_most(passes).resume_from(self.outer.clone());
        run.run().await.expect("a history")
    }

    /// Runs until a pass is done, or until this time is over and the run is cancelled.
    async fn run_for(&self, parts: &[Part], time: Option<u64>) -> Report<u64> {
        let done = condition_fn(move |step: &Step<u64>, _| step.output().is_some());
        let token = CancellationToken::new();
        let run = Loop::new(self.chain(parts)).until(done).at_most(99).grace(Duration::ZERO);
        let run = run.cancel_on(token.clone()).resume_from(self.outer.clone()).run();
        let cancel = async {
            match time {
                Some(time) => sleep(Duration::from_millis(time)).await,
                None => std::future::pending().await,
            }
            token.cancel();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            report = run => report.expect("a history"),
            () = cancel => unreachable!("it never ends"),
        }
    }

    /// Each part multiplies the number by three and adds its place, so that the result shows the order.
    fn chain(&self, parts: &[Part]) -> Chain<u64> {
        let mut chain = Chain::new();
        for (place, (time, gate)) in parts.iter().copied().enumerate() {
            let (begun, ended) = (Arc::clone(&self.begun), Arc::clone(&self.ended));
            chain = chain.then(iteration_fn(move |cx: IterationContext<u64>| {
                locked(&begun).push((cx.iteration(), place));
                let ended = Arc::clone(&ended);
                async move {
                    sleep(Duration::from_millis(time)).await;
                    locked(&ended).push((cx.iteration(), place));
                    Ok(cx.last_output().copied().unwrap_or(0).wrapping_mul(3) + place as u64 + 1)
                }
            }));
            if let Some(time) = gate {
                chain = chain.gate(evaluator_fn(move |_: EvaluationContext<u64>| async move {
                    sleep(Duration::from_millis(time)).await;
                    Ok(Verdict::pass())
                }));
            }
        }
        let world = self.clone();
        chain.record(move |pass| Ok(world.journal(pass)))
    }
}

#[test]
fn chain_resume() {
    let parts = vec((0..30_u64, prop::option::of(0..20_u64)), 1..5);
    holds((parts, 1..4_u64, vec(0..80_u64, 0..4)), |(parts, passes, deaths)| {
        virtual_time(async {
            let whole = World::default().run(&parts, passes).await;
            let world = World::default();
            let mut died = 0;
            for after in deaths {
                let run = timeout(Duration::from_millis(after), world.run(&parts, passes));
                died += usize::from(run.await.is_err());
            }
            let report = world.run(&parts, passes).await;
            if report.reason() == Some(&StopReason::AttemptsExhausted) {
                return;
            }
            assert_eq!((report.output(), report.is_success()), (whole.output(), true));
            let ended = locked(&world.ended);
            let all = passes as usize * parts.len();
            assert_eq!(ended.len(), all, "each part ends once: {ended:?}");
            assert!(ended.is_sorted(), "in order: {ended:?}");
            assert!(locked(&world.begun).len() <= all + died, "each death repeats one part at most");
        });
    });
}

/// A cancellation uses up the index of its pass. However often that happens, and whatever dies between, a part that was
/// done does not run again, even if the outer run lost its last events.
#[test]
fn chain_resume_after_cancellations() {
    let parts = vec((0..15_u64, prop::option::of(0..10_u64)), 1..6);
    let stops = vec((0..40_u64, any::<bool>(), 0..5_usize), 0..6);
    holds((parts, stops), |(parts, stops)| {
        let parts: Vec<Part> =
            parts.into_iter().map(|(time, gate)| (2 * time, gate.map(|it| 2 * it))).collect();
        virtual_time(async {
            let whole = World::default().run_for(&parts, None).await;
            let world = World::default();
            for (after, dies, lost) in stops {
                // Parts take an even time, so no cancellation cuts one that is done in the same moment.
                let after = 2 * after + 1;
                let is_over = match dies {
                    true => timeout(Duration::from_millis(after), world.run_for(&parts, None)).await.is_ok(),
                    false => world.run_for(&parts, Some(after)).await.is_success(),
                };
                if is_over {
                    let mut outer = locked(&world.outer.0);
                    let kept = outer.0.len().saturating_sub(lost).max(1);
                    outer.0.truncate(kept);
                    let has_output = |event: &Event| {
                        matches!(event.kind, EventKind::IterationFinished { result: WorkResult::Done(_), .. })
                    };
                    outer.1 = outer.1.filter(|_| outer.0.iter().any(has_output));
                }
            }
            let report = world.run_for(&parts, None).await;
            if report.reason() == Some(&StopReason::AttemptsExhausted) {
                return;
            }
            assert_eq!((report.output(), report.is_success()), (whole.output(), true));
            let ended: Vec<_> = locked(&world.ended).iter().map(|(_, place)| *place).collect();
            assert_eq!(ended, (0..parts.len()).collect::<Vec<_>>(), "each part ends once, in order");
        });
    });
}
