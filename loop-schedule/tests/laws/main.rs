//! The laws of schedules, one file per law, over generated jobs, clocks and restarts.
#![expect(clippy::unwrap_used, reason = "a test whose scenario cannot be made has failed")]

mod asleep_is_one_final_fire;
mod busy_is_one_fire;
mod deleted_never_fires;
mod generators;
mod jitter_is_stable;
mod next_is_next;
mod no_slot_fires_twice;
mod phrases;
mod requests;
