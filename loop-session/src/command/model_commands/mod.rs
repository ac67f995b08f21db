//! Commands for the model and its tools.

mod model;
mod tools;

pub(super) use self::{model::ModelCommand, tools::ToolsCommand};
