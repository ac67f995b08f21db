//! Bounds on the size of a reply.

use genai::chat::ToolCall;
use serde_json::Value;

use super::event_splitter::{MAX_EVENT_BYTES, MAX_LINE_BYTES, MAX_STREAM_BYTES};

/// The most bytes of a reply's text, thoughts and arguments together: 32 MiB.
const MAX_REPLY_BYTES: usize = 32 * 1024 * 1024;

/// The longest arguments of one tool call: 1 MiB.
const MAX_ARGUMENT_BYTES: usize = 1024 * 1024;

/// The longest name of a tool that a call can have. Vendors allow 64 or 128 characters.
const MAX_NAME_BYTES: usize = 1024;

/// The most tool calls of a reply.
pub(super) const MAX_CALLS: usize = 1000;

/// The `genai` crate copies all arguments so far with each new piece. 4 GiB of copied bytes correspond to 180 kB of
/// arguments in pieces of 4 bytes.
const MAX_COPIED_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// The largest response that is not a stream, such as a list of models: 8 MiB.
pub(super) const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

const MIB: usize = 1024 * 1024;

/// A bound that a server exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum CrossedBound {
    #[error("its text, thoughts and tool calls are more than {} MiB", MAX_REPLY_BYTES / MIB)]
    Reply,
    #[error("a line of it is longer than {} MiB", MAX_LINE_BYTES / MIB)]
    Line,
    #[error("an event of it is longer than {} MiB", MAX_EVENT_BYTES / MIB)]
    Event,
    #[error("the server sent more than {} MiB for it", MAX_STREAM_BYTES / MIB)]
    Stream,
    #[error("it is not streamed, and longer than {} MiB", MAX_BODY_BYTES / MIB)]
    Body,
    #[error("the arguments of a tool call are longer than {} MiB", MAX_ARGUMENT_BYTES / MIB)]
    Arguments,
    #[error("the arguments of its tool calls came in too many small pieces")]
    Pieces,
    #[error("the name of a tool call is longer than {MAX_NAME_BYTES} bytes")]
    Name,
    #[error("it has more than {MAX_CALLS} tool calls, or one with an impossible number")]
    Calls,
}

/// Counts the content of a reply.
#[derive(Debug, Default)]
pub(super) struct ReplyBounds {
    bytes: usize,
    copied: u64,
    calls: usize,
    /// The current call, and the length of its arguments.
    last: Option<(String, usize)>,
}

impl ReplyBounds {
    /// Counts a piece of text or of a thought.
    pub(super) fn add_text(&mut self, text: &str) -> Result<(), CrossedBound> {
        self.add(text.len())
    }

    /// Counts a call, as far as it has arrived.
    pub(super) fn call(&mut self, call: &ToolCall) -> Result<(), CrossedBound> {
        // Parsed arguments arrive in one piece, and several calls may share a name.
        let (length, is_whole) = match &call.fn_arguments {
            Value::String(text) => (text.len(), false),
            whole => (whole.to_string().len(), true),
        };
        if length > MAX_ARGUMENT_BYTES {
            return Err(CrossedBound::Arguments);
        }
        if call.fn_name.len() > MAX_NAME_BYTES {
            return Err(CrossedBound::Name);
        }
        self.copied = self.copied.saturating_add(length as u64);
        if self.copied > MAX_COPIED_BYTES {
            return Err(CrossedBound::Pieces);
        }
        let before = match &self.last {
            Some((id, before)) if !is_whole && *id == call.call_id && *before <= length => *before,
            _ => {
                self.calls += 1;
                0
            }
        };
        if self.calls > MAX_CALLS {
            return Err(CrossedBound::Calls);
        }
        self.last = Some((call.call_id.clone(), length));
        self.add(length - before)
    }

    /// Returns a number that grows with each part of the reply, and with nothing else.
    pub(super) fn progress(&self) -> usize {
        self.bytes + self.calls
    }

    fn add(&mut self, bytes: usize) -> Result<(), CrossedBound> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > MAX_REPLY_BYTES { Err(CrossedBound::Reply) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, arguments: Value) -> ToolCall {
        let (call_id, fn_name) = (id.to_owned(), "t".to_owned());
        ToolCall { call_id, fn_name, fn_arguments: arguments, thought_signatures: None }
    }

    #[test]
    fn text_and_arguments_count_together_and_a_call_that_grows_counts_once() {
        let mebibyte = "x".repeat(MIB);
        let mut bounds = ReplyBounds::default();
        for _ in 0..31 {
            bounds.add_text(&mebibyte).unwrap();
        }
        for length in [1, MIB / 2, MIB] {
            bounds.call(&call("1", mebibyte[..length].into())).unwrap();
        }
        assert_eq!(bounds.add_text("x"), Err(CrossedBound::Reply));
    }

    #[test]
    fn arguments_are_bounded_however_they_come() {
        let long = "x".repeat(MIB + 1);
        for arguments in [Value::from(long.as_str()), serde_json::json!({ "text": long })] {
            assert_eq!(ReplyBounds::default().call(&call("1", arguments)), Err(CrossedBound::Arguments));
        }
        let mut bounds = ReplyBounds::default();
        let mebibyte = call("1", "x".repeat(MIB).into());
        let crossed = (0..5000).find_map(|_| bounds.call(&mebibyte).err());
        assert_eq!(crossed, Some(CrossedBound::Pieces));
    }

    #[test]
    fn calls_are_counted() {
        let mut bounds = ReplyBounds::default();
        let crossed =
            (0..2 * MAX_CALLS).find(|index| bounds.call(&call(&index.to_string(), "".into())).is_err());
        assert_eq!(crossed, Some(MAX_CALLS));
        let (mut bounds, whole) = (ReplyBounds::default(), call("1", serde_json::json!({})));
        let crossed = (0..2 * MAX_CALLS).find(|_| bounds.call(&whole).is_err());
        assert_eq!(crossed, Some(MAX_CALLS), "calls of one name");
    }
}
