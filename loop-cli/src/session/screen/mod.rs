//! The display of a session.

mod turn_status;
mod turn_view;
mod typed_lines;

pub(crate) use self::{turn_status::TurnStatus, turn_view::TurnView, typed_lines::TypedLines};
