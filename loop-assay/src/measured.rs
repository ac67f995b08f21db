//! The result of a case with one model or agent.

use std::collections::BTreeMap;

use loop_telemetry::always_json;
use serde::{Deserialize, Serialize};

use crate::{
    baseline::Comparison,
    case_run::{CaseOutcome, CaseRun},
    statistics::{Interval, median, percentile_90, wilson},
};

/// The result of a case with one model or agent: a line of JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CaseResult {
    /// The name of the case.
    pub case: String,
    /// The name of the model, or the command of the agent.
    pub model: String,
    /// How many runs were requested.
    pub runs: u64,
    /// How many of them passed.
    pub passed: u64,
    /// How many of them did not pass.
    pub failed: u64,
    /// How many of them could not be made.
    pub not_made: u64,
    /// The 95 % Wilson interval of the share that passes.
    pub interval: Interval,
    /// The time of a run, in whole seconds.
    pub seconds: Option<Spread>,
    /// The tokens of a run; `None` if a run did not report them.
    pub tokens: Option<Spread>,
    /// The cost of a run in US dollars; `None` if a run did not report all of it.
    pub cost_usd: Option<Spread>,
    /// The iterations of a run.
    pub iterations: Option<Spread>,
    /// The comparison with an earlier result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Comparison>,
    /// The runs that did not pass or could not be made.
    pub notes: Vec<RunNote>,
}

/// The middle and the upper end of the numbers of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The 90th percentile.
    pub p90: f64,
}

/// Why a run did not pass, or could not be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunNote {
    /// The number of the run, from 1.
    pub run: usize,
    /// Failed, or not made.
    pub outcome: CaseOutcome,
    /// The reason.
    pub why: String,
}

impl Spread {
    /// Returns the spread of these numbers; `None` if there are none, or if one is unknown.
    fn of(numbers: impl Iterator<Item = Option<f64>>) -> Option<Self> {
        let mut numbers = numbers.collect::<Option<Vec<_>>>()?;
        numbers.sort_by(f64::total_cmp);
        Some(Self { median: median(&numbers)?, p90: percentile_90(&numbers)? })
    }
}

impl CaseResult {
    /// Summarises the runs that were begun, by their numbers. The others count as not made.
    pub(crate) fn new(case: &str, model: &str, runs: usize, made: &BTreeMap<usize, &CaseRun>) -> Self {
        let count = |outcome| made.values().filter(|run| run.outcome == outcome).count() as u64;
        let (passed, failed) = (count(CaseOutcome::Passed), count(CaseOutcome::Failed));
        let measured = || made.values().filter(|run| run.outcome != CaseOutcome::NotMade);
        let note = |number: usize| {
            let (outcome, why) = match made.get(&number) {
                Some(run) if run.outcome == CaseOutcome::Passed => return None,
                Some(run) => (run.outcome, run.why.clone()),
                None => (CaseOutcome::NotMade, "the assay ended before it".to_owned()),
            };
            Some(RunNote { run: number, outcome, why })
        };
        Self {
            case: case.to_owned(),
            model: model.to_owned(),
            runs: runs as u64,
            passed,
            failed,
            not_made: runs as u64 - passed - failed,
            interval: wilson(passed, passed + failed),
            // Whole seconds, so that a scripted model gives the same bytes.
            seconds: Spread::of(measured().map(|run| Some(run.time.as_secs_f64().round()))),
            tokens: Spread::of(measured().map(|run| run.usage.tokens().map(|tokens| tokens as f64))),
            cost_usd: Spread::of(measured().map(|run| run.cost())),
            iterations: Spread::of(measured().map(|run| Some(run.iterations as f64))),
            baseline: None,
            notes: (1..=runs).filter_map(note).collect(),
        }
    }

    /// Returns whether the counts add up, as in each result of an assay.
    pub(crate) fn is_consistent(&self) -> bool {
        let sum = [self.passed, self.failed, self.not_made].into_iter().try_fold(0_u64, u64::checked_add);
        sum == Some(self.runs)
    }

    /// Returns how many runs passed or failed.
    pub const fn measured(&self) -> u64 {
        self.passed + self.failed
    }

    /// Returns the share of measured runs that passed; `None` if there are none.
    pub fn share(&self) -> Option<f64> {
        (self.measured() > 0).then(|| self.passed as f64 / self.measured() as f64)
    }

    /// Returns the result as one line of JSON.
    pub fn json(&self) -> String {
        always_json(serde_json::to_string(self))
    }
}
