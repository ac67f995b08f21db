//! A watcher: looks at something until it is as it should be, often while it changes, rarely while it does not.
//!
//! Run it with `cargo run -p loop-core --example watcher`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::time::Duration;

use loop_core::{
    BuildError, Event, EventKind, IterationContext, Loop, Pace, Progress, Step, condition_fn, iteration_fn,
};

/// What the watched deployment says, look by look.
const STATES: [&str; 8] =
    ["queued", "queued", "queued", "building", "building", "testing", "testing", "live"];

/// Ten milliseconds after a change; twice as long with each look that shows none.
struct Patient;

impl Pace for Patient {
    fn delay(&self, progress: &Progress) -> Duration {
        let unchanged = progress.unchanged("state").unwrap_or(0).min(3);
        Duration::from_millis(10 << unchanged)
    }
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), BuildError> {
    let look = iteration_fn(async |cx: IterationContext<&str>| {
        let state = STATES[(cx.iteration() as usize - 1).min(STATES.len() - 1)];
        // A mark is any number that stands for what was seen.
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
        .pace(Patient)
        .observe(waits)
        .run()
        .await?;

    println!("{} after {} looks", report.ending(), report.iterations());
    assert!(report.is_success());
    assert_eq!(report.iterations(), STATES.len() as u64);
    Ok(())
}
