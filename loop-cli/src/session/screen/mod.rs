//! What is seen of a session.

mod colour;
mod live;
mod pace;
mod statistics;
mod status;

pub(crate) use self::{
    live::Live,
    pace::Pace,
    statistics::{money, statistics},
    status::Status,
};
