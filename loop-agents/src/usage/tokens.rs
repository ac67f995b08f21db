//! Token counts in the categories that vendors charge for.

use loop_core::Usage;

/// The tokens of a message by kind, because each kind has its own price. A count that was not reported is `None`.
///
/// Vendors count differently: some include the cached tokens in the input, others report them separately. In this type
/// no token is counted twice, and [`usage`](Self::usage) returns the usual totals.
///
/// ```
/// use loop_agents::usage::TokenCounts;
/// let tokens = TokenCounts { fresh: Some(200), cached: Some(900), cache_written: Some(100), output: Some(40) };
/// let usage = tokens.usage();
/// assert_eq!((usage.input_tokens, usage.cached_input_tokens), (Some(1200), Some(900)));
/// assert_eq!(usage.output_tokens, Some(40));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TokenCounts {
    /// Tokens that the model read without its cache.
    pub fresh: Option<u64>,
    /// Tokens read from the cache.
    pub cached: Option<u64>,
    /// Tokens read and written into the cache, for which some vendors charge more.
    pub cache_written: Option<u64>,
    /// Tokens written by the model, including reasoning.
    pub output: Option<u64>,
}

impl TokenCounts {
    /// Splits one reported input count that includes `cached` and `cache_written`.
    pub(super) fn within(input: Option<u64>, cached: Option<u64>, cache_written: Option<u64>) -> Self {
        let beside = cached.unwrap_or(0).saturating_add(cache_written.unwrap_or(0));
        // If a part were larger than its whole, the sum would contain tokens that do not exist.
        let (cached, cache_written) = match input {
            Some(input) if beside > input => (Some(cached.unwrap_or(0).min(input)), None),
            _ => (cached, cache_written),
        };
        let beside = cached.unwrap_or(0).saturating_add(cache_written.unwrap_or(0));
        Self { fresh: input.map(|input| input - beside), cached, cache_written, output: None }
    }

    /// Sets the output.
    pub(super) fn with_output(mut self, output: Option<u64>) -> Self {
        self.output = output;
        self
    }

    /// Returns the counts as the loop uses them: all tokens read are input, and those from the cache are also cached
    /// input. It sets no cost.
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::unknown();
        usage.input_tokens = sum([self.fresh, self.cached, self.cache_written]);
        usage.cached_input_tokens = self.cached;
        usage.output_tokens = self.output;
        usage
    }

    /// Returns the sum of all kinds.
    pub(super) fn total(&self) -> u64 {
        sum([self.fresh, self.cached, self.cache_written, self.output]).unwrap_or(0)
    }
}

/// Returns the sum of the known counts, or `None` if there are none.
pub(super) fn sum(counts: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    counts.into_iter().flatten().reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_never_sum_up_to_more_than_their_whole(
            input: u32, cached in prop::option::of(any::<u32>()), written in prop::option::of(any::<u32>()),
        ) {
            let tokens = TokenCounts::within(Some(input.into()), cached.map(Into::into), written.map(Into::into));
            prop_assert_eq!(tokens.usage().input_tokens, Some(u64::from(input)));
        }
    }

    #[test]
    fn what_is_unknown_stays_unknown() {
        assert_eq!(TokenCounts::default().usage(), Usage::unknown());
        assert_eq!(TokenCounts::within(None, Some(5), None).usage().input_tokens, Some(5));
    }
}
