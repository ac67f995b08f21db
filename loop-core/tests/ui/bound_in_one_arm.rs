use loop_core::{IterationContext, Loop, iteration_fn, never};

fn main() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let run = Loop::new(agent).until(never());
    let run = if std::env::args().count() > 1 { run.at_most(3) } else { run };
    let _ = run.run();
}
