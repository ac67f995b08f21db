//! The subjects, the numbers and the limits of an assay.

use std::time::Duration;

use loop_core::Usd;

use crate::plans::Subject;

/// The subjects, the numbers and the limits of an assay.
///
/// # Default
/// One run of each case, one at a time, ten minutes for each and five for each check, no budget, and no subjects: each manifest names its agent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AssayOptions {
    /// The models and agents. Each of them makes each case.
    pub subjects: Vec<Subject>,
    /// How often each subject makes each case; 0 counts as 1.
    pub runs: usize,
    /// How many runs are made at once; 0 counts as 1.
    pub jobs: usize,
    /// The budget of the assay. No run may cost more than its share.
    pub budget: Option<Usd>,
    /// The longest time of a run whose case and manifest have no limit.
    pub run_time: Duration,
    /// The longest time of each check that is a command or a judge. A command that takes longer does not pass.
    pub check_time: Duration,
}

impl Default for AssayOptions {
    fn default() -> Self {
        let (run_time, check_time) = (Duration::from_mins(10), Duration::from_mins(5));
        Self { subjects: Vec::new(), runs: 1, jobs: 1, budget: None, run_time, check_time }
    }
}

impl AssayOptions {
    pub(crate) fn runs(&self) -> usize {
        self.runs.max(1)
    }
}
