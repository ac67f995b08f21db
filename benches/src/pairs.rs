//! Measures two things alternately, and the ratio between them.
//!
//! A machine that slows down for a second, or whose clock speed drifts, affects both halves of a pair alike. So `a` and
//! `b` alternate, each pair gives one ratio, and the result is the median of those, with the least and the greatest.

use std::time::Duration;

/// The number of pairs. Three outliers cannot move the median of this many.
pub const PAIRS: usize = 9;

/// The median of some numbers, and their range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The smallest number.
    pub least: f64,
    /// The median.
    pub median: f64,
    /// The largest number.
    pub greatest: f64,
}

impl Spread {
    /// Returns the spread of these numbers.
    ///
    /// # Panics
    /// If there are none.
    pub fn of(mut numbers: Vec<f64>) -> Self {
        numbers.sort_by(f64::total_cmp);
        let greatest = numbers[numbers.len() - 1];
        Self { least: numbers[0], median: numbers[numbers.len() / 2], greatest }
    }

    /// Scales all three numbers.
    #[must_use]
    pub fn times(self, scale: f64) -> Self {
        Self { least: self.least * scale, median: self.median * scale, greatest: self.greatest * scale }
    }
}

/// The result of measuring two things alternately.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pairs {
    /// The first divided by the second, pair by pair.
    pub ratio: Spread,
    /// The first, in seconds.
    pub first: Spread,
    /// The second, in seconds.
    pub second: Spread,
}

/// Measures both alternately, after one pair that does not count.
///
/// # Errors
/// The first error of either.
pub fn in_turn<E>(
    mut first: impl FnMut() -> Result<Duration, E>,
    mut second: impl FnMut() -> Result<Duration, E>,
) -> Result<Pairs, E> {
    first()?;
    second()?;
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        firsts.push(first()?.as_secs_f64());
        seconds.push(second()?.as_secs_f64());
    }
    let ratios = firsts.iter().zip(&seconds).map(|(first, second)| first / second).collect();
    Ok(Pairs { ratio: Spread::of(ratios), first: Spread::of(firsts), second: Spread::of(seconds) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_moment_does_not_move_the_median() {
        let mut turn = 0;
        let slow = |turn: u64| if turn == 4 { 100 } else { 1 };
        let first = || {
            turn += 1;
            Ok::<_, ()>(Duration::from_millis(30 * slow(turn)))
        };
        let pairs = in_turn(first, || Ok(Duration::from_millis(10))).unwrap();
        assert!((pairs.ratio.median - 3.0).abs() < 1e-9);
        assert!((pairs.ratio.greatest - 300.0).abs() < 1e-9);
    }
}
