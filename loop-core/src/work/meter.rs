//! The reports of running work.

use super::WorkHandle;
use crate::{CostQuality, Usage};

/// Receives reports of usage from running work.
///
/// A report that crosses a guardrail's limit may interrupt the work. Clones report to the same run, even after their
/// work is over.
#[derive(Debug, Clone)]
pub struct Meter(pub(super) WorkHandle);

impl Meter {
    /// Reports usage in addition to earlier reports.
    pub fn add(&self, usage: Usage) {
        self.count(usage, true);
    }

    /// Counts usage that this work, or a run within it, has reported.
    fn count(&self, usage: Usage, is_direct: bool) {
        if !usage.is_unknown() {
            self.0.shared.total.add(&usage);
            self.0.shared.notes_mut().usage += usage;
            self.0.shared.changed.notify();
            self.0.shared.budgets.iter().for_each(|budget| budget.count(usage));
            if let Some(outer) = &self.0.shared.outer {
                outer.count(usage, false);
            }
            self.0.report_quality(&usage, is_direct);
        }
    }

    /// Revises the quality of the cost that the iteration has reported: an agent may learn at its end that an estimate
    /// was exact. Takes effect when the iteration ends. The cost of an evaluation does not change. If a loop within an
    /// iteration revises its costs, the iteration that contains it has a cost of the lowest quality that remains.
    pub fn revise(&self, quality: CostQuality) {
        self.0.revise_quality(quality);
    }
}
