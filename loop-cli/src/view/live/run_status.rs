//! The status of a run, in one line.

use std::time::{Duration, Instant};

use loop_core::{Progress, RunCost, StepRecord};

use loop_telemetry::rows::MeanUse;

use crate::view::text;
use loop_manifest::{plan::Limits, remaining};

/// The content of the panel's first line.
#[derive(Debug)]
pub(super) struct RunStatus {
    /// The limits of the manifest.
    limits: Limits,
    /// The limits, including raises.
    granted: Limits,
    stage: &'static str,
    iteration: u64,
    cost: RunCost,
    mean_use: MeanUse,
    /// The remainder of the budget that ends first, once an iteration has shown its use.
    pub(super) left: Option<String>,
    /// Run time at the last event, and the time of that event.
    elapsed: Duration,
    seen: Instant,
    /// The start of this stage.
    began: Instant,
}

impl RunStatus {
    pub(super) fn new(limits: &Limits) -> Self {
        let now = Instant::now();
        Self {
            limits: limits.clone(),
            granted: limits.clone(),
            stage: "starting",
            iteration: 1,
            cost: RunCost::Unknown,
            mean_use: MeanUse::default(),
            left: None,
            elapsed: Duration::ZERO,
            seen: now,
            began: now,
        }
    }

    /// Begins another stage.
    pub(super) fn begin(&mut self, stage: &'static str, progress: &Progress) {
        self.stage = stage;
        self.began = Instant::now();
        self.granted = self.limits.granted(progress);
        self.update(progress);
    }

    /// Updates the run's cost and time.
    pub(super) fn update(&mut self, progress: &Progress) {
        self.seen = Instant::now();
        self.iteration = progress.current_step().map_or(self.iteration, StepRecord::iteration);
        self.cost = progress.cost();
        self.mean_use.observe(progress);
        if progress.iterations() > 0 {
            self.left = remaining(&self.limits, progress, &self.mean_use).into_iter().next();
        }
        self.elapsed = progress.elapsed();
    }

    /// Excludes this time.
    pub(super) fn skip(&mut self, time: Duration) {
        self.seen += time;
        self.began += time;
    }

    /// Returns the line.
    pub(super) fn text(&self, now: Instant) -> String {
        let of = |limit: Option<String>| limit.map(|limit| format!(" of {limit}")).unwrap_or_default();
        // As short as possible: the line must fit 80 columns.
        let cost = match self.cost {
            RunCost::Unknown => "cost unknown".to_owned(),
            RunCost::AtLeast(cost) => format!("{}+", text::dollars(cost)),
            RunCost::About(cost) => format!("~{}", text::dollars(cost)),
            RunCost::Exactly(cost) => text::dollars(cost),
        };
        let iteration = match self.iteration {
            0 => text::BEFORE_FIRST.to_owned(),
            iteration => format!("iteration {iteration} of {}", self.granted.max_iterations),
        };
        format!(
            "{iteration} · {} {} · run {}{} · {cost}{}",
            self.stage,
            text::duration(now.duration_since(self.began)),
            text::duration(self.elapsed + now.duration_since(self.seen)),
            of(self.granted.max_time.map(text::duration)),
            of(self.granted.max_cost.map(text::dollars)),
        )
    }
}
