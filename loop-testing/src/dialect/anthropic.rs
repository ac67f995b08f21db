//! Messages.

use serde_json::{Value, json};

use crate::answer::{Call, Reply};

fn event(name: &str, mut data: Value) -> String {
    data["type"] = name.into();
    format!("event: {name}\ndata: {data}\n\n")
}

pub(super) fn opening(reply: &Reply) -> String {
    let mut message = json!({ "id": "msg_1", "role": "assistant", "content": [] });
    if let Some((input, _)) = reply.usage {
        message["usage"] = json!({ "input_tokens": input, "output_tokens": 1 });
    }
    event("message_start", json!({ "message": message }))
}

pub(super) fn pieces(reply: &Reply) -> Vec<String> {
    let mut pieces: Vec<_> = reply.deltas.iter().map(|text| text_delta(text)).collect();
    if let Some(first) = pieces.first_mut() {
        first.insert_str(0, &start(0, &json!({ "type": "text", "text": "" })));
    }
    if let Some(last) = pieces.last_mut() {
        last.push_str(&stop(0));
    }
    let calls = reply.calls.iter().enumerate().flat_map(|(index, call)| call_pieces(index + 1, call));
    pieces.into_iter().chain(calls).collect()
}

fn text_delta(text: &str) -> String {
    delta(0, &json!({ "type": "text_delta", "text": text }))
}

fn call_pieces(index: usize, call: &Call) -> Vec<String> {
    let block = json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": {} });
    let chunks = call
        .chunks
        .iter()
        .map(|piece| delta(index, &json!({ "type": "input_json_delta", "partial_json": piece })));
    std::iter::once(start(index, &block)).chain(chunks).chain([stop(index)]).collect()
}

fn start(index: usize, block: &Value) -> String {
    event("content_block_start", json!({ "index": index, "content_block": block }))
}

fn delta(index: usize, delta: &Value) -> String {
    event("content_block_delta", json!({ "index": index, "delta": delta }))
}

fn stop(index: usize) -> String {
    event("content_block_stop", json!({ "index": index }))
}

pub(super) fn ending(reply: &Reply) -> String {
    let reason = match reply {
        Reply { truncated: true, .. } => "max_tokens",
        Reply { calls, .. } if !calls.is_empty() => "tool_use",
        _ => "end_turn",
    };
    let mut end = json!({ "delta": { "stop_reason": reason } });
    if let Some((_, output)) = reply.usage {
        end["usage"] = json!({ "output_tokens": output });
    }
    event("message_delta", end) + &event("message_stop", json!({}))
}

pub(super) fn usage(reply: &Reply) -> Option<String> {
    let (_, output) = reply.usage?;
    Some(event("message_delta", json!({ "delta": {}, "usage": { "output_tokens": output } })))
}
