use loop_core::{IterationContext, Loop, evaluator_passed, iteration_fn};

fn main() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let _ = Loop::new(agent).until(evaluator_passed()).at_most(3).run();
}
