//! The display of a session.

mod last_exchange;
mod turn_status;
mod turn_view;
mod typed_lines;

pub(crate) use self::{
    last_exchange::last_exchange,
    turn_status::TurnStatus,
    turn_view::TurnView,
    typed_lines::{AskedTime, TypedLines},
};
