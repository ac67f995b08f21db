//! The quality of costs that loops within an iteration revise.

use loop_core::{
    Chain, Cost, CostQuality, Event, EventKind, Iteration, IterationContext, Loop, Progress, Usage, Usd,
    WorkError, iteration_fn,
};

use crate::test_parts::never;

fn estimate() -> Usage {
    Usage::unknown().with_cost(Cost::estimated(Usd::dollars(1)))
}

/// Reports an estimate, and revises it in these iterations.
fn agent(revises: fn(u64) -> bool) -> impl Iteration<Output = u64> {
    iteration_fn(move |cx: IterationContext<u64>| async move {
        cx.meter().add(estimate());
        if revises(cx.iteration()) {
            cx.meter().revise(CostQuality::Known);
        }
        Ok(cx.iteration())
    })
}

/// Reports an estimate, and never ends.
async fn add_and_wait(cx: IterationContext<u64>) -> Result<u64, WorkError> {
    cx.meter().add(estimate());
    std::future::pending().await
}

async fn inner(cx: &IterationContext<u64>, revises: fn(u64) -> bool) -> Result<u64, WorkError> {
    Ok(Loop::new(agent(revises)).until(never()).at_most(2).run_within(cx).await?.iterations())
}

async fn cost(iteration: impl Iteration<Output = u64>) -> Cost {
    let report = Loop::new(iteration).until(never()).at_most(1).run().await.expect("a run");
    report.usage().cost.expect("a cost")
}

#[tokio::test(start_paused = true)]
async fn a_revised_quality_reaches_the_outer_loop() {
    let within = iteration_fn(async |cx: IterationContext<u64>| inner(&cx, |_| true).await);
    assert_eq!(cost(within).await, Cost::known(Usd::dollars(2)));
    let deeper = iteration_fn(async |cx: IterationContext<u64>| {
        let within = iteration_fn(async |cx: IterationContext<u64>| inner(&cx, |_| true).await);
        Ok(Loop::new(within).until(never()).at_most(1).run_within(&cx).await?.iterations())
    });
    assert_eq!(cost(deeper).await, Cost::known(Usd::dollars(2)));
    let chain = Chain::new().then(agent(|_| true)).then(agent(|_| true));
    assert_eq!(cost(chain).await, Cost::known(Usd::dollars(2)));
}

#[tokio::test(start_paused = true)]
async fn a_quality_that_an_earlier_inner_iteration_revised_reaches_the_outer_loop() {
    let known = Usage::unknown().with_cost(Cost::known(Usd::dollars(1)));
    let within = iteration_fn(move |cx: IterationContext<u64>| async move {
        let agent = iteration_fn(move |cx: IterationContext<u64>| async move {
            match cx.iteration() {
                1 => {
                    cx.meter().add(estimate());
                    cx.meter().revise(CostQuality::Known);
                }
                _ => cx.meter().add(known),
            }
            Ok(cx.iteration())
        });
        Ok(Loop::new(agent).until(never()).at_most(2).run_within(&cx).await?.iterations())
    });
    assert_eq!(cost(within).await, Cost::known(Usd::dollars(2)));
}

#[tokio::test(start_paused = true)]
async fn a_cost_that_stays_an_estimate_lowers_the_quality_of_the_whole() {
    let half = iteration_fn(async |cx: IterationContext<u64>| inner(&cx, |index| index == 1).await);
    assert_eq!(cost(half).await, Cost::estimated(Usd::dollars(2)));
    let two = iteration_fn(async |cx: IterationContext<u64>| {
        Ok(inner(&cx, |_| true).await? + inner(&cx, |_| false).await?)
    });
    assert_eq!(cost(two).await, Cost::estimated(Usd::dollars(4)));
    for first in [true, false] {
        let own = iteration_fn(move |cx: IterationContext<u64>| async move {
            if first {
                cx.meter().add(estimate());
            }
            let done = inner(&cx, |_| true).await?;
            if !first {
                cx.meter().add(estimate());
            }
            Ok(done)
        });
        assert_eq!(cost(own).await, Cost::estimated(Usd::dollars(3)));
    }
}

#[tokio::test(start_paused = true)]
async fn the_outer_iteration_has_the_last_word() {
    let own = iteration_fn(async |cx: IterationContext<u64>| {
        cx.meter().revise(CostQuality::Partial);
        inner(&cx, |_| true).await
    });
    assert_eq!(cost(own).await, Cost::at_least(Usd::dollars(2)));
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_is_dropped_has_revised_nothing_more() {
    let within = iteration_fn(async |cx: IterationContext<u64>| {
        tokio::select! {
            _ = Loop::new(iteration_fn(add_and_wait)).until(never()).at_most(1).run_within(&cx) => {}
            () = tokio::time::sleep(std::time::Duration::from_secs(1)) => {}
        }
        inner(&cx, |_| true).await
    });
    assert_eq!(cost(within).await, Cost::estimated(Usd::dollars(3)));
}

#[tokio::test(start_paused = true)]
async fn the_last_word_of_an_iteration_is_none_on_the_next_one() {
    let own = iteration_fn(async |cx: IterationContext<u64>| match cx.iteration() {
        1 => {
            cx.meter().add(estimate());
            cx.meter().revise(CostQuality::Known);
            Ok(1)
        }
        _ => inner(&cx, |_| true).await,
    });
    let report = Loop::new(own).until(never()).at_most(2).run().await.expect("a run");
    assert_eq!(report.usage().cost, Some(Cost::known(Usd::dollars(3))));
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_outlives_its_iteration_leaves_an_estimate() {
    let own = iteration_fn(async |cx: IterationContext<u64>| {
        let waits = Loop::new(iteration_fn(add_and_wait)).until(never()).at_most(1);
        let part: IterationContext<u64> = cx.part();
        let mut outlives = Box::pin(async move { waits.run_within(&part).await.map(drop) });
        assert!(futures::poll!(&mut outlives).is_pending());
        inner(&cx, |_| true).await?;
        std::mem::forget(outlives);
        Ok(1)
    });
    assert_eq!(cost(own).await, Cost::estimated(Usd::dollars(3)));
}

#[tokio::test(start_paused = true)]
async fn a_quality_that_no_loop_revised_is_not_noted() {
    let notes = |revises: fn(u64) -> bool| async move {
        let noted = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = std::sync::Arc::clone(&noted);
        let observer = move |event: &Event, _: &Progress| {
            if let EventKind::IterationFinished { .. } = event.kind {
                seen.lock().expect("no panic").push(serde_json::to_string(event).expect("JSON"));
            }
        };
        let within = iteration_fn(move |cx: IterationContext<u64>| async move { inner(&cx, revises).await });
        Loop::new(within).until(never()).at_most(1).observe(observer).run().await.expect("a run");
        let noted = noted.lock().expect("no panic");
        noted.iter().filter(|event| event.contains("cost_quality")).count()
    };
    assert_eq!((notes(|_| true).await, notes(|_| false).await), (1, 0));
}
