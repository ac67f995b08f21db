use loop_core::{Iteration, IterationContext, IterationError};

struct Counter;

impl Iteration for Counter {
    type Output = u64;
    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, IterationError> {
        Ok(cx.iteration())
    }
}

fn main() {}
