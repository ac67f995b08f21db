//! A watcher: checks something until it is in the right state, often while it changes and rarely while it does not.
//!
//! Run it with `cargo run -p loop-core --example watcher`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::time::Duration;

use loop_core::{
    BuildError, Event, EventKind, IterationContext, Loop, Pace, Progress, Step, condition_fn, iteration_fn,
};

/// The state of the watched deployment, at each check.
const STATES: [&str; 8] =
    ["queued", "queued", "queued", "building", "building", "testing", "testing", "live"];

/// Waits ten milliseconds after a change, and twice as long after each check without one.
struct PollBackoff;

impl Pace for PollBackoff {
    fn delay(&self, progress: &Progress) -> Duration {
        let unchanged = progress.unchanged("state").unwrap_or(0).min(3);
        Duration::from_millis(10 << unchanged)
    }
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), BuildError> {
    let look = iteration_fn(async |cx: IterationContext<&str>| {
        let state = STATES[(cx.iteration() as usize - 1).min(STATES.len() - 1)];
        // A mark is any number that identifies the state.
        cx.mark("state", STATES.iter().position(|known| *known == state).unwrap_or(0) as u64);
        Ok(state)
    });
    let live = condition_fn(|step: &Step<&str>, _| step.output() == Some(&"live"));
    let waits = |event: &Event, _: &Progress| {
        if let EventKind::WaitStarted { duration, .. } = &event.kind {
            println!("next look in {duration:?}");
        }
    };
    let report = Loop::new(look)
        .until(live)
        .at_most_for(Duration::from_secs(60))
        .pace(PollBackoff)
        .observe(waits)
        .run()
        .await?;

    println!("{} after {} looks", report.ending(), report.iterations());
    assert!(report.is_success());
    assert_eq!(report.iterations(), STATES.len() as u64);
    Ok(())
}
