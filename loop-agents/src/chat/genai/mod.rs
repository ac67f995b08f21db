//! Models behind a server, through the `genai` crate.
//!
//! Each vendor has its own protocol, which changes with every new model. The `genai` crate implements the protocols.
//! This module adds what the crate leaves open: an interrupted reply is an error and not a short reply, figures that
//! the server did not report are unknown and not zero, a reply has bounds, and every error tells whether a retry makes
//! sense.

mod call_numbers;
mod convert;
mod effort;
mod endpoint;
mod errors;
mod event_splitter;
mod model;
mod pages;
mod raw_arguments;
mod relay;
mod reply_bounds;
mod reported_usage;
mod usage;
mod window;

pub use self::{
    effort::{Effort, UnknownEffort},
    endpoint::{Endpoint, GenaiError},
    model::GenaiModel,
    pages::ServerLocation,
    window::DEFAULT_OLLAMA_WINDOW,
};
