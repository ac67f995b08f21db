//! Numbers of tokens as vendors charge for them.

use loop_core::Usage;

/// The tokens of a message, each kind by itself since each has its price. What was not reported is
/// `None`.
///
/// Vendors count them differently: with some the cached tokens are part of the input, with others they
/// stand beside it. Here no token is counted twice, and [`usage`](Self::usage) is what all mean.
///
/// ```
/// use loop_agents::usage::Tokens;
/// let tokens = Tokens { fresh: Some(200), cached: Some(900), cache_written: Some(100), output: Some(40) };
/// let usage = tokens.usage();
/// assert_eq!((usage.input_tokens, usage.cached_input_tokens), (Some(1200), Some(900)));
/// assert_eq!(usage.output_tokens, Some(40));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Tokens {
    /// Read by the model anew: neither from its cache nor into it.
    pub fresh: Option<u64>,
    /// Read from the cache.
    pub cached: Option<u64>,
    /// Read and written into the cache, for which some vendors charge more.
    pub cache_written: Option<u64>,
    /// Written, reasoning included.
    pub output: Option<u64>,
}

impl Tokens {
    /// The kinds that are part of one reported input count, which `cached` and `cache_written` are
    /// within.
    pub(super) fn within(input: Option<u64>, cached: Option<u64>, cache_written: Option<u64>) -> Self {
        let beside = cached.unwrap_or(0).saturating_add(cache_written.unwrap_or(0));
        // A part that is larger than its whole would make tokens of nothing.
        let (cached, cache_written) = match input {
            Some(input) if beside > input => (Some(cached.unwrap_or(0).min(input)), None),
            _ => (cached, cache_written),
        };
        let beside = cached.unwrap_or(0).saturating_add(cache_written.unwrap_or(0));
        Self { fresh: input.map(|input| input - beside), cached, cache_written, output: None }
    }

    /// With this output.
    pub(super) fn with_output(mut self, output: Option<u64>) -> Self {
        self.output = output;
        self
    }

    /// As the loop counts them: all that was read is input, and what of it came from the cache is
    /// cached. No cost.
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::unknown();
        usage.input_tokens = sum([self.fresh, self.cached, self.cache_written]);
        usage.cached_input_tokens = self.cached;
        usage.output_tokens = self.output;
        usage
    }

    /// All of them.
    pub(super) fn total(&self) -> u64 {
        sum([self.fresh, self.cached, self.cache_written, self.output]).unwrap_or(0)
    }
}

/// `None` if all are.
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
            let tokens = Tokens::within(Some(input.into()), cached.map(Into::into), written.map(Into::into));
            prop_assert_eq!(tokens.usage().input_tokens, Some(u64::from(input)));
        }
    }

    #[test]
    fn what_is_unknown_stays_unknown() {
        assert_eq!(Tokens::default().usage(), Usage::unknown());
        assert_eq!(Tokens::within(None, Some(5), None).usage().input_tokens, Some(5));
    }
}
