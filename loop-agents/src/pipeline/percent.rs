//! The threshold of a pipeline, as a person writes it.

use std::str::FromStr;

/// A share above 0 % and up to 100 %, such as `85%` or `85.5%`.
///
/// ```
/// use loop_agents::pipeline::Percent;
///
/// assert_eq!("85.5%".parse::<Percent>()?.share(), 0.855);
/// for wrong in ["85", "0%", "100.1%", "NaN%", "8e1%", "-5%", "5.%"] {
///     assert!(wrong.parse::<Percent>().is_err(), "{wrong}");
/// }
/// # Ok::<(), loop_agents::pipeline::PercentError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percent(f64);

/// A text that is no such share.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a percentage above 0% and up to 100%: write one such as 85% or 85.5%")]
pub struct PercentError(String);

impl Percent {
    /// Returns the share as a number above 0 and up to 1.
    pub const fn share(self) -> f64 {
        self.0
    }
}

impl FromStr for Percent {
    type Err = PercentError;

    fn from_str(text: &str) -> Result<Self, PercentError> {
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.strip_suffix('%').filter(|number| match number.split_once('.') {
            Some((whole, fraction)) => is_digits(whole) && is_digits(fraction),
            None => is_digits(number),
        });
        let percent = number.and_then(|number| number.parse::<f64>().ok());
        let percent = percent.filter(|percent| *percent > 0.0 && *percent <= 100.0);
        percent.map(|percent| Self(percent / 100.0)).ok_or_else(|| PercentError(text.to_owned()))
    }
}
