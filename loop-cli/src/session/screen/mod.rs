//! What is seen of a session.

mod colour;
mod live;
mod status;

pub(crate) use self::{live::Live, status::Status};
