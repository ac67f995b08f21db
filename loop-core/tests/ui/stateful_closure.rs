use loop_core::{IterationContext, Loop, iteration_fn, never};

fn main() {
    let mut seen = Vec::new();
    let agent = iteration_fn(async move |cx: IterationContext<usize>| {
        seen.push(cx.iteration());
        Ok(seen.len())
    });
    let _ = Loop::new(agent).until(never()).at_most(3).run();
}
