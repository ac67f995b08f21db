//! Numbers in arguments.

use std::num::NonZeroU64;

use loop_core::Usd;

/// Parses a whole number above 0.
pub(super) fn above_zero(text: &str) -> Result<NonZeroU64, &'static str> {
    text.parse().map_err(|_| "it has to be a whole number above 0")
}

/// Parses an amount of money, such as `2.50`.
pub(super) fn dollars(written: &str) -> Result<Usd, String> {
    let dollars: f64 = written.parse().map_err(|_| "it has to be a number, such as 2.50".to_owned())?;
    Usd::try_from_f64(dollars).map_err(|error| error.to_string())
}
