//! The names of models and tools, as people write them.

mod model;
mod tool;
mod tool_mode;

pub use model::{ModelName, NameError, VendorModel, vendor_name};
pub use tool::{ToolName, UnknownTool};
pub use tool_mode::{HistoryShare, ModeError, ToolMode};
