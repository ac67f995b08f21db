use loop_core::{IterationContext, Loop, iteration_fn, never};

fn answer() -> Result<u64, Box<dyn std::error::Error + Send + Sync>> {
    Ok(42)
}

fn main() {
    let agent = iteration_fn(async |_: IterationContext<u64>| Ok(answer()?));
    let _ = Loop::new(agent).until(never()).at_most(3).run();
}
