//! Models behind a server, by the `genai` crate.
//!
//! Each vendor has a protocol of its own, which changes with every new model. That is another project's work;
//! here stands what that project leaves open: replies that break off are errors and not short replies,
//! figures that were not reported are unknown and not zero, a reply has bounds, and every failure says whether it is worth asking
//! again.

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
