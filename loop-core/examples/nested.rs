//! A loop in a loop: each draft is reviewed and revised up to three times before the next draft begins.
//!
//! Both loops count the same usage, so the limit of the outer loop holds for the revisions too.
//!
//! Run it with `cargo run -p loop-core --example nested`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use loop_core::{
    BuildError, Ceiling, Decision, EvaluationContext, Guardrail, IterationContext, Loop, Progress,
    StopReason, Usage, Verdict, WorkError, evaluator_fn, evaluator_passed, iteration_fn,
};

/// A limit on tokens.
struct MaxTokens(u64);

impl Guardrail for MaxTokens {
    fn name(&self) -> &str {
        "max_tokens"
    }
    fn check(&self, _: &Progress) -> Decision {
        Decision::Continue
    }
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        Ceiling::tokens(self.0.saturating_sub(progress.usage().tokens().unwrap_or(0)))
    }
}

/// Revises a draft until a reviewer has no complaint, three times at most. A revision improves it by two points.
async fn revise(draft: u64, cx: &IterationContext<u64>) -> Result<u64, WorkError> {
    let reviser = iteration_fn(move |cx: IterationContext<u64>| async move {
        cx.meter().add(Usage::unknown().with_tokens(90, 10));
        Ok(cx.last_output().copied().unwrap_or(draft) + 2)
    });
    let reviewer = evaluator_fn(async |cx: EvaluationContext<u64>| {
        Ok(if *cx.output() >= 10 { Verdict::pass() } else { Verdict::fail() })
    });
    let run = Loop::new(reviser).evaluate(reviewer).until(evaluator_passed()).at_most(3);
    // A draft that three revisions do not save is a result, and the outer loop goes on with the next draft.
    let report = run.run_within(cx).await?;
    report.output().copied().ok_or_else(|| WorkError::failed("no revision"))
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), BuildError> {
    let writer = || {
        iteration_fn(async |cx: IterationContext<u64>| {
            cx.meter().add(Usage::unknown().with_tokens(40, 10));
            revise(cx.iteration() * 2, &cx).await
        })
    };
    let good = || {
        evaluator_fn(async |cx: EvaluationContext<u64>| {
            Ok(if *cx.output() >= 10 { Verdict::pass() } else { Verdict::fail() })
        })
    };
    let run = || Loop::new(writer()).evaluate(good()).until(evaluator_passed()).at_most(9);

    let report = run().run().await?;
    println!(
        "{} after {} drafts and {:?} tokens",
        report.ending(),
        report.iterations(),
        report.usage().tokens()
    );
    assert_eq!((report.iterations(), report.output()), (2, Some(&10)));
    assert_eq!(report.usage().tokens(), Some(2 * 50 + 6 * 100));

    let limited = run().guard(MaxTokens(500)).run().await?;
    println!("{} after {:?} tokens", limited.ending(), limited.usage().tokens());
    assert_eq!(limited.reason(), Some(&StopReason::TokensExceeded));
    assert_eq!(limited.usage().tokens(), Some(2 * 50 + 4 * 100));
    Ok(())
}
