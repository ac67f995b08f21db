//! Commands for the model and its tools.

mod inspect;
mod model;
mod tools;

pub(super) use self::{
    inspect::InspectCommand,
    model::{ModelCommand, ModelsCommand},
    tools::ToolsCommand,
};
