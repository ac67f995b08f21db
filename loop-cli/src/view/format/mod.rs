//! Texts in the form in which people read them.

mod call_rows;
mod changed_lines;
pub(crate) mod text;
mod tool_calls;
mod utf8_decoder;

pub(crate) use self::{
    call_rows::{call_rows, heading as call_heading},
    changed_lines::{ADDED, REMOVED, changed_lines},
    tool_calls::{allow_hint, tool_call_line, tool_error_line},
    utf8_decoder::Utf8Decoder,
};
