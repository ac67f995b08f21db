use loop_core::{IterationContext, Loop, Step, condition_fn, iteration_fn};

fn main() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let done = condition_fn(|step: &Step<u64>, _| step.iteration() == 3);
    let _ = Loop::new(agent).until(done).spawn();
}
