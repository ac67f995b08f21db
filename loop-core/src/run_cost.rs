//! The cost of a run and its reliability.

use std::fmt;

use crate::{Cost, CostQuality, Usd};

/// The cost of a run, or of a part of one, with its reliability. As text: `unknown`, `at least $0.42`, `about $0.42` or
/// `$0.42`.
///
/// The sum of the reported costs is not always the money spent: an iteration may have reported nothing, and a figure
/// may be an estimate. Use this type wherever you show a cost, so that views, questions and records agree. It stays
/// exhaustive, so that no view shows a new kind of cost as an exact one.
///
/// ```
/// use loop_core::{Progress, RunCost, Usd};
/// assert_eq!(Progress::default().cost(), RunCost::Unknown);
/// assert_eq!(RunCost::AtLeast(Usd::micros(420_000)).to_string(), "at least $0.42");
/// assert_eq!(RunCost::Exactly(Usd::dollars(2)).usd(), Some(Usd::dollars(2)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunCost {
    /// Nobody reported any cost.
    Unknown,
    /// A lower bound: some iterations did not report their cost, or used something without a price.
    AtLeast(Usd),
    /// Every cost was reported, and some are estimates.
    About(Usd),
    /// The provider reported every cost.
    Exactly(Usd),
}

impl RunCost {
    /// Returns the sum of the reported costs, if there are any.
    pub const fn usd(self) -> Option<Usd> {
        match self {
            Self::Unknown => None,
            Self::AtLeast(usd) | Self::About(usd) | Self::Exactly(usd) => Some(usd),
        }
    }

    /// Returns the cost of work that reported everything it used, or `Unknown` without a cost.
    pub const fn reported(cost: Option<Cost>) -> Self {
        Self::of(cost, 0)
    }

    pub(crate) const fn of(reported: Option<Cost>, unpriced_iterations: u64) -> Self {
        match reported {
            None | Some(Cost { usd: Usd::ZERO, quality: CostQuality::Partial }) => Self::Unknown,
            Some(cost) if unpriced_iterations > 0 => Self::AtLeast(cost.usd),
            Some(cost) => match cost.quality {
                CostQuality::Partial => Self::AtLeast(cost.usd),
                CostQuality::Estimated => Self::About(cost.usd),
                CostQuality::Known => Self::Exactly(cost.usd),
            },
        }
    }
}

impl fmt::Display for RunCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("unknown"),
            Self::AtLeast(usd) => write!(f, "at least {usd}"),
            Self::About(usd) => write!(f, "about {usd}"),
            Self::Exactly(usd) => usd.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreported_cost_outranks_an_estimate() {
        let text = |cost, unpriced| RunCost::of(cost, unpriced).to_string();
        let usd = Usd::dollars(1);
        assert_eq!(text(None, 1), "unknown");
        assert_eq!(text(Some(Cost::estimated(usd)), 1), "at least $1.00");
        assert_eq!(text(Some(Cost::estimated(usd)), 0), "about $1.00");
        assert_eq!(text(Some(Cost::known(usd)), 0), "$1.00");
        assert_eq!(text(Some(Cost::known(usd) + Cost::at_least(Usd::ZERO)), 0), "at least $1.00");
        assert_eq!(text(Some(Cost::at_least(Usd::ZERO)), 0), "unknown");
    }

    #[test]
    fn only_an_unknown_cost_has_no_amount() {
        let usd = Usd::dollars(1);
        assert_eq!(RunCost::reported(None).usd(), None);
        for cost in [Cost::at_least(usd), Cost::estimated(usd), Cost::known(usd)] {
            assert_eq!(RunCost::reported(Some(cost)).usd(), Some(usd), "{cost:?}");
        }
    }
}
