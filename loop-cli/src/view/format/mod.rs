//! Texts in the form in which people read them.

mod changed_lines;
pub(crate) mod text;
mod tool_calls;
mod utf8_decoder;

pub(crate) use self::{
    changed_lines::changed_lines,
    tool_calls::{tool_call_line, tool_error_line},
    utf8_decoder::Utf8Decoder,
};
