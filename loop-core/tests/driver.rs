//! The tokio driver on a paused clock: cutting work, and reading, dropping and cancelling runs, streams and tasks.
#![expect(clippy::duplicate_mod, reason = "the example `simulation` contains the example `own_driver`")]

#[path = "driver/always_ready.rs"]
mod always_ready;
#[path = "driver/chain.rs"]
mod chain;
#[path = "driver/combined_conditions.rs"]
mod combined_conditions;
#[path = "driver/debug_output.rs"]
mod debug_output;
#[path = "driver/evaluator.rs"]
mod evaluator;
#[path = "driver/examples.rs"]
mod examples;
#[path = "driver/grants.rs"]
mod grants;
#[path = "driver/halts.rs"]
mod halts;
#[path = "driver/interrupts.rs"]
mod interrupts;
#[path = "driver/journal.rs"]
mod journal;
#[path = "driver/lagging_readers.rs"]
mod lagging_readers;
#[path = "driver/lanes.rs"]
mod lanes;
#[path = "driver/nested.rs"]
mod nested;
#[path = "driver/nested_clock.rs"]
mod nested_clock;
#[path = "driver/nested_quality.rs"]
mod nested_quality;
#[path = "driver/outputs.rs"]
mod outputs;
#[path = "driver/polled_run.rs"]
mod polled_run;
#[path = "driver/questions.rs"]
mod questions;
#[path = "driver/resume.rs"]
mod resume;
#[path = "driver/shared_budget.rs"]
mod shared_budget;
#[path = "driver/shared_budget_limits.rs"]
mod shared_budget_limits;
#[path = "driver/snapshots.rs"]
mod snapshots;
#[path = "driver/spawn.rs"]
mod spawn;
#[path = "driver/stop_condition.rs"]
mod stop_condition;
#[path = "driver/stream.rs"]
mod stream;
#[path = "driver/suspended_time.rs"]
mod suspended_time;
#[path = "driver/test_parts.rs"]
mod test_parts;
