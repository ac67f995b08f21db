//! Lines of JSON.

use serde_json::{Value, json};

use crate::answer::Reply;

pub(super) fn pieces(reply: &Reply) -> Vec<String> {
    let words = reply.deltas.iter().map(|text| json!({ "role": "assistant", "content": text }));
    let calls = reply.calls.iter().map(|call| {
        let function = json!({ "name": call.name, "arguments": call.arguments() });
        json!({ "role": "assistant", "content": "", "tool_calls": [{ "function": function }] })
    });
    words.chain(calls).map(|message| line(&json!({ "message": message, "done": false }))).collect()
}

pub(super) fn ending(reply: &Reply) -> String {
    let reason = if reply.truncated { "length" } else { "stop" };
    let mut end =
        json!({ "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": reason });
    if let Some((input, output)) = reply.usage {
        end["prompt_eval_count"] = input.into();
        end["eval_count"] = output.into();
    }
    line(&end)
}

fn line(json: &Value) -> String {
    format!("{json}\n")
}
