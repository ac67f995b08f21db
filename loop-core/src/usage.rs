//! What work costs: money, tokens, and what is not known about them.
//!
//! Budgets fail people when a number that nobody reported is taken for zero: the limit then never
//! binds and the summary says "$0.00". Here every figure is optional, and unknown stays unknown.

use std::{fmt, ops::Add};

use serde::{Deserialize, Serialize};

/// An amount of US dollars, held as whole micro-dollars so that sums are exact.
///
/// Additions saturate: a budget is never undone by an overflow.
///
/// ```
/// use loop_core::Usd;
/// assert_eq!(Usd::dollars(2) + Usd::micros(500_000), Usd::try_from_f64(2.5)?);
/// assert_eq!(Usd::micros(1_234_500).to_string(), "$1.2345");
/// # Ok::<(), loop_core::InvalidUsd>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Usd(u64);

impl Usd {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// Whole dollars; saturates above 18 trillion.
    pub const fn dollars(dollars: u64) -> Self {
        Self(dollars.saturating_mul(1_000_000))
    }

    /// Millionths of a dollar.
    pub const fn micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Dollars as a decimal number, rounded to the nearest micro-dollar.
    ///
    /// # Errors
    /// A number that is negative, not finite, or too large to be money.
    pub fn try_from_f64(dollars: f64) -> Result<Self, InvalidUsd> {
        let micros = (dollars * 1e6).round();
        // Above 2^53 a float no longer holds whole micro-dollars, and nine billion dollars is a bug.
        if (0.0..=9_007_199_254_740_992.0).contains(&micros) {
            Ok(Self(micros as u64))
        } else {
            Err(InvalidUsd { dollars })
        }
    }

    /// Millionths of a dollar.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Dollars, for display and for formats that hold decimal numbers.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// What is left of this amount after `spent`, never below zero.
    pub const fn saturating_sub(self, spent: Self) -> Self {
        Self(self.0.saturating_sub(spent.0))
    }
}

impl Add for Usd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// `$0.25`, `$12.00`, `$0.001234`: at least cents, and no digit lost.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = format!("{:06}", self.0 % 1_000_000);
        let (cents, rest) = fraction.split_at(2);
        write!(f, "${}.{cents}{}", self.0 / 1_000_000, rest.trim_end_matches('0'))
    }
}

/// A number that cannot be an amount of money.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{dollars} is not an amount of money: it must be a number of dollars from 0 to nine billion")]
pub struct InvalidUsd {
    dollars: f64,
}

/// How far a cost can be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostQuality {
    /// Reported by whoever charges it.
    Known,
    /// Computed, from token counts and a price table for example.
    Estimated,
    /// Of a part of what was used nobody knows the price: the cost is this much at least.
    Partial,
}

/// A cost and how far it can be believed. A sum is as good as its worst part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cost {
    /// The amount, in micro-dollars.
    pub usd: Usd,
    /// Known, estimated, or only a part of it.
    pub quality: CostQuality,
}

impl Cost {
    /// A cost reported by whoever charges it.
    pub const fn known(usd: Usd) -> Self {
        Self { usd, quality: CostQuality::Known }
    }

    /// A cost that was computed.
    pub const fn estimated(usd: Usd) -> Self {
        Self { usd, quality: CostQuality::Estimated }
    }

    /// A cost of which a part has no price, so that there is more to it. Nothing at least, which is a cost
    /// that nobody knows, takes nothing away from a sum, and makes it a lower bound.
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

impl Add for Cost {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { usd: self.usd + other.usd, quality: self.quality.max(other.quality) }
    }
}

/// What some work used. A field that nobody reported is `None`, which is not zero.
///
/// Adding is commutative and associative, and saturates; a sum is unknown in a field only if all
/// its parts are.
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
    /// The price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

impl Usage {
    /// Nothing is known.
    pub const fn unknown() -> Self {
        Self { input_tokens: None, cached_input_tokens: None, output_tokens: None, cost: None }
    }

    /// With this many tokens read and written.
    #[must_use]
    pub const fn with_tokens(mut self, input: u64, output: u64) -> Self {
        self.input_tokens = Some(input);
        self.output_tokens = Some(output);
        self
    }

    /// With this cost.
    #[must_use]
    pub const fn with_cost(mut self, cost: Cost) -> Self {
        self.cost = Some(cost);
        self
    }

    /// Whether nothing at all was reported.
    pub fn is_unknown(&self) -> bool {
        *self == Self::unknown()
    }

    /// Tokens read and written together, or `None` if neither was reported.
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
            cost: sum(self.cost, other.cost, Cost::add),
        }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// `None` only if both are: what one side knows is not lost, and what neither knows is not made up.
fn sum<T>(a: Option<T>, b: Option<T>, add: impl FnOnce(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(add(a, b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_no_money_are_refused() {
        for bad in [-0.01, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e13] {
            assert!(Usd::try_from_f64(bad).is_err(), "{bad}");
        }
        assert_eq!(Usd::try_from_f64(0.1).unwrap(), Usd::micros(100_000));
    }

    #[test]
    fn an_amount_is_the_same_as_a_decimal_number() {
        assert_eq!(Usd::micros(1_250_001).as_f64(), 1.250001);
        assert_eq!(Usd::try_from_f64(Usd::micros(1_250_001).as_f64()), Ok(Usd::micros(1_250_001)));
    }

    #[test]
    fn a_sum_is_estimated_if_a_part_is() {
        let sum = Cost::known(Usd::dollars(1)) + Cost::estimated(Usd::dollars(1));
        assert_eq!(sum, Cost::estimated(Usd::dollars(2)));
    }

    #[test]
    fn display_keeps_cents_and_loses_no_digit() {
        assert_eq!(Usd::ZERO.to_string(), "$0.00");
        assert_eq!(Usd::dollars(12).to_string(), "$12.00");
        assert_eq!(Usd::micros(1).to_string(), "$0.000001");
    }
}
