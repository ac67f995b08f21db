use loop_core::{IterationContext, Loop, iteration_fn, never};

fn main() {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let mut run = Loop::new(agent).until(never());
    if std::env::args().count() > 1 {
        run = run.at_most(3);
    }
    let _ = run.run();
}
