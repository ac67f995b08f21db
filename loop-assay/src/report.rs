//! The results of an assay.

use crate::measured::CaseResult;

/// How an assay ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum AssayEnd {
    /// All runs were made, as far as possible.
    Complete,
    /// The budget was used up before all runs were made.
    OutOfBudget,
    /// Three runs in a row did not report a cost, so the budget could not be enforced.
    Unmetered,
    /// It was cancelled.
    Cancelled,
}

/// The results of an assay.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AssayReport {
    /// The results by case and subject, in the order of the cases.
    pub results: Vec<CaseResult>,
    /// How the assay ended.
    pub end: AssayEnd,
}

impl AssayReport {
    /// Returns whether each case passed in at least this share of all its runs. A run that was not made did not
    /// pass.
    pub fn reaches(&self, least: f64) -> bool {
        self.results.iter().all(|result| result.passed as f64 >= least * result.runs as f64)
    }

    /// Returns whether a case passed in less than this share of the runs that were made.
    pub fn misses(&self, least: f64) -> bool {
        self.results.iter().any(|result| result.share().is_some_and(|share| share < least))
    }

    /// Returns the results as lines of JSON.
    pub fn json_lines(&self) -> Vec<String> {
        self.results.iter().map(CaseResult::json).collect()
    }
}
