//! Tool calls for models that do not support them.
//!
//! Small local models, or their servers, often do not support tool calls. Such a model writes the call into its answer
//! instead, in a fenced block, and an agent that prints this answer has done nothing. This module tells the model which
//! format to use, parses the calls, and returns the results as messages of the user. So the model works like any other,
//! with the same limits.

mod auto;
mod calls;
mod fences;
mod model;
mod render;

pub use self::{
    auto::AutoTools,
    calls::written_calls,
    fences::{FencedBlock, fenced_blocks},
    model::{ProseTools, WithoutTools},
};
