//! A numeric optimiser with loop-core alone: gradient descent, one step per iteration.
//!
//! The check scores how close the slope is to zero. The goal is a slope that is small enough. A guardrail ends a
//! descent that diverges.
//!
//! Run it with `cargo run -p loop-core --example optimizer`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use loop_core::{
    BuildError, Decision, EvaluationContext, Halt, IterationContext, Loop, Report, StopReason, Verdict,
    evaluator_fn, evaluator_passed, guardrail_fn, iteration_fn,
};

type Point = (f64, f64);

/// The slope of `(x - 3)^2 + 10 (y + 1)^2`, a valley with two steep sides.
fn slope((x, y): Point) -> Point {
    (2.0 * (x - 3.0), 20.0 * (y + 1.0))
}

async fn descend(rate: f64) -> Result<Report<Point>, BuildError> {
    let step = iteration_fn(move |cx: IterationContext<Point>| async move {
        let (x, y) = cx.last_output().copied().unwrap_or((0.0, 0.0));
        let (dx, dy) = slope((x, y));
        Ok((x - rate * dx, y - rate * dy))
    });
    let flat = evaluator_fn(async |cx: EvaluationContext<Point>| {
        let (dx, dy) = slope(*cx.output());
        let steepness = dx.hypot(dy);
        let verdict = if steepness < 1e-3 { Verdict::pass() } else { Verdict::fail() };
        Ok(verdict.with_score(1.0 / (1.0 + steepness)))
    });
    // Far from any minimum the score is close to zero.
    let diverging = guardrail_fn("diverging", |progress| {
        let score = progress.last_step().and_then(|step| step.verdict()?.score());
        match score.is_some_and(|score| score < 1e-6) {
            true => Decision::Halt(Halt::new(StopReason::custom("diverged"), "take a smaller rate")),
            false => Decision::Continue,
        }
    });
    Loop::new(step).evaluate(flat).until(evaluator_passed()).at_most(1_000).guard(diverging).run().await
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), BuildError> {
    let found = descend(0.05).await?;
    println!("{} after {} iterations: {:?}", found.ending(), found.iterations(), found.output());
    assert!(found.is_success());
    assert!(found.output().is_some_and(|(x, y)| (x - 3.0).abs() < 1e-3 && (y + 1.0).abs() < 1e-3));

    let lost = descend(0.2).await?;
    println!("{} after {} iterations", lost.ending(), lost.iterations());
    assert_eq!(lost.reason(), Some(&StopReason::custom("diverged")));
    Ok(())
}
