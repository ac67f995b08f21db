//! Streamed generated content.

use serde_json::{Value, json};

use super::event;
use crate::answer::Reply;

pub(super) fn pieces(reply: &Reply) -> Vec<String> {
    let words = reply.deltas.iter().map(|text| json!({ "text": text }));
    let calls = reply.calls.iter().map(|call| {
        json!({ "functionCall": { "name": call.name, "args": call.arguments() }, "thoughtSignature": "sealed" })
    });
    words.chain(calls).map(|part| event(&json!({ "candidates": [candidate(&json!([part]))] }))).collect()
}

fn candidate(parts: &Value) -> Value {
    json!({ "index": 0, "content": { "role": "model", "parts": parts } })
}

pub(super) fn ending(reply: &Reply) -> String {
    let mut last = candidate(&json!([{ "text": "" }]));
    last["finishReason"] = if reply.truncated { "MAX_TOKENS" } else { "STOP" }.into();
    let mut end = json!({ "candidates": [last] });
    if let Some(metadata) = metadata(reply) {
        end["usageMetadata"] = metadata;
    }
    event(&end)
}

pub(super) fn usage(reply: &Reply) -> Option<String> {
    let parts = json!([{ "text": "" }]);
    Some(event(&json!({ "candidates": [candidate(&parts)], "usageMetadata": metadata(reply)? })))
}

fn metadata(reply: &Reply) -> Option<Value> {
    let (input, output) = reply.usage?;
    Some(json!({
        "promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output,
    }))
}
