//! Models behind a server, by the `genai` crate.
//!
//! Each vendor has a protocol of its own, which changes with every new model. That is another project's work;
//! here stands what that project leaves open: replies that break off are errors and not short replies,
//! figures that were not reported are unknown and not zero, and every failure says whether it is worth asking
//! again.

mod convert;
mod effort;
mod endpoint;
mod fault;
mod model;
mod raw;
mod usage;

pub use self::{
    effort::{Effort, UnknownEffort},
    endpoint::{Endpoint, GenaiError, Vendor},
    model::GenaiModel,
};
