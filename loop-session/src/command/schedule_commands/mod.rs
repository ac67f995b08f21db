//! Commands that repeat and schedule lines.

mod every;
mod loop_command;
mod schedule;

pub use self::loop_command::is_loop;
pub(super) use self::{every::EveryCommand, loop_command::LoopCommand, schedule::ScheduleCommand};
