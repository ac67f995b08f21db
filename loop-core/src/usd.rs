//! Amounts of money.

use std::{fmt, ops::Add};

/// An amount of US dollars, stored as whole nano-dollars so that sums are exact.
///
/// Additions saturate at 18 billion dollars, so an overflow never resets a budget.
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

    /// Creates an amount from whole dollars. Saturates at [`MAX`](Self::MAX).
    pub const fn dollars(dollars: u64) -> Self {
        Self(dollars.saturating_mul(NANOS_PER_DOLLAR))
    }

    /// Creates an amount from millionths of a dollar. Saturates at [`MAX`](Self::MAX).
    pub const fn micros(micros: u64) -> Self {
        Self(micros.saturating_mul(NANOS_PER_MICRO))
    }

    /// Creates an amount from billionths of a dollar.
    pub const fn nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Converts dollars from a decimal number. Rounds up to whole nano-dollars, so that no positive amount becomes
    /// zero.
    ///
    /// We take the shortest decimal number that means the same float. If it exceeds a whole nano-dollar by no more than
    /// the rounding errors of a few float operations, we drop the excess: `0.1 + 0.2` is `$0.30`.
    ///
    /// # Errors
    /// If the number is negative, not finite, or too large to be money.
    pub fn try_from_f64(dollars: f64) -> Result<Self, InvalidUsd> {
        // An amount of nine billion dollars is a bug.
        if !(0.0..=9_007_199_254.740_992).contains(&dollars) {
            return Err(InvalidUsd { dollars });
        }
        let decimal = dollars.abs().to_string();
        let (whole, fraction) = decimal.split_once('.').unwrap_or((&decimal, ""));
        let digits = |text: &str| text.bytes().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        let (kept, rest) = fraction.split_at(fraction.len().min(9));
        let floor = digits(whole) * NANOS_PER_DOLLAR + digits(&format!("{kept:0<9}"));
        // The remainder, in nano-dollars.
        let rest: f64 = format!("0.{rest}").parse().unwrap_or(1.0);
        let is_noise = floor > 0 && rest <= floor as f64 * FLOAT_NOISE;
        Ok(Self(if rest == 0.0 || is_noise { floor } else { floor + 1 }))
    }

    /// Returns the amount in millionths of a dollar, rounded up.
    pub const fn as_micros(self) -> u64 {
        self.0.div_ceil(NANOS_PER_MICRO)
    }

    /// Returns the amount in billionths of a dollar.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the amount in dollars, for display and for formats with decimal numbers.
    pub fn as_f64(self) -> f64 {
        // Both divide whole numbers, so the result is the float nearest to the amount. Above four million dollars a
        // float cannot hold all nano-dollars, but it can hold micro-dollars.
        match self.0 % NANOS_PER_MICRO {
            0 => (self.0 / NANOS_PER_MICRO) as f64 / 1e6,
            _ => self.0 as f64 / 1e9,
        }
    }

    /// Returns this amount minus `spent`, never below zero.
    #[must_use]
    pub const fn saturating_sub(self, spent: Self) -> Self {
        Self(self.0.saturating_sub(spent.0))
    }

    /// Returns whole micro-dollars and the nano-dollars beyond them, as we store amounts. Journals of earlier versions
    /// have only whole micro-dollars.
    pub(crate) const fn to_parts(self) -> (u64, u16) {
        (self.0 / NANOS_PER_MICRO, (self.0 % NANOS_PER_MICRO) as u16)
    }

    /// Returns the amount of these parts. Saturates.
    pub(crate) fn of_parts(micros: u64, nanos: u16) -> Self {
        Self::micros(micros) + Self::nanos(nanos.into())
    }
}

/// The possible error of a few float operations, relative to the amount: four units in the last place.
const FLOAT_NOISE: f64 = 4.0 * f64::EPSILON;

impl Add for Usd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// Formats as `$0.25`, `$12.00`, `$0.001234`: at least cents, and all digits.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = format!("{:09}", self.0 % NANOS_PER_DOLLAR);
        let (cents, rest) = fraction.split_at(2);
        write!(f, "${}.{cents}{}", self.0 / NANOS_PER_DOLLAR, rest.trim_end_matches('0'))
    }
}

/// The error for a number that cannot be an amount of money.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{dollars} is not an amount of money: it must be a number of dollars from 0 to nine billion")]
pub struct InvalidUsd {
    dollars: f64,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_amount_in_dollars_is_the_nearest_float() {
        assert_eq!(Usd::nanos(1_234_567_891).as_f64(), 1.234_567_891);
        // As many nano-dollars have no float of their own.
        assert_eq!(Usd::micros(7_031_272_039_328_690).as_f64(), 7_031_272_039.328_69);
    }

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
    fn display_keeps_cents_and_loses_no_digit() {
        assert_eq!(Usd::ZERO.to_string(), "$0.00");
        assert_eq!(Usd::dollars(12).to_string(), "$12.00");
        assert_eq!(Usd::micros(1).to_string(), "$0.000001");
        assert_eq!(Usd::nanos(1).to_string(), "$0.000000001");
    }

    proptest! {
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
}
