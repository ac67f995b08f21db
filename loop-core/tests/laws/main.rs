//! The fifteen laws of the kernel, one file a law. Each is a property over generated worlds: see
//! [`world`]. A simulator drives the machine itself, in virtual time; some laws are held against the
//! tokio driver as well, on a paused clock.

mod world;

mod accounting;
mod asked_once;
mod bounded;
mod cancel;
mod condition_algebra;
mod deterministic;
mod goal_first;
mod guard_order;
mod one_ending;
mod overshoot;
mod pace;
mod readers_change_nothing;
mod replay;
mod resume;
mod success_is_earned;
