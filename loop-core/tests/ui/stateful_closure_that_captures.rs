use loop_core::{IterationContext, Loop, iteration_with, never};

fn main() {
    let name = String::from("a client");
    let agent = iteration_with(0_u64, async move |count: &mut u64, _: IterationContext<String>| {
        *count += 1;
        Ok(format!("{name} {count}"))
    });
    let _ = Loop::new(agent).until(never()).at_most(3).run();
}
