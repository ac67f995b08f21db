//! Commands for the model and its tools.

mod assay;
mod inspect;
mod model;
mod pipeline;
mod plan;
mod server;
mod tools;

pub(super) use self::{
    assay::AssayCommand,
    inspect::InspectCommand,
    model::{ModelCommand, ModelsCommand},
    pipeline::PipelineCommand,
    plan::PlanCommand,
    server::{LLAMAFILE, OLLAMA, ServerCommand},
    tools::ToolsCommand,
};
