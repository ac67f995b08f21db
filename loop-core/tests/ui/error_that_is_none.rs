use loop_core::{IterationContext, Loop, iteration_fn, never};

fn main() {
    let agent = iteration_fn(async |_: IterationContext<u64>| {
        let number: Result<u64, String> = Err(String::from("no number"));
        Ok(number?)
    });
    let _ = Loop::new(agent).until(never()).at_most(3).run();
}
