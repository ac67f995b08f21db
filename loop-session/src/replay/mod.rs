//! Replay: the prompts of a stored session, sent to other models.
//!
//! A person who chooses a model wants to know how it would have done in their own work. So [`Recording`] takes the
//! prompts of a session, with everything that commands and files put into the conversation as it was recorded.
//! [`replay`] sends them in order to a model in a new session, and [`table`] shows the turns of all models side by
//! side. Nothing that the person ran is run again, and a turn without a reply does not end the replay.

mod new_session;
mod recording;
mod replayed;
mod table;

pub use self::{
    new_session::{chat, transcript},
    recording::{RecordedTurn, Recording},
    replayed::{ReplayedTurn, TurnFigures, replay},
    table::table,
};
