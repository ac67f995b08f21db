use loop_core::{EvaluationContext, IterationContext, Loop, Verdict, evaluator_fn, evaluator_passed, iteration_fn};

struct NotACondition;

fn main() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let check = evaluator_fn(async |_: EvaluationContext<u64>| Ok(Verdict::pass()));
    let _ = Loop::new(agent).evaluate(check).until(evaluator_passed().and(NotACondition));
}
