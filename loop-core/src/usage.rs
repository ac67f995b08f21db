//! What work costs: money, tokens, and what is not known about them.
//!
//! Budgets fail people when a number that nobody reported is taken for zero: the limit then never
//! binds and the summary says "$0.00". Here every figure is optional, and unknown stays unknown.

use std::{fmt, ops::Add};

use serde::{Deserialize, Serialize};

/// An amount of US dollars, held as whole nano-dollars so that sums are exact.
///
/// Additions saturate at 18 billion dollars: a budget is never undone by an overflow.
///
/// ```
/// use loop_core::Usd;
/// assert_eq!(Usd::dollars(2) + Usd::micros(500_000), Usd::try_from_f64(2.5)?);
/// assert_eq!(Usd::micros(1_234_500).to_string(), "$1.2345");
/// assert_eq!(Usd::try_from_f64(0.000_000_000_1)?, Usd::nanos(1));
/// # Ok::<(), loop_core::InvalidUsd>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usd(u64);

const NANOS_PER_MICRO: u64 = 1_000;
const NANOS_PER_DOLLAR: u64 = 1_000_000_000;

impl Usd {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The largest amount, about 18 billion dollars. Sums stop here.
    pub const MAX: Self = Self(u64::MAX);

    /// Whole dollars; saturates at [`MAX`](Self::MAX).
    pub const fn dollars(dollars: u64) -> Self {
        Self(dollars.saturating_mul(NANOS_PER_DOLLAR))
    }

    /// Millionths of a dollar; saturates at [`MAX`](Self::MAX).
    pub const fn micros(micros: u64) -> Self {
        Self(micros.saturating_mul(NANOS_PER_MICRO))
    }

    /// Billionths of a dollar.
    pub const fn nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Converts dollars from a decimal number. A part of a nano-dollar counts as a whole one, so that no positive
    /// amount becomes zero.
    ///
    /// The number is read as the shortest decimal that means the same float. What is above a whole nano-dollar by
    /// no more than the rounding errors of a few float operations is such an error, and is dropped:
    /// `0.1 + 0.2` is `$0.30`.
    ///
    /// # Errors
    /// A number that is negative, not finite, or too large to be money.
    pub fn try_from_f64(dollars: f64) -> Result<Self, InvalidUsd> {
        // Nine billion dollars is a bug.
        if !(0.0..=9_007_199_254.740_992).contains(&dollars) {
            return Err(InvalidUsd { dollars });
        }
        let decimal = dollars.abs().to_string();
        let (whole, fraction) = decimal.split_once('.').unwrap_or((&decimal, ""));
        let digits = |text: &str| text.bytes().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        let (kept, rest) = fraction.split_at(fraction.len().min(9));
        let floor = digits(whole) * NANOS_PER_DOLLAR + digits(&format!("{kept:0<9}"));
        // The rest in nano-dollars.
        let rest: f64 = format!("0.{rest}").parse().unwrap_or(1.0);
        let is_noise = floor > 0 && rest <= floor as f64 * FLOAT_NOISE;
        Ok(Self(if rest == 0.0 || is_noise { floor } else { floor + 1 }))
    }

    /// Millionths of a dollar, rounded up.
    pub const fn as_micros(self) -> u64 {
        self.0.div_ceil(NANOS_PER_MICRO)
    }

    /// Billionths of a dollar.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Dollars, for display and for formats that hold decimal numbers.
    pub fn as_f64(self) -> f64 {
        // Both divisions are of whole numbers, so that the result is the float nearest to the amount. Above four
        // million dollars a float does not hold all nano-dollars, but it does hold micro-dollars.
        match self.0 % NANOS_PER_MICRO {
            0 => (self.0 / NANOS_PER_MICRO) as f64 / 1e6,
            _ => self.0 as f64 / 1e9,
        }
    }

    /// What is left of this amount after `spent`, never below zero.
    #[must_use]
    pub const fn saturating_sub(self, spent: Self) -> Self {
        Self(self.0.saturating_sub(spent.0))
    }

    /// Whole micro-dollars, and the nano-dollars beyond them: how amounts are written down. Journals of earlier
    /// versions have whole micro-dollars only.
    pub(crate) const fn to_parts(self) -> (u64, u16) {
        (self.0 / NANOS_PER_MICRO, (self.0 % NANOS_PER_MICRO) as u16)
    }

    /// The amount of these parts; saturates.
    pub(crate) fn of_parts(micros: u64, nanos: u16) -> Self {
        Self::micros(micros) + Self::nanos(nanos.into())
    }
}

/// How far a few float operations may be off, as a part of the amount: four units in the last place.
const FLOAT_NOISE: f64 = 4.0 * f64::EPSILON;

impl Add for Usd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// `$0.25`, `$12.00`, `$0.001234`: at least cents, and no digit lost.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = format!("{:09}", self.0 % NANOS_PER_DOLLAR);
        let (cents, rest) = fraction.split_at(2);
        write!(f, "${}.{cents}{}", self.0 / NANOS_PER_DOLLAR, rest.trim_end_matches('0'))
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
#[serde(from = "WrittenCost", into = "WrittenCost")]
pub struct Cost {
    /// The amount.
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

/// A cost as it is written down: `{"usd":1500,"nanos":20,"quality":"known"}`.
#[derive(Serialize, Deserialize)]
struct WrittenCost {
    /// Whole micro-dollars.
    usd: u64,
    /// The nano-dollars beyond them. A version that does not know this key reads on without them.
    #[serde(default, skip_serializing_if = "is_zero")]
    nanos: u16,
    quality: CostQuality,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) const fn is_zero(nanos: &u16) -> bool {
    *nanos == 0
}

impl From<Cost> for WrittenCost {
    fn from(Cost { usd, quality }: Cost) -> Self {
        let (usd, nanos) = usd.to_parts();
        Self { usd, nanos, quality }
    }
}

impl From<WrittenCost> for Cost {
    fn from(WrittenCost { usd, nanos, quality }: WrittenCost) -> Self {
        Self { usd: Usd::of_parts(usd, nanos), quality }
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_that_are_no_money_are_refused() {
        for bad in [-0.01, -1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e13, f64::MAX] {
            assert!(Usd::try_from_f64(bad).is_err(), "{bad}");
        }
        assert_eq!(Usd::try_from_f64(0.1).unwrap(), Usd::micros(100_000));
        assert_eq!(Usd::try_from_f64(-0.0), Ok(Usd::ZERO));
    }

    #[test]
    fn a_positive_amount_is_never_nothing() {
        for tiny in [4e-7, 1e-9, 1e-10, 1e-15, 1e-300, f64::MIN_POSITIVE, f64::from_bits(1)] {
            assert!(Usd::try_from_f64(tiny).unwrap() > Usd::ZERO, "{tiny}");
        }
        assert_eq!(Usd::try_from_f64(4e-7), Ok(Usd::nanos(400)));
        assert_eq!(Usd::try_from_f64(1.000_000_001_2), Ok(Usd::nanos(1_000_000_002)));
    }

    #[test]
    fn what_float_operations_are_off_is_no_money() {
        assert_eq!(Usd::try_from_f64(0.1 + 0.2), Ok(Usd::micros(300_000)));
        assert_eq!(Usd::try_from_f64(0.000_600_000_000_000_000_1), Ok(Usd::micros(600)));
        assert_eq!(Usd::try_from_f64(0.005_849_999_999_999_999), Ok(Usd::micros(5_850)));
    }

    #[test]
    fn an_amount_is_the_same_as_a_decimal_number() {
        assert_eq!(Usd::micros(1_250_001).as_f64(), 1.250001);
        assert_eq!(Usd::try_from_f64(Usd::micros(1_250_001).as_f64()), Ok(Usd::micros(1_250_001)));
    }

    #[test]
    fn sums_saturate() {
        assert_eq!(Usd::MAX + Usd::nanos(1), Usd::MAX);
        assert_eq!(Usd::micros(u64::MAX), Usd::MAX);
        assert_eq!(Usd::dollars(u64::MAX), Usd::MAX);
        assert_eq!(Usd::MAX.as_micros(), u64::MAX / 1_000 + 1);
    }

    #[test]
    fn a_cost_of_an_earlier_version_is_read_and_written_as_it_was() {
        let old = r#"{"usd":250000,"quality":"known"}"#;
        let cost: Cost = serde_json::from_str(old).unwrap();
        assert_eq!(cost, Cost::known(Usd::micros(250_000)));
        assert_eq!(serde_json::to_string(&cost).unwrap(), old);
        let new = serde_json::to_string(&Cost::known(Usd::nanos(250_400))).unwrap();
        assert_eq!(new, r#"{"usd":250,"nanos":400,"quality":"known"}"#);
    }

    proptest! {
        #[test]
        fn no_amount_is_changed_by_being_written_down(nanos: u64) {
            let cost = Cost::estimated(Usd::nanos(nanos));
            let json = serde_json::to_string(&cost).unwrap();
            prop_assert_eq!(serde_json::from_str::<Cost>(&json).unwrap(), cost);
        }

        #[test]
        fn a_decimal_with_nine_digits_is_exact(nanos in 0..4_000_000_000_000_000_u64) {
            let dollars: f64 = format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000).parse().unwrap();
            prop_assert_eq!(Usd::try_from_f64(dollars), Ok(Usd::nanos(nanos)));
            prop_assert_eq!(Usd::nanos(nanos).as_f64(), dollars);
        }

        #[test]
        fn no_amount_is_taken_for_less(dollars in 0.0..1e6_f64) {
            let usd = Usd::try_from_f64(dollars).unwrap();
            let nanos = dollars * 1e9;
            let (least, most) = (nanos * (1.0 - 2.0 * FLOAT_NOISE), nanos * (1.0 + FLOAT_NOISE) + 1.0);
            prop_assert!((least..=most).contains(&(usd.as_nanos() as f64)), "{} is {}", dollars, usd);
        }
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
        assert_eq!(Usd::nanos(1).to_string(), "$0.000000001");
    }
}
