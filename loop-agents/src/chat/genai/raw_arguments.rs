//! The arguments of calls as the model wrote them, before a parser drops duplicate keys.

use genai::chat::ToolCall;
use serde_json::Value;

use crate::output::json_objects;

/// The texts of the arguments, as they arrive.
///
/// The `genai` crate returns parsed arguments, and its parser keeps the last of two equal keys. While a reply of
/// `OpenAI`'s or Anthropic's protocol streams, the crate also passes on the text so far, and this type collects that
/// text. Ollama and Gemini send the arguments as JSON within the line's own JSON, which the crate parses as a whole.
/// For these two, duplicate keys go unnoticed, and the crate's choice counts.
#[derive(Debug, Default)]
pub(super) struct RawArguments(Vec<(String, String)>);

impl RawArguments {
    /// Takes the call as far as it has arrived.
    pub(super) fn add(&mut self, call: ToolCall) {
        let Value::String(text) = call.fn_arguments else { return };
        // Pieces of several calls can alternate.
        let is_begin =
            |(id, before): &&mut (String, String)| *id == call.call_id && text.starts_with(&**before);
        match self.0.iter_mut().rev().find(is_begin) {
            Some((_, before)) => *before = text,
            None => self.0.push((call.call_id, text)),
        }
    }

    /// Returns the call with its original arguments if they contain a duplicate key.
    pub(super) fn restore(&self, mut call: ToolCall) -> ToolCall {
        let is_doubled = |text: &&String| {
            json_objects::unique(text).is_none()
                && serde_json::from_str::<Value>(text).is_ok_and(|read| read == call.fn_arguments)
        };
        let texts = self.0.iter().filter(|(id, _)| *id == call.call_id).map(|(_, text)| text);
        if call.fn_arguments.is_object()
            && let Some(text) = texts.into_iter().find(is_doubled)
        {
            call.fn_arguments = Value::String(text.clone());
        }
        call
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, arguments: Value) -> ToolCall {
        ToolCall {
            call_id: id.to_owned(),
            fn_name: "t".to_owned(),
            fn_arguments: arguments,
            thought_signatures: None,
        }
    }

    #[test]
    fn arguments_with_a_duplicate_key_stay_text() {
        let (duplicate_keys, plain) = (r#"{"a":[1],"a":[]}"#, r#"{"b":1}"#);
        let mut raw = RawArguments::default();
        for (id, text) in [("1", duplicate_keys), ("2", plain)] {
            for end in 0..=text.len() {
                raw.add(call(id, Value::from(&text[..end])));
            }
        }
        assert_eq!(raw.0.len(), 2);
        let mut alternating = RawArguments::default();
        for end in 0..=plain.len() {
            alternating.add(call("1", Value::from(&duplicate_keys[..end])));
            alternating.add(call("2", Value::from(&plain[..end])));
        }
        assert_eq!(alternating.0.len(), 2);
        let restored = |id: &str, text: &str| {
            raw.restore(call(id, serde_json::from_str(text).expect("JSON"))).fn_arguments
        };
        assert_eq!(restored("1", duplicate_keys), Value::from(duplicate_keys));
        assert_eq!(restored("2", plain), serde_json::json!({ "b": 1 }));
        assert_eq!(restored("3", duplicate_keys), serde_json::json!({ "a": [] }));
    }
}
