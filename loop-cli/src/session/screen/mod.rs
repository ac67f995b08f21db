//! The display of a session.

mod reply_colours;
mod turn_status;
mod turn_view;

pub(crate) use self::{turn_status::TurnStatus, turn_view::TurnView};
