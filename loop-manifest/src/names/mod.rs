//! The names of models and tools, as people write them.

mod model;
mod tool;

pub use model::{ModelName, NameError, VendorModel, vendor_name};
pub use tool::{ToolName, UnknownTool};
