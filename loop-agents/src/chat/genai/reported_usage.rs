//! The usage that a stream reports before its reply ends.
//!
//! The `genai` crate returns the usage at the end of a reply. An interrupted reply never gets there, but the vendor
//! charges for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use genai::chat::{PromptTokensDetails, Usage as GenaiUsage};
use serde_json::Value;

use super::super::Vendor;
use crate::output::json_objects::{self, ParsedJson};

/// The usage that the events of one reply have reported so far. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct ReportedUsage(Arc<Mutex<EventCounts>>);

/// Token counts. A later event replaces the count of an earlier one.
#[derive(Debug, Clone, Copy, Default)]
struct EventCounts {
    /// Input tokens, without cached ones if the vendor counts those separately.
    input: Option<u64>,
    cached: Option<u64>,
    cache_written: Option<u64>,
    output: Option<u64>,
    thoughts: Option<u64>,
    /// Reasoning tokens. Most servers include them in `output`.
    reasoned: Option<u64>,
    /// Input and output tokens together.
    total: Option<u64>,
    /// Whether any part of the reply has arrived.
    has_begun: bool,
    /// Whether a count is not a valid number, or a key appears twice.
    is_unreliable: bool,
    /// Whether the count of `output` is the one from the end of the reply.
    is_final: bool,
}

impl ReportedUsage {
    /// Takes whole events.
    pub(super) fn feed(&self, vendor: Vendor, events: &[u8]) {
        let text = String::from_utf8_lossy(events).replace("\r\n", "\n").replace('\r', "\n");
        let is_lines = matches!(vendor, Vendor::Ollama);
        self.counts().has_begun |= !text.is_empty();
        for event in text.split(if is_lines { "\n" } else { "\n\n" }) {
            // A quick check, because most events contain only text.
            if ["usage", "_eval_count", "\\u"].iter().any(|word| event.contains(word))
                && let Some(ParsedJson { value, duplicate_keys }) = data(event)
            {
                let mut counts = self.counts();
                counts.is_unreliable |= !duplicate_keys.is_empty();
                counts.feed(vendor, &value);
            }
        }
    }

    /// Returns whether any part of the reply has arrived.
    pub(super) fn has_begun(&self) -> bool {
        self.counts().has_begun
    }

    /// Returns whether the counts can cover everything that the reply used. `has_content`
    /// tells whether the reply has any content: if so, its output cannot be zero.
    pub(super) fn is_whole(&self, vendor: Vendor, has_content: bool) -> bool {
        let EventCounts { input, cached, cache_written, output, is_unreliable, is_final, .. } =
            *self.counts();
        let is_beside = matches!(vendor, Vendor::Anthropic);
        let beside = [cached, cache_written].into_iter().flatten().filter(|_| is_beside);
        let is_read = input.is_some() && beside.chain(input).any(|count| count > 0);
        !is_unreliable && is_read && is_final && output.is_some_and(|count| count > 0 || !has_content)
    }

    fn counts(&self) -> MutexGuard<'_, EventCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the usage so far, as the type of the `genai` crate.
    pub(super) fn usage(&self, vendor: Vendor) -> GenaiUsage {
        let EventCounts { input, cached, cache_written, output, thoughts, reasoned, total, .. } =
            *self.counts();
        let is_beside = matches!(vendor, Vendor::Anthropic);
        let beside = [cached, cache_written].into_iter().flatten().filter(|_| is_beside);
        let input = beside.chain(input).reduce(u64::saturating_add);
        // Gemini counts thoughts separately.
        let output = [output, thoughts].into_iter().flatten().reduce(u64::saturating_add);
        // Some servers count reasoning only in their totals, and still charge for it.
        let beyond = total.zip(input).map(|(total, input)| total.saturating_sub(input));
        let output = output.map(|output| [beyond, reasoned].into_iter().flatten().fold(output, u64::max));
        let count = |tokens: Option<u64>| tokens.map(|tokens| i32::try_from(tokens).unwrap_or(i32::MAX));
        let details = PromptTokensDetails {
            cached_tokens: count(cached),
            cache_creation_tokens: count(cache_written),
            ..PromptTokensDetails::default()
        };
        GenaiUsage {
            prompt_tokens: count(input),
            completion_tokens: count(output),
            prompt_tokens_details: Some(details),
            ..GenaiUsage::default()
        }
    }
}

impl EventCounts {
    fn feed(&mut self, vendor: Vendor, data: &Value) {
        let usage = ["/usage", "/message/usage", "/x_groq/usage", "/usageMetadata"];
        let whole = usage.iter().find_map(|path| data.pointer(path).filter(|usage| usage.is_object()));
        let Some(usage) = whole.or(matches!(vendor, Vendor::Ollama).then_some(data)) else { return };
        let mut is_unreliable = self.is_unreliable;
        let mut set = |field: &mut Option<u64>, paths: &[&str]| {
            let given = paths.iter().filter_map(|path| usage.pointer(path)).find(|count| !count.is_null());
            let valid = given.and_then(Value::as_u64);
            is_unreliable |= given.is_some() && valid.is_none_or(|count| i32::try_from(count).is_err());
            *field = valid.or(*field);
            valid.is_some()
        };
        set(&mut self.input, &["/prompt_tokens", "/input_tokens", "/promptTokenCount", "/prompt_eval_count"]);
        set(
            &mut self.cached,
            &["/prompt_tokens_details/cached_tokens", "/cache_read_input_tokens", "/cachedContentTokenCount"],
        );
        set(&mut self.cache_written, &["/cache_creation_input_tokens"]);
        let has_output = set(
            &mut self.output,
            &["/completion_tokens", "/output_tokens", "/candidatesTokenCount", "/eval_count"],
        );
        set(&mut self.thoughts, &["/thoughtsTokenCount"]);
        let details =
            ["/completion_tokens_details/reasoning_tokens", "/output_tokens_details/reasoning_tokens"];
        set(&mut self.reasoned, &details);
        set(&mut self.total, &["/total_tokens", "/totalTokenCount"]);
        self.is_unreliable = is_unreliable;
        // Anthropic sends a placeholder with the beginning of the message.
        self.is_final |= has_output && data.pointer("/message/usage").is_none();
    }
}

/// Parses the JSON of an event: its joined lines of data, or the whole event if it has none.
fn data(event: &str) -> Option<ParsedJson> {
    let lines = event.lines().filter_map(|line| line.trim().strip_prefix("data:")).map(str::trim);
    let data = lines.collect::<Vec<_>>().join("\n");
    json_objects::read(if data.is_empty() { event } else { &data }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(vendor: Vendor, events: &[&str]) -> [Option<i32>; 4] {
        let reported = ReportedUsage::default();
        events.iter().for_each(|events| reported.feed(vendor, events.as_bytes()));
        let usage = reported.usage(vendor);
        let details = usage.prompt_tokens_details.unwrap();
        [usage.prompt_tokens, details.cached_tokens, details.cache_creation_tokens, usage.completion_tokens]
    }

    #[test]
    fn the_usage_of_each_vendor_is_read() {
        let none = [None; 4];
        let event = "data: {\"usage\":null}\r\n\r\ndata: {\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,\r\n\
                     data: \"prompt_tokens_details\":{\"cached_tokens\":5}}}\n\ndata: [DONE]\n\n";
        assert_eq!(counted(Vendor::OpenAi, &[event]), [Some(9), Some(5), None, Some(4)]);
        let start = "event: message_start\ndata: {\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":1,\
                     \"cache_read_input_tokens\":100,\"cache_creation_input_tokens\":10}}}\n\n";
        assert_eq!(counted(Vendor::Anthropic, &[start]), [Some(119), Some(100), Some(10), Some(1)]);
        let delta = "event: message_delta\ndata: {\"usage\":{\"output_tokens\":4}}\n\n";
        assert_eq!(counted(Vendor::Anthropic, &[start, delta]), [Some(119), Some(100), Some(10), Some(4)]);
        let gemini = "data: {\"usageMetadata\":{\"promptTokenCount\":9,\"candidatesTokenCount\":3,\"thoughtsTokenCount\":1}}\n\n";
        assert_eq!(counted(Vendor::Gemini, &[gemini]), [Some(9), None, None, Some(4)]);
        let ollama = "{\"done\":false}\n{\"done\":true,\"prompt_eval_count\":9,\"eval_count\":4}\n";
        assert_eq!(counted(Vendor::Ollama, &[ollama]), [Some(9), None, None, Some(4)]);
        for event in ["", "data: usage\n\n", "data: {\"usage\":3}\n\n", "{\"usage\":{\"prompt_tokens\":-1}}"]
        {
            assert_eq!(counted(Vendor::OpenAi, &[event]), none, "{event}");
        }
        let huge = "data: {\"usage\":{\"prompt_tokens\":3000000000}}\n\n";
        assert_eq!(counted(Vendor::OpenAi, &[huge])[0], Some(i32::MAX));
    }
}
