//! Shares of few runs, and how sure they are.
//!
//! Four passes out of four do not show that a case passes in 99 % of its runs, and three out of four after four out of
//! four do not show that anything became worse. So each share has an interval.

use serde::{Deserialize, Serialize};

/// The quantile of the normal distribution for intervals of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A range, with its ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Returns the 95 % Wilson interval of a share: `passes` out of `runs`. Without runs, it is everything from 0 to 1.
///
/// ```
/// let interval = loop_assay::wilson(4, 4);
/// assert_eq!(format!("{:.3} {:.3}", interval.low, interval.high), "0.510 1.000");
/// ```
pub fn wilson(passes: u64, runs: u64) -> Interval {
    if runs == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, share) = (runs as f64, passes as f64 / runs as f64);
    let scale = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    // The ends are exact where nothing or everything passes, which rounding would miss.
    Interval {
        low: if passes == 0 { 0.0 } else { (middle - half).max(0.0) },
        high: if passes == runs { 1.0 } else { (middle + half).min(1.0) },
    }
}

/// Returns Newcombe's 95 % interval of the difference between two shares, the first minus the second, each as passes and
/// runs.
///
/// ```
/// // The example of Newcombe's paper of 1998: 56 of 70 and 48 of 80.
/// let interval = loop_assay::newcombe((56, 70), (48, 80));
/// assert_eq!(format!("{:.4} {:.4}", interval.low, interval.high), "0.0524 0.3339");
/// ```
pub fn newcombe(first: (u64, u64), second: (u64, u64)) -> Interval {
    let share = |(passes, runs): (u64, u64)| passes as f64 / runs.max(1) as f64;
    let (one, other) = (share(first), share(second));
    let (of_one, of_other) = (wilson(first.0, first.1), wilson(second.0, second.1));
    Interval {
        low: one - other - (one - of_one.low).hypot(of_other.high - other),
        high: one - other + (of_one.high - one).hypot(other - of_other.low),
    }
}

/// Returns the median of sorted numbers: the mean of the middle two, if there are two.
pub(crate) fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        count if count.is_multiple_of(2) => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
        _ => Some(sorted[middle]),
    }
}

/// Returns the 90th percentile of sorted numbers: the least of them that at least 90 % do not exceed.
pub(crate) fn percentile_90(sorted: &[f64]) -> Option<f64> {
    sorted.get((sorted.len() * 9).div_ceil(10).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_interval_contains_its_share_and_narrows((passes, runs) in (1..500_u64).prop_flat_map(|n| (0..=n, Just(n)))) {
            let (interval, share) = (wilson(passes, runs), passes as f64 / runs as f64);
            prop_assert!(0.0 <= interval.low && interval.low <= share && share <= interval.high && interval.high <= 1.0);
            let more = wilson(passes * 4, runs * 4);
            prop_assert!(more.high - more.low < interval.high - interval.low);
        }

        #[test]
        fn a_difference_has_the_opposite_the_other_way_round(
            (one, runs) in (1..60_u64).prop_flat_map(|n| (0..=n, Just(n))), other in 0..=20_u64,
        ) {
            let (here, there) = (newcombe((one, runs), (other, 20)), newcombe((other, 20), (one, runs)));
            prop_assert!((here.low + there.high).abs() < 1e-9 && (here.high + there.low).abs() < 1e-9);
            let same = newcombe((one, runs), (one, runs));
            prop_assert!(same.low <= 0.0 && same.high >= 0.0);
        }
    }

    #[test]
    fn medians_and_percentiles_are_those_of_the_runs() {
        let numbers: Vec<_> = (1..=10).map(f64::from).collect();
        assert_eq!((median(&numbers), percentile_90(&numbers)), (Some(5.5), Some(9.0)));
        assert_eq!((median(&numbers[..3]), percentile_90(&numbers[..3])), (Some(2.0), Some(3.0)));
        assert_eq!((median(&[]), percentile_90(&[])), (None, None));
    }
}
