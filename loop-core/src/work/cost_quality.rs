//! The quality of the cost of an iteration that contains loops.

use std::sync::PoisonError;

use super::{Work, WorkHandle};
use crate::{CostQuality, Progress, Usage};

/// The qualities of the costs that an iteration and the loops within it have reported.
#[derive(Debug, Default)]
pub(super) struct CostQualities {
    /// The iteration that the other fields describe, except `reported`.
    iteration: u64,
    /// The lowest quality that the iteration itself reported.
    direct: Option<CostQuality>,
    /// The lowest final quality of the loops within it that have ended.
    nested: Option<CostQuality>,
    /// The number of loops within it that run.
    open: u32,
    /// One of those loops has revised its quality.
    is_revised: bool,
    /// The iteration has revised the quality itself, which is the last word.
    is_settled: bool,
    /// The lowest quality that was reported to the run.
    reported: Option<CostQuality>,
}

fn quality(usage: &Usage) -> Option<CostQuality> {
    usage.cost.map(|cost| cost.quality)
}

impl WorkHandle {
    /// Changes the qualities of this iteration, and notes the revised quality that follows.
    fn update_qualities(&self, update: impl FnOnce(&mut CostQualities)) {
        let mut of = self.shared.qualities.lock().unwrap_or_else(PoisonError::into_inner);
        if of.iteration != self.iteration {
            *of = CostQualities {
                iteration: self.iteration,
                reported: of.reported,
                ..CostQualities::default()
            };
        }
        update(&mut of);
        if of.is_revised && !of.is_settled {
            // A loop that has not ended may still revise its own.
            let revised = if of.open == 0 { of.direct.max(of.nested) } else { None };
            self.note(|notes| notes.cost_quality = revised);
        }
    }

    /// Sees the quality of a report, which the iteration itself or a loop within it has made.
    pub(super) fn report_quality(&self, usage: &Usage, is_direct: bool) {
        let Some(quality) = quality(usage) else { return };
        self.update_qualities(|of| {
            of.reported = of.reported.max(Some(quality));
            if is_direct {
                of.direct = of.direct.max(Some(quality));
            }
        });
    }

    /// Notes the iteration's own word on the quality of its cost.
    pub(super) fn revise_quality(&self, quality: CostQuality) {
        self.update_qualities(|of| of.is_settled = true);
        self.note(|notes| notes.cost_quality = Some(quality));
    }

    /// A loop begins within this work.
    pub(super) fn open_quality(&self) {
        self.update_qualities(|of| of.open += 1);
    }
}

impl Work {
    /// Passes the final quality of this run's cost on to the work around it, when the run is over.
    pub(crate) fn close_quality(&self, progress: &Progress) {
        let Some(outer) = &self.0.outer else { return };
        let reported = self.0.qualities.lock().unwrap_or_else(PoisonError::into_inner).reported;
        let settled = quality(progress.usage()).max(quality(&self.usage()));
        outer.0.update_qualities(|of| {
            of.open = of.open.saturating_sub(1);
            of.nested = of.nested.max(settled);
            of.is_revised |= settled < reported;
        });
    }
}
