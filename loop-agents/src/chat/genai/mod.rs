//! Models behind a server, through the `genai` crate.
//!
//! Each vendor has its own protocol, which changes with every new model. The `genai` crate implements the protocols.
//! This module adds what the crate leaves open: an interrupted reply is an error and not a short reply, figures that
//! the server did not report are unknown and not zero, a reply has bounds, and every error tells whether a retry makes
//! sense.

mod bounds;
mod convert;
mod effort;
mod endpoint;
mod events;
mod fault;
mod model;
mod numbering;
mod raw;
mod relay;
mod reported;
mod usage;

pub use self::{
    effort::{Effort, UnknownEffort},
    endpoint::{Endpoint, GenaiError},
    model::GenaiModel,
};
