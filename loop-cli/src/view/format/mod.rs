//! Texts in the form in which people read them.

mod call_rows;
pub(crate) mod text;
mod tool_calls;

pub(crate) use self::{
    call_rows::{CallRows, heading as call_heading},
    tool_calls::{allow_hint, tool_call_line, tool_error_line, unenforced_lines},
};
