//! The laws of the kernel, one per file. Each is a property of generated scenarios: see [`scenario`]. A
//! simulator drives the machine itself, in virtual time. Some laws also run with the tokio driver, on a paused clock.

mod scenario;

mod accounting;
mod asked_once;
mod bounded;
mod cancel;
mod chain_resume;
mod condition_algebra;
mod deterministic;
mod exactly_one_answer;
mod goal_first;
mod guard_order;
mod nested_accounting;
mod nested_budget;
mod nested_of_one;
mod one_ending;
mod overshoot;
mod pace;
mod readers_change_nothing;
mod replay;
mod resume;
mod shared_budget;
mod snapshot_equals_fold;
mod success_is_earned;
