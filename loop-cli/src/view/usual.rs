//! What an iteration of a run takes, so that it can be said for how many more the budgets last.

use std::time::Duration;

use loop_core::{CostQuality, Progress, RunTime, StepRecord};

/// What iterations took that came to their end and did not fail. One that was cut, or whose agent failed, says
/// nothing of the next.
#[derive(Debug, Clone, Default)]
pub(crate) struct Usual {
    /// The step that was settled last, 0 for none, and when that was.
    settled: Option<(u64, RunTime)>,
    /// Nano-dollars, of iterations of which all is known.
    pub(super) cost: Each,
    pub(super) tokens: Each,
    /// Milliseconds, waits included.
    pub(super) time: Each,
}

/// What each of some iterations used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Each {
    used: u64,
    iterations: u64,
}

impl Each {
    fn add(&mut self, used: u64) {
        self.used = self.used.saturating_add(used);
        self.iterations += 1;
    }

    /// The average, if there is one to speak of.
    pub(super) fn average(self) -> Option<f64> {
        (self.iterations > 0 && self.used > 0).then(|| self.used as f64 / self.iterations as f64)
    }
}

impl Usual {
    /// Looks at a run after an event of it. What was before the first look is not known.
    pub(crate) fn look(&mut self, progress: &Progress) {
        let last = progress.last_step();
        let number = last.map_or(0, StepRecord::iteration);
        if self.settled.is_some_and(|(settled, _)| settled == number) {
            return;
        }
        let before = self.settled.replace((number, progress.now()));
        if let (Some((_, began)), Some(step)) = (before, last.filter(|step| !step.is_failed())) {
            self.add(step, progress.now().since(began));
        }
    }

    fn add(&mut self, step: &StepRecord, took: Duration) {
        let usage = step.usage();
        if let Some(cost) = usage.cost.filter(|cost| cost.quality < CostQuality::Partial) {
            self.cost.add(cost.usd.as_nanos());
        }
        if let Some(tokens) = usage.tokens() {
            self.tokens.add(tokens);
        }
        self.time.add(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    }
}
