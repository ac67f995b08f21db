//! A chain: plan, write and polish in one pass, with a check after the first two.
//!
//! Run it with `cargo run -p loop-core --example chain`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use loop_core::{
    BuildError, Chain, EvaluationContext, Iteration, IterationContext, Loop, Step, Usage, Verdict,
    condition_fn, evaluator_fn, iteration_fn,
};

/// Replaces a model: appends this text to the input.
fn appends(text: &'static str) -> impl Iteration<Output = String> {
    iteration_fn(move |cx: IterationContext<String>| async move {
        cx.meter().add(Usage::unknown().with_tokens(80, 20));
        Ok(format!("{}{text}", cx.last_output().cloned().unwrap_or_default()))
    })
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), BuildError> {
    let has_plan = evaluator_fn(async |cx: EvaluationContext<String>| {
        Ok(if cx.output().starts_with("plan") { Verdict::pass() } else { Verdict::fail() })
    });
    // The text has to be long enough after the second pass.
    let is_long = evaluator_fn(async |cx: EvaluationContext<String>| {
        Ok(match cx.output().len() {
            0..24 => Verdict::fail().with_feedback("write more"),
            _ => Verdict::pass(),
        })
    });
    let chain = || Chain::new().then(appends("plan, ")).gate(has_plan.clone()).then(appends("text, "));
    let two_passes = condition_fn(|step: &Step<String>, _| step.iteration() == 2);

    let polished = Loop::new(chain().then(appends("polish. "))).until(two_passes).at_most(3).run().await?;
    println!("{}: {:?}", polished.ending(), polished.output());
    assert_eq!(polished.output().map(String::as_str), Some("plan, text, polish. plan, text, polish. "));
    assert_eq!(polished.usage().tokens(), Some(600));

    // The first pass is too short for its second gate, so the third part does not run, and the step fails.
    let gated = Loop::new(chain().gate(is_long).then(appends("polish. ")));
    let done = condition_fn(|step: &Step<String>, _| step.output().is_some());
    let report = gated.until(done).at_most(1).run().await?;
    let failure = report.last_step().and_then(|step| step.failure()).unwrap_or_default();
    println!("{}: {failure}", report.ending());
    assert_eq!(failure, "part 2 of the chain did not pass its gate: write more");
    assert_eq!(report.usage().tokens(), Some(200));
    Ok(())
}
