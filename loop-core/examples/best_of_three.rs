//! Best of three: each iteration makes three candidates at once and keeps the best of all so far.
//!
//! Asking a model three times is often better than asking it once for longer. One meter adds up the cost of all
//! candidates, so a budget covers them together.
//!
//! Run it with `cargo run -p loop-core --example best_of_three`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use loop_core::{
    BuildError, EvaluationContext, IterationContext, Loop, Meter, Usage, Verdict, evaluator_fn,
    evaluator_passed, iteration_fn,
};

/// A slogan and how good it is.
#[derive(Debug, Clone, PartialEq)]
struct Candidate {
    text: String,
    score: f64,
}

/// Replaces a model: each iteration's candidates vary, and some are worse than an earlier one.
async fn ask(iteration: u64, variant: u64, meter: Meter) -> Candidate {
    tokio::task::yield_now().await; // a request goes out here
    meter.add(Usage::unknown().with_tokens(40, 10));
    let score = (iteration * 7 + variant * 13) % 20;
    Candidate { text: format!("slogan {iteration}.{variant}"), score: score as f64 / 20.0 }
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), BuildError> {
    let three = iteration_fn(async |cx: IterationContext<Candidate>| {
        let ask = |variant| ask(cx.iteration(), variant, cx.meter());
        let (one, two, three) = tokio::join!(ask(1), ask(2), ask(3));
        let best_so_far = cx.last_output().cloned();
        let all = [one, two, three].into_iter().chain(best_so_far);
        let best = all.max_by(|one, other| one.score.total_cmp(&other.score));
        best.ok_or_else(|| loop_core::WorkError::failed("no candidate"))
    });
    let good_enough = evaluator_fn(async |cx: EvaluationContext<Candidate>| {
        let score = cx.output().score;
        Ok(if score >= 0.75 { Verdict::pass() } else { Verdict::fail() }.with_score(score))
    });
    let report = Loop::new(three).evaluate(good_enough).until(evaluator_passed()).at_most(10).run().await?;

    println!("{} after {} iterations: {:?}", report.ending(), report.iterations(), report.output());
    assert!(report.is_success());
    assert!(report.output().is_some_and(|best| best.score >= 0.75));
    assert_eq!(report.usage().tokens(), Some(report.iterations() * 3 * 50));
    Ok(())
}
