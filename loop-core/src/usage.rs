//! The usage of work: money and tokens, either of which may be unknown.
//!
//! Budgets fail when they treat an unreported number as zero: the limit then never applies, and the summary shows
//! "$0.00". Here every figure is optional, and unknown stays unknown.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use crate::Usd;

/// The reliability of a cost.
///
/// It stays exhaustive: a wildcard could mistake a cost of a new, lower quality for a known one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostQuality {
    /// Reported by the provider that charges it.
    Known,
    /// Computed, from token counts and a price table for example.
    Estimated,
    /// The price of some of the usage is unknown: this is a lower bound.
    Partial,
}

/// A cost with its reliability. A sum is as reliable as its least reliable part.
///
/// ```
/// use loop_core::{Cost, CostQuality, Usd};
/// let sum = Cost::known(Usd::dollars(2)) + Cost::estimated(Usd::dollars(1));
/// assert_eq!(sum, Cost::new(Usd::dollars(3), CostQuality::Estimated));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "StoredCost", into = "StoredCost")]
#[non_exhaustive]
pub struct Cost {
    /// The amount.
    pub usd: Usd,
    /// Known, estimated or partial.
    pub quality: CostQuality,
}

impl Cost {
    /// Creates a cost of this quality. If you know the quality in advance, use the constructor with its name.
    pub const fn new(usd: Usd, quality: CostQuality) -> Self {
        Self { usd, quality }
    }

    /// Creates a cost that the provider reported.
    pub const fn known(usd: Usd) -> Self {
        Self { usd, quality: CostQuality::Known }
    }

    /// Creates a cost that was computed.
    pub const fn estimated(usd: Usd) -> Self {
        Self { usd, quality: CostQuality::Estimated }
    }

    /// Creates a lower bound, for usage of which a part has no known price. If you know nothing about a cost, add
    /// `at_least(Usd::ZERO)`: it leaves the amount of a sum unchanged and makes the sum a lower bound.
    ///
    /// ```
    /// use loop_core::{Cost, Usd};
    /// let sum = Cost::known(Usd::dollars(2)) + Cost::at_least(Usd::ZERO);
    /// assert_eq!(sum, Cost::at_least(Usd::dollars(2)));
    /// ```
    pub const fn at_least(usd: Usd) -> Self {
        Self { usd, quality: CostQuality::Partial }
    }
}

/// The serialized form of a cost: `{"usd":1500,"nanos":20,"quality":"known"}`.
#[derive(Serialize, Deserialize)]
struct StoredCost {
    /// Whole micro-dollars.
    usd: u64,
    /// The nano-dollars beyond them. A version that does not know this key ignores it.
    #[serde(default, skip_serializing_if = "is_zero")]
    nanos: u16,
    quality: CostQuality,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) const fn is_zero(nanos: &u16) -> bool {
    *nanos == 0
}

impl From<Cost> for StoredCost {
    fn from(Cost { usd, quality }: Cost) -> Self {
        let (usd, nanos) = usd.to_parts();
        Self { usd, nanos, quality }
    }
}

impl From<StoredCost> for Cost {
    fn from(StoredCost { usd, nanos, quality }: StoredCost) -> Self {
        Self { usd: Usd::of_parts(usd, nanos), quality }
    }
}

impl Add for Cost {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { usd: self.usd + other.usd, quality: self.quality.max(other.quality) }
    }
}

/// The usage of some work. A field that nobody reported is `None`, which is not zero.
///
/// Addition is commutative and associative, and saturates. A field of a sum is unknown only if it is unknown in all
/// parts.
///
/// ```
/// use loop_core::{Cost, Usage, Usd};
/// let first = Usage::unknown().with_tokens(900, 100);
/// let second = Usage::unknown().with_cost(Cost::known(Usd::micros(1_500)));
/// let sum = first + second;
/// assert_eq!(sum.tokens(), Some(1_000));
/// assert_eq!(sum.cost.map(|cost| cost.usd), Some(Usd::micros(1_500)));
/// assert_eq!(Usage::unknown().tokens(), None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens read by the model, those from its cache included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// The part of `input_tokens` that came from the provider's cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
    /// Tokens written by the model, its reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Whether a part of the tokens is unknown, so that the numbers of tokens are lower bounds. A sum is partial if any
    /// part is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub are_tokens_partial: bool,
    /// The price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

impl Usage {
    /// Returns a usage with every field unknown.
    pub const fn unknown() -> Self {
        Self {
            input_tokens: None,
            cached_input_tokens: None,
            output_tokens: None,
            are_tokens_partial: false,
            cost: None,
        }
    }

    /// Sets the numbers of tokens read and written.
    #[must_use]
    pub const fn with_tokens(mut self, input: u64, output: u64) -> Self {
        self.input_tokens = Some(input);
        self.output_tokens = Some(output);
        self
    }

    /// Sets the number of tokens read, those from the cache included.
    #[must_use]
    pub const fn with_input_tokens(mut self, tokens: u64) -> Self {
        self.input_tokens = Some(tokens);
        self
    }

    /// Sets the number of tokens from the provider's cache. They are a part of the tokens read, which this does not
    /// set.
    #[must_use]
    pub const fn with_cached_input_tokens(mut self, tokens: u64) -> Self {
        self.cached_input_tokens = Some(tokens);
        self
    }

    /// Sets the number of tokens written, reasoning included.
    #[must_use]
    pub const fn with_output_tokens(mut self, tokens: u64) -> Self {
        self.output_tokens = Some(tokens);
        self
    }

    /// Marks the numbers of tokens as lower bounds, because a part of the tokens is unknown.
    ///
    /// ```
    /// use loop_core::Usage;
    /// let sum = Usage::unknown().with_tokens(900, 100) + Usage::unknown().with_partial_tokens();
    /// assert_eq!(sum.tokens(), Some(1_000));
    /// assert!(!sum.is_counted());
    /// ```
    #[must_use]
    pub const fn with_partial_tokens(mut self) -> Self {
        self.are_tokens_partial = true;
        self
    }

    /// Sets the cost.
    #[must_use]
    pub const fn with_cost(mut self, cost: Cost) -> Self {
        self.cost = Some(cost);
        self
    }

    /// Returns whether every field is unknown.
    pub fn is_unknown(&self) -> bool {
        *self == Self::unknown()
    }

    /// Returns whether its whole cost is known or estimated.
    pub(crate) fn is_priced(&self) -> bool {
        self.cost.is_some_and(|cost| cost.quality < CostQuality::Partial)
    }

    /// Returns whether tokens were reported, and no part of them is known to be missing.
    pub fn is_counted(&self) -> bool {
        self.tokens().is_some() && !self.are_tokens_partial
    }

    /// Returns the sum of tokens read and written, or `None` if neither was reported.
    pub fn tokens(&self) -> Option<u64> {
        sum(self.input_tokens, self.output_tokens, u64::saturating_add)
    }
}

impl Add for Usage {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            input_tokens: sum(self.input_tokens, other.input_tokens, u64::saturating_add),
            cached_input_tokens: sum(
                self.cached_input_tokens,
                other.cached_input_tokens,
                u64::saturating_add,
            ),
            output_tokens: sum(self.output_tokens, other.output_tokens, u64::saturating_add),
            are_tokens_partial: self.are_tokens_partial || other.are_tokens_partial,
            cost: sum(self.cost, other.cost, Cost::add),
        }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Returns `None` only if both are `None`: a known side counts, and two unknown sides stay unknown.
fn sum<T>(a: Option<T>, b: Option<T>, add: impl FnOnce(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(add(a, b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cost_of_an_earlier_version_is_read_and_written_as_it_was() {
        let old = r#"{"usd":250000,"quality":"known"}"#;
        let cost: Cost = serde_json::from_str(old).unwrap();
        assert_eq!(cost, Cost::known(Usd::micros(250_000)));
        assert_eq!(serde_json::to_string(&cost).unwrap(), old);
        let new = serde_json::to_string(&Cost::known(Usd::nanos(250_400))).unwrap();
        assert_eq!(new, r#"{"usd":250,"nanos":400,"quality":"known"}"#);
    }

    #[test]
    fn usage_of_an_earlier_version_is_read_and_written_as_it_was() {
        let old = r#"{"input_tokens":3,"output_tokens":4}"#;
        let usage: Usage = serde_json::from_str(old).unwrap();
        assert_eq!(usage, Usage::unknown().with_tokens(3, 4));
        assert_eq!(serde_json::to_string(&usage).unwrap(), old);
        let partial = serde_json::to_string(&usage.with_partial_tokens()).unwrap();
        assert_eq!(serde_json::from_str::<Usage>(&partial).unwrap(), usage.with_partial_tokens());
    }

    #[test]
    fn usage_is_counted_if_no_tokens_are_missing() {
        let tokens = Usage::unknown().with_tokens(3, 4);
        let partial = tokens.with_partial_tokens();
        assert_eq!([tokens, partial, Usage::unknown()].map(|usage| usage.is_counted()), [true, false, false]);
        assert_eq!([tokens + partial, partial + tokens].map(|sum| sum.is_counted()), [false, false]);
        assert!((tokens + tokens).is_counted());
    }

    proptest! {
        #[test]
        fn an_amount_survives_serialization(nanos: u64) {
            let cost = Cost::estimated(Usd::nanos(nanos));
            let json = serde_json::to_string(&cost).unwrap();
            prop_assert_eq!(serde_json::from_str::<Cost>(&json).unwrap(), cost);
        }
    }

    #[test]
    fn a_sum_is_estimated_if_a_part_is() {
        let sum = Cost::known(Usd::dollars(1)) + Cost::estimated(Usd::dollars(1));
        assert_eq!(sum, Cost::estimated(Usd::dollars(2)));
    }
}
