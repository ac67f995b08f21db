//! The settings of snapshots of the folder, and of the number that a check measures.

use regex::Regex;
use serde_json::Value;

/// The snapshots of a run.
///
/// # Default
/// [`SnapshotMode::Auto`], files up to 50 MB, a store of up to 2 GB, and no ignored files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotPlan {
    /// Whether the run captures the folder.
    pub mode: SnapshotMode,
    /// The size above which a file is left out, in bytes.
    pub max_file: u64,
    /// The size of the folder's store above which old snapshots are dropped, in bytes.
    pub max_bytes: u64,
    /// Whether files that a `.gitignore` names are captured too.
    pub ignored: bool,
}

impl Default for SnapshotPlan {
    fn default() -> Self {
        Self { mode: SnapshotMode::Auto, max_file: 50_000_000, max_bytes: 2_000_000_000, ignored: false }
    }
}

/// Whether a run captures its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotMode {
    /// It does, unless the folder is large.
    Auto,
    /// It does, and a run whose first capture fails does not begin.
    On,
    /// It does not.
    Off,
}

/// The treatment of the folder if the run ends without its goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnHalt {
    /// It stays as it is.
    Keep,
    /// It returns to the state after the iteration with the best score.
    RestoreBest,
    /// It returns to the state before the first iteration.
    RestoreStart,
}

/// The number that the check measures.
#[derive(Debug, Clone)]
pub struct ScorePlan {
    /// Where the number is in the output.
    pub source: ScoreSource,
    /// Which numbers are better.
    pub direction: Direction,
}

/// Where a number is in the output of a check.
#[derive(Debug, Clone)]
pub enum ScoreSource {
    /// In the first group of the last match.
    Pattern(Regex),
    /// At this JSON pointer of the last JSON value that is the whole output, or a line of it.
    Pointer(String),
}

/// Which numbers are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Larger ones.
    Up,
    /// Smaller ones.
    Down,
}

impl ScorePlan {
    /// Returns the number in the output of a check, if there is one.
    ///
    /// ```
    /// use loop_manifest::plan::{Direction, ScorePlan, ScoreSource};
    ///
    /// let score = ScorePlan { source: ScoreSource::Pointer("/score".into()), direction: Direction::Up };
    /// assert_eq!(score.read("running\n{\"score\": 0.5}\n"), Some(0.5));
    /// assert_eq!(score.read("no number"), None);
    /// ```
    pub fn read(&self, output: &str) -> Option<f64> {
        let number = match &self.source {
            ScoreSource::Pattern(pattern) => {
                let last = pattern.captures_iter(output).last()?;
                last.get(1)?.as_str().trim().parse().ok()
            }
            ScoreSource::Pointer(pointer) => {
                let at = |text: &str| {
                    let value: Value = serde_json::from_str(text).ok()?;
                    value.pointer(pointer)?.as_f64()
                };
                at(output).or_else(|| output.lines().rev().find_map(at))
            }
        };
        number.filter(|number: &f64| number.is_finite())
    }

    /// Returns whether `score` is better than `other`.
    ///
    /// ```
    /// use loop_manifest::plan::{Direction, ScorePlan, ScoreSource};
    ///
    /// let time = ScorePlan { source: ScoreSource::Pointer("/ms".into()), direction: Direction::Down };
    /// assert!(time.is_better(90.0, 120.0) && !time.is_better(90.0, 90.0));
    /// ```
    pub fn is_better(&self, score: f64, other: f64) -> bool {
        match self.direction {
            Direction::Up => score > other,
            Direction::Down => score < other,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(text: &str) -> ScorePlan {
        ScorePlan { source: ScoreSource::Pattern(Regex::new(text).unwrap()), direction: Direction::Up }
    }

    #[test]
    fn the_last_match_is_the_score() {
        let score = pattern(r"(\d+(?:\.\d+)?) passed");
        assert_eq!(score.read("3 passed\nthen 17.5 passed\n"), Some(17.5));
        assert_eq!(score.read("none"), None);
        assert_eq!(pattern("(.*)").read("text"), None);
    }

    proptest! {
        #[test]
        fn a_number_is_read_back_and_no_number_is_better_than_itself(number in -1e9_f64..1e9) {
            let score = pattern(r"score=(\S+)");
            prop_assert_eq!(score.read(&format!("score={number}")), Some(number));
            prop_assert!(!score.is_better(number, number));
            prop_assert!(score.is_better(number + 1.0, number));
        }
    }
}
