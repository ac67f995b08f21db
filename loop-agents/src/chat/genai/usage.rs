//! What a reply used.

use genai::chat::Usage as Theirs;
use loop_core::Usage;

use crate::usage::{Prices, Tokens};

/// Tokens as they were reported, and what they cost by the list.
///
/// The `genai` crate has zeros where a server said nothing; but no request is empty, so nothing read means
/// that nothing was reported. Without what was read the price is unknown.
pub(super) fn usage(reported: Option<&Theirs>, model: &str, prices: &Prices) -> Usage {
    let Some(reported) = reported else { return Usage::unknown() };
    let output = count(reported.completion_tokens);
    let Some(input) = count(reported.prompt_tokens) else {
        return Tokens { output, ..Tokens::default() }.usage();
    };
    let details = reported.prompt_tokens_details.as_ref();
    let cached = details.and_then(|details| count(details.cached_tokens)).map(|part| part.min(input));
    let beside = input - cached.unwrap_or(0);
    let written =
        details.and_then(|details| count(details.cache_creation_tokens)).map(|part| part.min(beside));
    let fresh = Some(beside - written.unwrap_or(0));
    let tokens = Tokens { fresh, cached, cache_written: written, output };
    Usage { cost: prices.estimate(model, &tokens), ..tokens.usage() }
}

/// A number that was reported.
fn count(tokens: Option<i32>) -> Option<u64> {
    tokens.and_then(|tokens| u64::try_from(tokens).ok()).filter(|tokens| *tokens > 0)
}

#[cfg(test)]
mod tests {
    use genai::chat::PromptTokensDetails;

    use super::*;

    fn theirs(input: Option<i32>, output: Option<i32>, cached: Option<i32>) -> Theirs {
        let details = PromptTokensDetails { cached_tokens: cached, ..PromptTokensDetails::default() };
        Theirs {
            prompt_tokens: input,
            completion_tokens: output,
            prompt_tokens_details: Some(details),
            ..Theirs::default()
        }
    }

    #[test]
    fn what_nobody_reported_is_unknown() {
        let prices = Prices::bundled();
        for reported in [None, Some(theirs(None, None, None)), Some(theirs(Some(0), Some(0), None))] {
            assert_eq!(usage(reported.as_ref(), "gpt-5", &prices), Usage::unknown());
        }
        let output = usage(Some(&theirs(Some(-5), Some(3), None)), "gpt-5", &prices);
        assert_eq!((output.input_tokens, output.output_tokens, output.cost), (None, Some(3), None));
    }

    #[test]
    fn cached_tokens_are_a_part_of_what_was_read() {
        let used = usage(Some(&theirs(Some(100), Some(7), Some(90))), "no-such-model", &Prices::bundled());
        assert_eq!(
            (used.input_tokens, used.cached_input_tokens, used.output_tokens),
            (Some(100), Some(90), Some(7))
        );
        assert_eq!(used.cost, None);
        let used = usage(Some(&theirs(Some(100), None, Some(900))), "gpt-5", &Prices::bundled());
        assert_eq!((used.input_tokens, used.cached_input_tokens), (Some(100), Some(100)));
    }
}
