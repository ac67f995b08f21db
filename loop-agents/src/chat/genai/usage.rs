//! The usage of a reply.

use genai::chat::{PromptTokensDetails, Usage as GenaiUsage};
use loop_core::{Cost, Usage, Usd};

use crate::usage::{Prices, TokenCounts};

/// Converts reported tokens to a usage, with their cost from the price list.
///
/// The `genai` crate has zeros where a server reported nothing. No request is empty, so zero tokens of input mean that
/// the server reported none. `is_whole` tells whether the counts can cover everything that the reply used; if not, the
/// price is a lower bound.
pub(super) fn usage(reported: Option<&GenaiUsage>, is_whole: bool, model: &str, prices: &Prices) -> Usage {
    let tokens = reported.map(tokens).unwrap_or_default();
    let mut usage = tokens.usage();
    usage.are_tokens_partial = !is_whole;
    usage.cost = match prices.estimate(model, &tokens) {
        _ if !prices.has(model) => None,
        _ if prices.is_free(model) => Some(Cost::estimated(Usd::ZERO)),
        Some(cost) if is_whole => Some(Cost::estimated(cost.usd)),
        cost => Some(Cost::at_least(cost.map_or(Usd::ZERO, |cost| cost.usd))),
    };
    usage
}

/// Returns the larger of the two counts of each kind. The `genai` crate ignores usage in events that also contain text,
/// and in fields that only some vendors use.
pub(super) fn larger(captured: Option<&GenaiUsage>, from_events: GenaiUsage) -> GenaiUsage {
    let Some(captured) = captured else { return from_events };
    let details = |usage: &GenaiUsage| usage.prompt_tokens_details.clone().unwrap_or_default();
    let (ours, theirs) = (details(captured), details(&from_events));
    GenaiUsage {
        prompt_tokens: captured.prompt_tokens.max(from_events.prompt_tokens),
        completion_tokens: captured.completion_tokens.max(from_events.completion_tokens),
        prompt_tokens_details: Some(PromptTokensDetails {
            cached_tokens: ours.cached_tokens.max(theirs.cached_tokens),
            cache_creation_tokens: ours.cache_creation_tokens.max(theirs.cache_creation_tokens),
            ..ours
        }),
        ..captured.clone()
    }
}

fn tokens(reported: &GenaiUsage) -> TokenCounts {
    let output = count(reported.completion_tokens);
    let Some(input) = count(reported.prompt_tokens) else {
        return TokenCounts { output, ..TokenCounts::default() };
    };
    let details = reported.prompt_tokens_details.as_ref();
    let cached = details.and_then(|details| count(details.cached_tokens)).map(|part| part.min(input));
    let beside = input - cached.unwrap_or(0);
    let written =
        details.and_then(|details| count(details.cache_creation_tokens)).map(|part| part.min(beside));
    TokenCounts { fresh: Some(beside - written.unwrap_or(0)), cached, cache_written: written, output }
}

/// Returns a reported number.
fn count(tokens: Option<i32>) -> Option<u64> {
    tokens.and_then(|tokens| u64::try_from(tokens).ok()).filter(|tokens| *tokens > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::at_least_nothing;

    fn theirs(input: Option<i32>, output: Option<i32>, cached: Option<i32>) -> GenaiUsage {
        let details = PromptTokensDetails { cached_tokens: cached, ..PromptTokensDetails::default() };
        GenaiUsage {
            prompt_tokens: input,
            completion_tokens: output,
            prompt_tokens_details: Some(details),
            ..GenaiUsage::default()
        }
    }

    #[test]
    fn unreported_usage_is_unknown() {
        let prices = Prices::bundled();
        for reported in [None, Some(theirs(None, None, None)), Some(theirs(Some(0), Some(0), None))] {
            assert_eq!(usage(reported.as_ref(), true, "no-such-model", &prices), Usage::unknown());
            let priced = usage(reported.as_ref(), false, "gpt-5", &prices);
            assert_eq!(priced, at_least_nothing());
        }
        let output = usage(Some(&theirs(Some(-5), Some(3), None)), false, "gpt-5", &prices);
        assert_eq!((output.input_tokens, output.output_tokens), (None, Some(3)));
        assert!(output.are_tokens_partial);
        assert_eq!(output.cost, Some(Cost::at_least(Usd::micros(30))));
    }

    #[test]
    fn cached_tokens_are_a_part_of_the_input() {
        let used =
            usage(Some(&theirs(Some(100), Some(7), Some(90))), true, "no-such-model", &Prices::bundled());
        assert_eq!(
            (used.input_tokens, used.cached_input_tokens, used.output_tokens),
            (Some(100), Some(90), Some(7))
        );
        assert_eq!(used.cost, None);
        let used = usage(Some(&theirs(Some(100), None, Some(900))), true, "gpt-5", &Prices::bundled());
        assert_eq!((used.input_tokens, used.cached_input_tokens), (Some(100), Some(100)));
    }
}
