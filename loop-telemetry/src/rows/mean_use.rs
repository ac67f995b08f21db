//! The mean use of an iteration, from which to tell how many more the budgets cover.

use std::time::Duration;

use loop_core::{CostQuality, Progress, RunTime, StepRecord};

/// The use of finished iterations that did not fail. An interrupted or failed one does not predict the next.
#[derive(Debug, Clone, Default)]
pub struct MeanUse {
    /// The number of the last settled step, if there is one, and its time.
    settled: Option<(Option<u64>, RunTime)>,
    /// Nano-dollars, for iterations whose whole cost is known.
    cost: MeanCount,
    tokens: MeanCount,
    /// Milliseconds, including waits.
    time: MeanCount,
}

/// The use of several iterations.
#[derive(Debug, Clone, Copy, Default)]
struct MeanCount {
    used: u64,
    iterations: u64,
}

impl MeanCount {
    fn add(&mut self, used: u64) {
        self.used = self.used.saturating_add(used);
        self.iterations += 1;
    }

    /// Returns the average, if there are enough values.
    fn average(self) -> Option<f64> {
        (self.iterations > 0 && self.used > 0).then(|| self.used as f64 / self.iterations as f64)
    }
}

impl MeanUse {
    /// Observes a run after an event. The use before the first call stays unknown.
    pub fn observe(&mut self, progress: &Progress) {
        let last = progress.last_step();
        let number = last.map(StepRecord::iteration);
        if self.settled.is_some_and(|(settled, _)| settled == number) {
            return;
        }
        let before = self.settled.replace((number, progress.now()));
        // The check before the first iteration does not predict an iteration.
        let last = last.filter(|step| !step.is_failed() && step.iteration() > 0);
        if let (Some((_, began)), Some(step)) = (before, last) {
            self.add(step, progress.now().since(began));
        }
    }

    /// Returns the mean cost in nano-dollars; `None` before an iteration whose whole cost is known.
    pub fn nano_dollars(&self) -> Option<f64> {
        self.cost.average()
    }

    /// Returns the mean number of tokens; `None` before an iteration whose tokens are all known.
    pub fn tokens(&self) -> Option<f64> {
        self.tokens.average()
    }

    /// Returns the mean time in milliseconds, including waits; `None` before the first finished iteration.
    pub fn millis(&self) -> Option<f64> {
        self.time.average()
    }

    fn add(&mut self, step: &StepRecord, took: Duration) {
        let usage = step.usage();
        if let Some(cost) = usage.cost.filter(|cost| cost.quality < CostQuality::Partial) {
            self.cost.add(cost.usd.as_nanos());
        }
        if let Some(tokens) = usage.tokens().filter(|_| usage.is_counted()) {
            self.tokens.add(tokens);
        }
        self.time.add(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    }
}
