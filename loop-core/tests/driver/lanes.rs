//! Loops that run at once: which one wins, and what becomes of the others.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use loop_core::{
    Bounded, BuildError, EvaluationContext, Halt, IterationContext, JudgedStep, Lanes, Loop, Step,
    StopReason, Verdict, best_of, condition_fn, evaluator_fn, evaluator_passed, iteration_fn, never, race,
};
use tokio::time::sleep;

use crate::test_parts::{cents, ms, timed};

type BoxIteration = Box<dyn loop_core::Iteration<Output = u64>>;

/// Reports a cent at once, and its number after this time. If it is cut, it reports two more, 5 ms later.
fn agent(millis: u64) -> BoxIteration {
    Box::new(iteration_fn(move |cx: IterationContext<u64>| async move {
        cx.meter().add(cents(1));
        tokio::select! {
            () = sleep(ms(millis)) => {}
            () = cx.cancelled() => {
                sleep(ms(5)).await;
                cx.meter().add(cents(2));
            }
        }
        Ok(millis)
    }))
}

/// A loop that is done when its output is at most `goal`.
fn lane(millis: u64, goal: u64) -> Loop<BoxIteration, Step<u64>, Bounded> {
    let done = condition_fn(move |step: &Step<u64>, _| step.output().is_some_and(|output| *output <= goal));
    Loop::new(agent(millis)).until(done).at_most(2)
}

#[tokio::test(start_paused = true)]
async fn the_first_that_meets_its_goal_wins_and_the_others_are_awaited_and_billed() {
    // The fastest one never meets its goal.
    let (took, ended) = timed(race([lane(30, 99), lane(5, 0), lane(20, 99), lane(20, 99)]).run()).await;
    let ended = ended.unwrap();
    assert_eq!((took, ended.winner_index()), (ms(25), Some(2)));
    assert_eq!(ended.winner().unwrap().output(), Some(&20));
    let reasons: Vec<_> =
        ended.reports().iter().map(|report| report.reason().map(StopReason::as_str)).collect();
    assert_eq!(reasons[..3], [Some("cancelled"), Some("max_iterations"), None]);
    let first = ended.reports()[0].usage();
    assert_eq!((first, ended.usage().cost.unwrap().usd), (&cents(3), cents(3 + 2 + 1 + 1).cost.unwrap().usd));
}

#[tokio::test(start_paused = true)]
async fn without_a_met_goal_nobody_wins() {
    let ended = race([lane(5, 0), lane(7, 0)]).run().await.unwrap();
    assert!(ended.winner().is_none() && ended.reports().len() == 2);
    let none: Lanes<BoxIteration, Step<u64>, Bounded> = race([]);
    assert!(none.run().await.unwrap().reports().is_empty());
}

#[tokio::test(start_paused = true)]
async fn no_loop_begins_if_one_cannot_be_built() {
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let counts = move || {
        let count = Arc::clone(&count);
        iteration_fn(move |_: IterationContext<u64>| {
            count.fetch_add(1, Ordering::SeqCst);
            async { Ok(1) }
        })
    };
    let lanes = [Loop::new(counts()).until(never()).at_most(1), Loop::new(counts()).at_most(1)];
    assert_eq!(race(lanes).run().await.unwrap_err(), BuildError::NoGoal);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn within_an_iteration_all_are_billed_and_a_lane_that_cannot_work_ends_no_race_that_is_won() {
    let broken = || {
        let halt = Halt::new(StopReason::AgentUnavailable, "not installed");
        let agent: BoxIteration = Box::new(iteration_fn(move |_: IterationContext<u64>| {
            let halt = halt.clone();
            async move { Err(halt.into()) }
        }));
        Loop::new(agent).until(never()).at_most(1)
    };
    for (goal, reason) in [(99, None), (0, Some(StopReason::AgentUnavailable))] {
        let races = iteration_fn(move |cx: IterationContext<u64>| async move {
            let ended = race([broken(), lane(20, goal), lane(30, goal)]).run_within(&cx).await?;
            Ok(ended.winner_index().map_or(0, |index| index as u64))
        });
        let done = condition_fn(|step: &Step<u64>, _| step.output() == Some(&1));
        let report = Loop::new(races).until(done).at_most(1).run().await.unwrap();
        assert_eq!(report.reason(), reason.as_ref());
        assert_eq!(report.usage(), &cents(4));
    }
}

/// A loop whose output has this score, in percent, after this time.
fn scored(score: u64, passes: bool, millis: u64) -> Loop<BoxIteration, JudgedStep<u64>, Bounded> {
    let judge = evaluator_fn(move |_: EvaluationContext<u64>| async move {
        let verdict = if passes { Verdict::pass() } else { Verdict::fail() };
        Ok(verdict.with_score(score as f64 / 100.0))
    });
    Loop::new(agent(millis)).evaluate(judge).until(evaluator_passed()).at_most(1)
}

/// A loop whose evaluator gives no score.
fn unscored(passes: bool) -> Loop<BoxIteration, JudgedStep<u64>, Bounded> {
    let judge = evaluator_fn(move |_: EvaluationContext<u64>| async move {
        Ok(if passes { Verdict::pass() } else { Verdict::fail() })
    });
    Loop::new(agent(1)).evaluate(judge).until(evaluator_passed()).at_most(1)
}

#[tokio::test(start_paused = true)]
async fn the_best_score_wins_and_the_highest_possible_one_ends_the_others() {
    let winner = async |lanes| best_of(lanes).run().await.map(|ended| ended.winner_index()).unwrap();
    assert_eq!(winner(vec![scored(50, true, 5), scored(90, false, 9), scored(70, true, 1)]).await, Some(1));
    assert_eq!(winner(vec![scored(50, false, 5), scored(50, true, 9), scored(50, true, 1)]).await, Some(1));
    assert_eq!(winner(vec![]).await, None);
    // Any score is better than none, and without one only a met goal wins.
    assert_eq!(winner(vec![unscored(true), scored(0, false, 1), unscored(true)]).await, Some(1));
    assert_eq!(winner(vec![unscored(false), unscored(true)]).await, Some(1));
    assert_eq!(winner(vec![unscored(false), unscored(false)]).await, None);
    let run = best_of([scored(50, true, 900), scored(100, true, 10), scored(100, false, 5)]).run();
    let (took, ended) = timed(run).await;
    let ended = ended.unwrap();
    assert_eq!((took, ended.winner_index()), (ms(15), Some(1)));
    assert_eq!(ended.reports()[0].reason(), Some(&StopReason::Cancelled));
    let run = best_of([scored(50, true, 900), scored(100, true, 10)]).wait_for_all().run();
    let (took, ended) = timed(run).await;
    assert_eq!((took, ended.unwrap().winner_index()), (ms(900), Some(1)));
}
