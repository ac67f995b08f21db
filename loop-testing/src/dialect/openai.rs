//! Chat completions.

use serde_json::{Value, json};

use super::event;
use crate::answer::{Call, Reply};

pub(super) fn pieces(reply: &Reply) -> Vec<String> {
    let words = reply.deltas.iter().map(|text| chunk(&json!({ "content": text })));
    let calls = reply.calls.iter().enumerate().flat_map(|(index, call)| call_chunks(index, call));
    words.chain(calls).collect()
}

/// The first piece contains the name, and each piece contains a part of the arguments.
fn call_chunks(index: usize, call: &Call) -> Vec<String> {
    let first = json!({ "tool_calls": [{
        "index": index, "id": call.id, "type": "function", "function": { "name": call.name, "arguments": "" },
    }] });
    let rest = call.chunks.iter().map(|piece| {
        chunk(&json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }))
    });
    std::iter::once(chunk(&first)).chain(rest).collect()
}

fn chunk(delta: &Value) -> String {
    event(&json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta }] }))
}

pub(super) fn ending(reply: &Reply) -> String {
    let reason = match reply {
        Reply { truncated: true, .. } => "length",
        Reply { calls, .. } if !calls.is_empty() => "tool_calls",
        _ => "stop",
    };
    let mut end = event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }));
    end.extend(usage(reply));
    end + "data: [DONE]\n\n"
}

pub(super) fn usage(reply: &Reply) -> Option<String> {
    let (input, output) = reply.usage?;
    let usage =
        json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output });
    Some(event(&json!({ "choices": [], "usage": usage })))
}
