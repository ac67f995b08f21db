//! Checks the numbers of tool calls in a stream of `OpenAI`'s protocol.
//!
//! The `genai` crate allocates as many calls as the highest number requires. A call with the number four billion would
//! exhaust the memory.

use serde_json::Value;

use super::{
    super::Vendor,
    reply_bounds::{CrossedBound, MAX_CALLS},
};

/// Refuses events with a call whose number is too high, or is no number: the `genai` crate would leave that call out.
pub(super) fn check(vendor: Vendor, events: &[u8]) -> Result<(), CrossedBound> {
    if !matches!(vendor, Vendor::OpenAi) {
        return Ok(());
    }
    let text = String::from_utf8_lossy(events).replace("\r\n", "\n").replace('\r', "\n");
    let is_too_high = text.split("\n\n").any(|event| highest(event) >= MAX_CALLS as u64);
    if is_too_high { Err(CrossedBound::Calls) } else { Ok(()) }
}

/// Returns the highest number of a call in an event. Like the `genai` crate, it joins the event's lines of data.
fn highest(event: &str) -> u64 {
    let data = event.lines().filter_map(|line| line.trim().strip_prefix("data:")).map(str::trim);
    let data = data.collect::<Vec<_>>().join("\n");
    // An event without the key has no calls. The `genai` crate refuses invalid JSON itself.
    if !data.contains("index") && !data.contains('\\') {
        return 0;
    }
    let data: Value = serde_json::from_str(&data).unwrap_or_default();
    let calls = data.pointer("/choices/0/delta/tool_calls").and_then(Value::as_array);
    let numbers = calls.into_iter().flatten().filter_map(|call| call.get("index").filter(|it| !it.is_null()));
    numbers.map(|number| number.as_u64().unwrap_or(u64::MAX)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_bound_is_refused_however_it_is_written() {
        let event = |index: &str| {
            format!(
                "data: {{\"choices\":[{{\"delta\":\r\ndata: {{\"tool_calls\":[{{{index}}}]}}}}]}}\r\n\r\n"
            )
        };
        for (index, is_fine) in [
            ("\"index\":0", true),
            ("\"index\":999", true),
            ("\"index\":1000", false),
            ("\"index\":4294967295", false),
            ("\"inde\\u0078\":4294967295", false),
            ("\"index\":-1", false),
            ("\"index\":\"0\"", false),
            ("\"index\":null", true),
        ] {
            let events = format!("data: [DONE]\n\n: hello\n\n{}", event(index));
            assert_eq!(check(Vendor::OpenAi, events.as_bytes()).is_ok(), is_fine, "{index}");
            assert!(check(Vendor::Anthropic, events.as_bytes()).is_ok());
        }
    }
}
